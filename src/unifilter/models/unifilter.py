"""UniFilter. Huang, Liò: An Effective Universal Polynomial Basis for Spectral Graph Neural Networks, 2023.

Filters X: Z = sum_k w_k (tau P^k x + (1 - tau) u_k), then an MLP; P without self-loops. After one
factorisation no step propagates, whatever tau, h, w and the split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from unifilter._checks import check_share_or_word
from unifilter.bases import heterophily, orthonormal, released, response
from unifilter.graph import Graph
from unifilter.krylov import mix, mix_dropped
from unifilter.models._basis import Basis
from unifilter.models._layers import MLP
from unifilter.models._registry import Card, register

TINY = 1e-12  # beside the square of a row's length: nothing stays nothing, and has a gradient


@dataclass(frozen=True)
class Config:
    """Options of UniFilter; :mod:`unifilter.presets` has the paper's for its six graphs.

    Parameters
    ----------
    K : int
        Hops.
    tau : float or "learn"
        Share of the homophily basis.
    h : float, "estimate" or "learn"
        Homophily ratio: given, estimated from training labels, or learned from that estimate on.
    basis : {"unibasis", "released", "orthonormal"}
        The paper's, what its released code computes, or V itself (OrtFilter).
    scale : {"signal", "paper"}
        Whether u_k is scaled by ||x||, one scale for both parts of UniBasis, or not, as the paper has it.
    per_column : bool
        One w for every feature column instead of one for all.
    start : {"uniform", "identity"}
        Where w begins: all equal, or the filter that leaves the features as they are.
    ego : bool
        The MLP sees the features themselves beside the filtered ones, so that what a node is and what its
        surroundings are can be weighed apart, as H2GCN does. The paper's has no such input.
    row_norm : bool
        Scale every node's filtered features to length 1, so that neither its degree nor how many features it
        has says how strongly it counts. The paper's has no such step.
    hidden, layers : int
        Width and number of the MLP's layers; 1 layer is a linear model.
    dropout, basis_dropout : float
        Rates before every layer of the MLP, and on the basis.
    batch_norm, residual, bias, paper_init, drop_inputs : bool
        See :class:`unifilter.models._layers.MLP`.
    """

    K: int = 10
    tau: float | Literal["learn"] = "learn"
    h: float | Literal["estimate", "learn"] = "learn"
    basis: Literal["unibasis", "released", "orthonormal"] = "unibasis"
    scale: Literal["signal", "paper"] = "signal"
    per_column: bool = False
    start: Literal["uniform", "identity"] = "uniform"
    ego: bool = False
    row_norm: bool = False
    hidden: int = 256
    layers: int = 2
    dropout: float = 0.5
    basis_dropout: float = 0.0
    batch_norm: bool = False
    residual: bool = False
    bias: bool = False
    paper_init: bool = True
    drop_inputs: bool = True

    def __post_init__(self) -> None:
        check_share_or_word(self.tau, "tau", "learn")
        check_share_or_word(self.h, "h", "estimate", "learn")


CARD = Card(
    "UniFilter",
    "Huang, Liò: An Effective Universal Polynomial Basis for Spectral Graph Neural Networks",
    2023,
    "polynomial filter",
    "X, once",
    "n K d + n d h",
)


@register("unifilter", Config, CARD)
class UniFilter(nn.Module):
    """Filter and MLP, to train in a loop of one's own or by :mod:`unifilter.train`.

    Parameters
    ----------
    config : Config
    d : int
        Feature columns.
    classes : int
    h : float
        The estimate that ``config.h`` refers to when it is not a number.

    Examples
    --------
    >>> from unifilter.data import load
    >>> data = load("sbm:n=300,h=0.2")
    >>> config = Config(K=4, hidden=16)
    >>> inputs = UniFilter.prepare(data.graph, data.features(), config)
    >>> model = UniFilter(config, data.d, 5, h=0.2)
    >>> model(inputs).shape
    torch.Size([300, 5])
    """

    uses_homophily = True
    unbundled = "the fused mix has no batched form for vmap; a population stacks it"

    def __init__(self, config: Config, d: int, classes: int, h: float = 0.5) -> None:
        super().__init__()
        self.config = config
        width = d if config.per_column else 1
        self.w = nn.Parameter(_weights(config)[:, None].repeat(1, width))
        self._tau = _share(config.tau, 0.5)
        self._h = _share(config.h, h)
        self._fixed: tuple[Any, tuple[int, int], Tensor] | None = None
        widths = [2 * d if config.ego else d] + [config.hidden] * (config.layers - 1) + [classes]
        options = config.batch_norm, config.residual, config.bias, config.paper_init, config.drop_inputs
        self.mlp = MLP(widths, config.dropout, *options)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Basis:
        """The one propagation."""
        return Basis.of(graph, X, config.K)

    @property
    def tau(self) -> Tensor:
        """Share of the homophily basis, in [0, 1]."""
        return self._tau()  # type: ignore[no-any-return]

    @property
    def h(self) -> Tensor:
        """Homophily ratio, in [0, 1]."""
        return self._h()  # type: ignore[no-any-return]

    def coefficients(self, inputs: Basis) -> Tensor:
        """The basis in V, weights included: (K+1, K+1, d), lower triangular."""
        return self.w[:, None, :] * self.basis(inputs)

    def basis(self, inputs: Basis) -> Tensor:
        """The basis in V without its weights, (K+1, K+1, d); computed once where tau and h are given."""
        if inputs.K < self.config.K:
            raise ValueError(f"the inputs have {inputs.K} hops, but the filter has K = {self.config.K}.")
        if self._tau.learn or self._h.learn:
            return self._basis(inputs)
        # Rows of one factorisation share its T; a state that is loaded is written into tau and h.
        tau, h = self.tau, self.h
        of, written = (inputs.T, tau, h), (tau._version, h._version)
        known = self._fixed
        if known is None or known[1] != written or any(a is not b for a, b in zip(known[0], of, strict=True)):
            known = self._fixed = of, written, self._basis(inputs)
        return known[2]

    def _basis(self, inputs: Basis) -> Tensor:
        config, K = self.config, self.config.K
        norm = inputs.norm
        if config.basis == "orthonormal":
            eye = torch.eye(K + 1, dtype=norm.dtype, device=norm.device)[:, :, None]
            return (norm if config.scale == "signal" else torch.ones_like(norm)) * eye
        if config.basis == "released":
            return released(inputs.T, norm, self.tau, self.h, K)
        size = norm if config.scale == "signal" else torch.ones_like(norm)
        angled = heterophily(K, self.h)[:, :, None] * size
        return self.tau * inputs.powers[: K + 1, : K + 1] + (1 - self.tau) * angled

    def filtered(self, inputs: Basis) -> Tensor:
        """Z (n, d); in training with dropout on the basis, without it contracted: one pass over V."""
        V, C = inputs.V[: self.config.K + 1], self.coefficients(inputs)
        p = self.config.basis_dropout
        if p and self.training:
            # Drawn where V is: a number of the host's would be the same in every replay of a recorded epoch.
            seed = torch.randint(2**32, (), device=V.device)
            return mix_dropped(V, C, p, seed, lower=True)
        return mix(V, C.sum(dim=0))

    def response(self, lam: Tensor, inputs: Basis) -> Tensor:
        """g(lambda) of every feature column, (q, d), at eigenvalues of I - P.

        The basis belongs to the signal, so the response needs the inputs beside the parameters.
        """
        basis = inputs.first(self.config.K)
        return response(self.coefficients(inputs).sum(dim=0), lam, orthonormal(basis.T, basis.norm))

    def forward(self, inputs: Basis) -> Tensor:
        """Logits (n, classes) of the rows that the inputs hold."""
        Z = self.filtered(inputs)
        if self.config.row_norm:
            Z = unit_rows(Z)
        if self.config.ego:
            Z = torch.cat([Z, inputs.signal().to(Z)], dim=1)
        logits: Tensor = self.mlp(Z)
        return logits

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: the MLP; the weights of the basis; tau and h if they are learned."""
        shares = [*self._tau.parameters(), *self._h.parameters()]
        return {"mlp": list(self.mlp.parameters()), "filter": [self.w], "shares": shares}

    def learned(self) -> dict[str, float]:
        """What is worth watching while it trains: tau, h, and the weight of every basis vector.

        Where every column has weights of its own, their mean.
        """
        shares = {"tau": float(self.tau.detach()), "h": float(self.h.detach())}
        return shares | {f"w_{k}": w for k, w in enumerate(self.w.detach().mean(dim=1).tolist())}


def unit_rows(Z: Tensor) -> Tensor:
    """Rows of length 1, those of nothing left as they are.

    Examples
    --------
    >>> unit_rows(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    wide = Z.to(torch.promote_types(Z.dtype, torch.float32))
    # By the largest entry first, so that squares of very small or large ones are numbers; it cancels.
    largest = wide.detach().abs().amax(dim=-1, keepdim=True)
    wide = wide / torch.where(largest > 0, largest, 1)
    return (wide * torch.rsqrt((wide * wide).sum(dim=-1, keepdim=True) + TINY)).to(Z.dtype)


class Share(nn.Module):
    """A number in [0, 1]: given, or learned through its logit."""

    def __init__(self, value: float, learn: bool) -> None:
        super().__init__()
        self.learn = learn
        if learn:
            # Off the ends, where the logit is infinite and nothing could be learned.
            self.logit = nn.Parameter(torch.logit(torch.tensor(float(value)), eps=0.02))
        else:
            self.register_buffer("value", torch.tensor(float(value)))

    def forward(self) -> Tensor:
        """The number."""
        if self.learn:
            return torch.sigmoid(self.logit)
        value: Tensor = self.value  # type: ignore[assignment]
        return value


def _weights(config: Config) -> Tensor:
    """Of the basis vectors, before training."""
    if config.start == "identity":
        return torch.eye(config.K + 1)[0]
    return torch.full((config.K + 1,), 1 / (config.K + 1))


def _share(given: float | str, start: float) -> Share:
    if isinstance(given, str):
        return Share(start, learn=given == "learn")
    return Share(given, learn=False)

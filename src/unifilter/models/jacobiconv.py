"""JacobiConv. Wang, Zhang: How Powerful are Spectral Graph Neural Networks, ICML 2022.

Filters H, K products a step: column c of the logits is sum_k w_kc (g_1 ... g_k) p_k(P) h_c with h_c the
same column of X W + b; no hidden layer, P without self-loops. The p_k are Jacobi polynomials, or almost: see
``recurrence``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from unifilter._types import IntArray, Matmul
from unifilter.bases import Diagonal, jacobi
from unifilter.graph import Graph
from unifilter.models._filtering import weigh
from unifilter.models._layers import dropout
from unifilter.models._operators import smoothing
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of JacobiConv.

    Parameters
    ----------
    K : int
        Hops.
    a, b : float
        Of the weight (1-t)^a (1+t)^b; at least -1, not both -1.
    alpha : float
        Bound of the learned factors g_k = alpha tanh(eta_k), which start from eta = min(1/alpha, 1).
    recurrence : {"released", "jacobi"}
        What the authors' code computes, which published a and b were tuned with, or Jacobi polynomials as the
        paper has them. They differ where a^2 is not b^2.
    dropout, filter_dropout : float
        Rates on the features, and on what the linear layer gives to the filter.
    data_loops : bool
        Keep the loops that the data came with, as the authors' code does; no others are added.
    """

    K: int = 10
    a: float = 1.0
    b: float = 1.0
    alpha: float = 1.0
    recurrence: Literal["released", "jacobi"] = "released"
    dropout: float = 0.5
    filter_dropout: float = 0.5
    data_loops: bool = False

    def __post_init__(self) -> None:
        if min(self.a, self.b) < -1 or self.a + self.b <= -2:
            raise ValueError(f"a and b must be at least -1, not both -1, but are {self.a:g} and {self.b:g}.")
        if not self.alpha > 0:
            raise ValueError(f"alpha must be positive, but is {self.alpha:g}.")
        if self.recurrence not in ("released", "jacobi"):
            raise ValueError(f'recurrence must be "released" or "jacobi", but is {self.recurrence!r}.')


CARD = Card(
    "JacobiConv",
    "Wang, Zhang: How Powerful are Spectral Graph Neural Networks, ICML",
    2022,
    "polynomial filter",
    "H, K products a step",
    "n d c + K m c",
)


@register("jacobiconv", Config, CARD)
class JacobiConv(nn.Module):
    """A linear model whose every class has a filter of its own in a basis of Jacobi polynomials."""

    takes_bags = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.linear = nn.Linear(d, classes)
        self.eta = nn.Parameter(torch.full((config.K,), min(1 / config.alpha, 1.0)))
        self.w = nn.Parameter(torch.ones(config.K + 1, classes))

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """P and X; nothing is propagated yet."""
        P = smoothing(graph, X, arcs, data_loops=config.data_loops, self_loops=False)
        return Whole(X, {"P": P})

    def weights(self) -> Tensor:
        """Row k is w_k g_1 ... g_k, (K+1, classes)."""
        product, rows = torch.ones_like(self.w[0]), [self.w[0]]
        for g, w in zip(self.config.alpha * torch.tanh(self.eta), self.w[1:], strict=True):
            product = product * g  # not cumprod: its gradient asks the host whether a factor is 0
            rows.append(product * w)
        return torch.stack(rows)

    def filter(self, A: Matmul, H: Tensor) -> Tensor:
        """Every class's filter of A on its column of H."""
        config = self.config
        basis = released_jacobi if config.recurrence == "released" else jacobi
        return weigh(self.weights(), basis(A, H, config.K, config.a, config.b))

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the rows that the inputs hold."""
        H = self.linear(dropout(inputs.X, self.config.dropout, self.training))
        H = dropout(H, self.config.filter_dropout, self.training)
        return inputs.pick(self.filter(inputs["P"], H))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: the linear layer, the factors of the basis, its weights."""
        return {"linear": list(self.linear.parameters()), "factors": [self.eta], "filter": [self.w]}

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) of every class, (q, classes), at q eigenvalues of I - P in [0, 2]."""
        return self.filter(Diagonal(1 - lam), lam.new_ones(lam.shape[0], self.w.shape[1]))


def released_jacobi(A: Matmul, x: Tensor, K: int, a: float, b: float) -> Tensor:
    r"""The basis in the authors' code, stacked: Jacobi's recurrence with one sign turned.

    .. math::
        p_1(t) &= \tfrac{a-b}{2} + \tfrac{a+b+2}{2} t \\
        p_k(t) &= (\theta_k t - \theta'_k) p_{k-1}(t) - \theta''_k p_{k-2}(t)

    with the theta of :func:`unifilter.bases.jacobi`, where theta'_k is added. From p_2 on it is the
    recurrence for (b, a), but p_1 is the one for (a, b): the result belongs to neither, unless a^2 = b^2.

    Cost: K products with A. Result (K+1, *x.shape).

    Examples
    --------
    >>> one = Diagonal(torch.tensor([1.0]))
    >>> released_jacobi(one, torch.ones(1), 2, a=1.0, b=0.0).flatten()
    tensor([1.0000, 2.0000, 2.5556])
    >>> jacobi(one, torch.ones(1), 2, a=1.0, b=0.0).flatten()
    tensor([1., 2., 3.])
    """
    p = [x] if K == 0 else [x, (a - b) / 2 * x + (a + b + 2) / 2 * (A @ x)]
    for k in range(2, K + 1):
        c = 2 * k + a + b
        scale = 2 * k * (k + a + b)
        first = c * (c - 1) / scale
        second = (c - 1) * (a**2 - b**2) / (scale * (c - 2))
        third = 2 * (k + a - 1) * (k + b - 1) * c / (scale * (c - 2))
        p.append(first * (A @ p[-1]) - second * p[-1] - third * p[-2])
    return torch.stack(p)

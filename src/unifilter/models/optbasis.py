"""OptBasisGNN. Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML 2023.

Filters H between two linear maps, K products a step at the hidden width, without self-loops:
Z[:, i] = sum_k a_{i,k} v_k, with v_0, ..., v_K the orthonormal Krylov basis of the hidden column i. It is the
basis that :func:`unifilter.lanczos` computes, but found anew at every step, because the columns are learned;
OrtFilter is the same idea on X, where it has to be found once.

The authors add noise of size 1e-5 to H so that no column is 0, in evaluation too; here evaluation has none
unless ``eval_noise`` asks for it. A column that is 0 gives 0, and so does a Krylov space beyond its end,
where the authors' code normalises rounding errors. A column's norm is forgotten by the filter, as in theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from unifilter._types import Matmul
from unifilter.bases import orthonormal, response
from unifilter.graph import Graph, propagation
from unifilter.krylov import lanczos
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of OptBasisGNN.

    Parameters
    ----------
    K : int
        Hops; the authors take 2 to 20.
    hidden : int
        Width of H, the columns that are filtered.
    dropout : float
        On X, and on what the filter gives.
    filter_dropout : float
        On H, before the filter.
    noise : float
        Standard deviation of what is added to H in training.
    eval_noise : bool
        Whether it is added in evaluation too, as in the authors' code; then predictions are random.
    self_loops : bool
        Whether every node is its own neighbour.
    """

    K: int = 10
    hidden: int = 64
    dropout: float = 0.5
    filter_dropout: float = 0.5
    noise: float = 1e-5
    eval_noise: bool = False
    self_loops: bool = False


CARD = Card(
    "OptBasisGNN",
    "Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML",
    2023,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m h",
)


def krylov_basis(A: Matmul, X: Tensor, K: int) -> Tensor:
    r"""The orthonormal Krylov basis of every column, differentiable in X: (K+1, n, d).

    .. math:: v_0 = x / \|x\|, \qquad
              v_{k+1} \propto (I - v_{k-1} v_{k-1}^T)(I - v_k v_k^T) A v_k

    A column of 0, and what follows the end of a Krylov space, is 0. ``A`` has its spectrum in [-1, 1].
    Cost: K products with A, and as many in the backward pass.
    """
    ended = 32 * torch.finfo(X.dtype).eps  # beside ||A v|| <= 1 this is rounding error
    v = [_unit(X, 1e-8)]
    for k in range(K):
        u = A @ v[-1]
        u = u - (u * v[-1]).sum(dim=0) * v[-1]
        if k:
            u = u - (u * v[-2]).sum(dim=0) * v[-2]
        v.append(_unit(u, ended))
    return torch.stack(v)


def _unit(X: Tensor, least: float) -> Tensor:
    """Columns of norm 1; those no longer than ``least`` become 0, and so does their gradient."""
    size = torch.linalg.vector_norm(X, dim=0)
    return X * torch.where(size > least, 1 / size.clamp_min(least), 0)


@register("optbasis", Config, CARD)
class OptBasis(nn.Module):
    """Linear, orthonormal filter, linear."""

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = nn.Linear(d, config.hidden)
        self.second = nn.Linear(config.hidden, classes)
        self.a = nn.Parameter(torch.zeros(config.K + 1, config.hidden))
        with torch.no_grad():
            self.a[0] = 1

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """X and P."""
        return Whole(X, {"P": propagation(graph, config.self_loops, X.dtype, X.device)})

    def hidden(self, inputs: Whole) -> Tensor:
        """H (n, hidden), what is filtered."""
        config = self.config
        H = torch.relu(self.first(dropout(inputs.X, config.dropout, self.training)))
        H = dropout(H, config.filter_dropout, self.training)
        noisy = self.training or config.eval_noise
        return H + config.noise * torch.randn_like(H) if noisy and config.noise else H

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        V = krylov_basis(inputs["P"], self.hidden(inputs), self.config.K)
        Z = torch.einsum("kd,knd->nd", self.a, V)
        return inputs.pick(self.second(dropout(Z, self.config.dropout, self.training)))

    def response(self, lam: Tensor, inputs: Whole) -> Tensor:
        """g(lambda) of every hidden column, (q, hidden), at eigenvalues of I - P.

        The basis belongs to the signal, so the response needs the inputs beside the parameters.
        """
        with torch.no_grad():
            _, T, norm = lanczos(inputs["P"], self.hidden(inputs), self.config.K)
        return response(self.a, lam, orthonormal(T, norm))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: both linear maps; the coefficients."""
        linear = [*self.first.parameters(), *self.second.parameters()]
        return {"linear": linear, "filter": [self.a]}

"""FavardGNN. Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML 2023.

Filters H between two linear maps, K products a step at the hidden width, without self-loops. The basis itself
is learned: by Favard's theorem every sequence of orthonormal polynomials obeys a three-term recurrence, and
every recurrence with sigma > 0 gives one, so y and sigma are parameters, for each hidden column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from unifilter._types import Matmul
from unifilter.bases import Diagonal
from unifilter.graph import Graph, propagation
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole

LEAST_SIGMA = 0.01  # the authors' bound: sigma divides


@dataclass(frozen=True)
class Config:
    """Options of FavardGNN.

    Parameters
    ----------
    K : int
        Hops; the authors take 8 to 20.
    hidden : int
        Width of H, the columns that are filtered.
    dropout : float
        On X, and on what the filter gives.
    filter_dropout : float
        On H, before the filter.
    self_loops : bool
        Whether every node is its own neighbour.
    """

    K: int = 10
    hidden: int = 64
    dropout: float = 0.5
    filter_dropout: float = 0.5
    self_loops: bool = False


CARD = Card(
    "FavardGNN",
    "Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML",
    2023,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m h",
)


def favard(A: Matmul, x: Tensor, K: int, y: Tensor, sigma: Tensor) -> Tensor:
    r"""The polynomials of a three-term recurrence, stacked: ``out[k] = p_k(A) x``.

    .. math:: p_0 = \frac{1}{\sigma_0}, \qquad
              p_k(t) = \frac{(t - y_{k-1})\, p_{k-1}(t) - \sigma_{k-1}\, p_{k-2}(t)}{\sigma_k},
              \qquad p_{-1} = 0

    Parameters
    ----------
    A : anything with ``@``
    x : Tensor of shape (n, d)
    K : int
    y, sigma : Tensors of shape (K+1, d)
        Of every column; ``y[K]`` is not used.

    Examples
    --------
    >>> y, sigma = torch.zeros(3, 1), torch.ones(3, 1)
    >>> favard(Diagonal(torch.tensor([0.5])), torch.ones(1, 1), 2, y, sigma).flatten()
    tensor([ 1.0000,  0.5000, -0.7500])
    """
    p = [x / sigma[0]]
    for k in range(1, K + 1):
        q = A @ p[-1] - y[k - 1] * p[-1]
        if k > 1:
            q = q - sigma[k - 1] * p[-2]
        p.append(q / sigma[k])
    return torch.stack(p)


@register("favard", Config, CARD)
class Favard(nn.Module):
    """Linear, a filter in a learned basis, linear."""

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = nn.Linear(d, config.hidden)
        self.second = nn.Linear(config.hidden, classes)
        shape = config.K + 1, config.hidden
        self.a = nn.Parameter(torch.zeros(shape))
        # y and sigma of the recurrence: at first that of the Chebyshev polynomials of the second kind in t/2.
        self.recurrence = nn.Parameter(torch.stack([torch.zeros(shape), torch.ones(shape)]))
        with torch.no_grad():
            self.a[0] = 1

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """X and P."""
        return Whole(X, {"P": propagation(graph, config.self_loops, X.dtype, X.device)})

    def basis(self, A: Matmul, x: Tensor) -> Tensor:
        """The learned polynomials of A applied to x, (K+1, n, hidden)."""
        y, sigma = self.recurrence
        return favard(A, x, self.config.K, y, sigma.clamp_min(LEAST_SIGMA))

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        config = self.config
        H = torch.relu(self.first(dropout(inputs.X, config.dropout, self.training)))
        H = dropout(H, config.filter_dropout, self.training)
        Z = torch.einsum("kd,knd->nd", self.a, self.basis(inputs["P"], H))
        return inputs.pick(self.second(dropout(Z, config.dropout, self.training)))

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) of every hidden column, (q, hidden), at eigenvalues of I - P."""
        ones = torch.ones(lam.shape[0], self.config.hidden, dtype=lam.dtype, device=lam.device)
        return torch.einsum("kd,kqd->qd", self.a.to(lam.dtype), self.basis(Diagonal(1 - lam), ones))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: both linear maps; the coefficients; the recurrence."""
        linear = [*self.first.parameters(), *self.second.parameters()]
        return {"linear": linear, "filter": [self.a], "recurrence": [self.recurrence]}

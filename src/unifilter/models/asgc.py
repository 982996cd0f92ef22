"""ASGC. Chanpuriya, Musco: Simplified Graph Convolution with Heterophily, NeurIPS 2022.

Filters X, once: every feature column x gets the polynomial of P that comes nearest to x itself while using
little of it, in closed form and without labels; then logistic regression. P without self-loops, but a node
without neighbours is its own.

The authors solve least squares in n + 1 rows for every column. In the coordinates of V, which are
orthonormal, the same problem has K + 2 rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unifilter._types import IntArray, Matmul
from unifilter.bases import monomial
from unifilter.graph import Graph, propagation
from unifilter.krylov import Tridiagonal, mix
from unifilter.models._basis import Basis
from unifilter.models._filtering import normalised
from unifilter.models._operators import from_arcs
from unifilter.models._registry import Card, register
from unifilter.models._rows import Features


@dataclass(frozen=True)
class Config:
    """Options of ASGC.

    Parameters
    ----------
    K : int
        Hops. The authors choose among 1, 2, 4, 8 on validation nodes.
    R : float
        How strongly a column's filter is kept from being the identity. The authors choose among 1e-4, 1e-3,
        1e-2, 1e-1, 1 on validation nodes.
    penalty : float
        Of the logistic regression: penalty/2 ||W||^2 beside the sum of the training nodes' losses.
    data_loops : bool
        Keep the loops that the data came with, as the authors do.
    refit : bool
        Fit the classifier to training and validation nodes together, as the authors do before they test. It
        sees more labels than other models, and its validation score means nothing.
    """

    K: int = 4
    R: float = 0.01
    penalty: float = 1.0
    data_loops: bool = False
    refit: bool = False

    def __post_init__(self) -> None:
        if min(self.R, self.penalty) < 0:
            raise ValueError(f"R and penalty must not be negative, but are {self.R:g} and {self.penalty:g}.")


CARD = Card(
    "ASGC",
    "Chanpuriya, Musco: Simplified Graph Convolution with Heterophily, NeurIPS",
    2022,
    "polynomial filter",
    "X, once",
    "n d c a pass of the solver",
)


@register("asgc", Config, CARD)
class ASGC(nn.Module):
    """Logistic regression on features that were filtered one by one."""

    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.head = nn.Linear(d, classes)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Features:
        """Every column filtered: K products, and a small least squares problem for each."""
        return ASGC.filtered(ASGC.factorise(graph, X, config, arcs), config)

    @staticmethod
    def factorise(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Basis:
        """V of as many hops as the Config has; fewer are its beginning, and R does not change it."""
        return Basis.by(matrix(graph, X, config, arcs), X, config.K)

    @staticmethod
    def filtered(basis: Basis, config: Any) -> Features:
        """Every column's own polynomial, from V."""
        few = basis.first(config.K)
        C = adaptive(few.T, few.norm, few.n * config.R, few.n)
        return Features(mix(few.V, C.to(few.V.dtype)))

    def forward(self, inputs: Features) -> Tensor:
        """Logits of the rows that the inputs hold."""
        logits: Tensor = self.head(inputs.X)
        return logits

    def solve(self, train: Any, val: Any) -> None:
        """Fit the classifier; there is nothing else to learn."""
        parts = [train, val] if self.config.refit else [train]
        X, y = torch.cat([p.inputs.X for p in parts]).double(), torch.cat([p.y for p in parts])
        W, b = logistic(X, y, self.head.out_features, self.config.penalty)
        with torch.no_grad():
            self.head.weight.copy_(W)
            self.head.bias.copy_(b)


def matrix(graph: Graph, X: Tensor, config: Config, arcs: IntArray | None) -> Matmul:
    """P, with a loop at every node that would have no neighbour otherwise."""
    if not config.data_loops and not graph.isolated:
        return propagation(graph, False, X.dtype, X.device)
    A = from_arcs(arcs, graph.n, directed=False, loops=True) if config.data_loops else graph.to_scipy()
    empty = np.asarray(A.sum(axis=1)) == 0
    return normalised(csr_array(A + diags_array(empty.astype(np.float64))), X)


def adaptive(T: Tridiagonal, norm: Tensor, penalty: float, n: int) -> Tensor:
    r"""Coefficients in V, (K+1, d), of every column filtered by the polynomial nearest to the identity.

    .. math:: z = \sum_k \theta_k P^k x, \qquad
              \theta = \arg\min \Bigl\| \sum_k \theta_k P^k x - x \Bigr\|^2 + \text{penalty}\; \theta_0^2

    the shortest theta where several do. penalty = 0 gives z = x; a large one forbids the column itself. With
    P^k x = ||x|| V T^k e1 the n rows become K + 1, in float64. No product with P.

    A zero column gives zeros.

    Parameters
    ----------
    T : Tridiagonal
    norm : Tensor of shape (d,)
    penalty : float
    n : int
        Number of nodes: singular values below n eps of the largest count as 0, as they would in n rows.

    Examples
    --------
    >>> T = Tridiagonal(torch.zeros(1, 1), torch.ones(1, 1))  # an edge, seen from one end
    >>> adaptive(T, torch.ones(1), penalty=1.0, n=2)
    tensor([[0.5000],
            [0.0000]], dtype=torch.float64)
    """
    T, norm = T.to(dtype=torch.float64), norm.double()
    powers = monomial(T, norm * T.e1, T.K).permute(2, 1, 0)  # (d, K+1, K+1): column k holds P^k x
    row = torch.zeros_like(powers[:, :1])
    row[:, 0, 0] = math.sqrt(penalty)
    inverse = torch.linalg.pinv(
        torch.cat([powers, row], dim=1), rtol=(n + 1) * torch.finfo(torch.float64).eps
    )
    theta = norm[:, None] * inverse[:, :, 0]  # x is ||x|| e1, and the row's target is 0
    return torch.einsum("djk,dk->jd", powers, theta)


def logistic(X: Tensor, y: Tensor, classes: int, penalty: float) -> tuple[Tensor, Tensor]:
    r"""Weights (classes, d) and intercepts of multinomial logistic regression.

    .. math:: \min_{W, b}\; \tfrac{\text{penalty}}{2} \|W\|^2 + \sum_i -\log \mathrm{softmax}(W x_i + b)_{y_i}

    Convex, solved by L-BFGS from 0. The intercept of a class without a row has no optimum: it ends low, where
    the slope is below 1e-7.
    """
    n, d = X.shape
    W = torch.zeros(classes, d, dtype=X.dtype, device=X.device, requires_grad=True)
    b = torch.zeros(classes, dtype=X.dtype, device=X.device, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [W, b], max_iter=1000, tolerance_grad=1e-7, tolerance_change=1e-12, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = cross_entropy(X @ W.T + b, y) + penalty / (2 * max(1, n)) * (W * W).sum()
        torch.autograd.backward(value)
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return W.detach(), b.detach()

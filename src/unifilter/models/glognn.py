"""GloGNN++. Li et al.: Finding Global Homophily in Graph Neural Networks When Meeting Heterophily, 2022.

Filters H, as wide as there are classes, K products a layer with P = D^-1 (A + I). Every node may listen to
every other one, with coefficients Z (n, n) that are never formed. With r = 1 - gamma and s = alpha + beta,

    H' = r Z H D + gamma H_0,
    Z = (r H D H^T + beta sum_k l_k P^k - gamma r H_0 D H^T) (r^2 H H^T + s I)^-1

where l (K numbers) and D = diag(t) are learned, the same in every layer. By Woodbury's identity only a matrix
of classes x classes is solved, and memory is O(n classes):

    M = (I / r^2 + H^T H / s)^-1 H^T H,    Q = r/s (H - H M / s) D,    T = D H^T Q,
    H' = r H T + beta sum_k l_k P^k Q - gamma r H_0 T + gamma H_0.

H_0 = relu(delta (X W_1 + b_1) + (1 - delta) (P W_3 + b_3)) W_2 + b_2, where W_3 has a column a node, so new
nodes cannot be predicted; at delta = 1 there is no W_3, and at delta = 0 no W_1: the features are not looked
at.

The authors compute in float64 (``double``) and form Z besides, an n x n inverse that nothing reads. With D
other than I, which does not enter the inverse, Z no longer minimises the paper's objective. PyTorch Geometric
has no such layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from unifilter._types import IntArray
from unifilter.bases import monomial
from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._operators import averaging
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of GloGNN++.

    Parameters
    ----------
    hidden : int
        Width of the encoder.
    layers, K : int
        Layers, and hops in each.
    alpha, beta, gamma : float
        Weight of ``|Z|^2`` and of ``|Z - sum_k l_k P^k|^2`` in the objective that Z solves; share of H_0.
    delta : float
        Share of the features in the encoder, the rest being that of A.
    dropout : float
        Before the encoder's last layer.
    plus : bool
        Learn D, as GloGNN++ does; D = I is GloGNN.
    double : bool
        Compute in float64, as the authors do.
    data_loops : bool
        Keep self-loops of the data beside the added ones, so that they weigh 2.
    """

    hidden: int = 64
    layers: int = 2
    K: int = 3
    alpha: float = 0.0
    beta: float = 1000.0
    gamma: float = 0.5
    delta: float = 0.9
    dropout: float = 0.5
    plus: bool = True
    double: bool = False
    data_loops: bool = False

    def __post_init__(self) -> None:
        if self.K < 1:
            raise ValueError(f"GloGNN needs the powers P to P^K, so K must be at least 1, but is {self.K}.")
        if self.gamma == 1 or self.alpha + self.beta <= 0:
            raise ValueError(
                "GloGNN divides by 1 - gamma and alpha + beta, but has gamma = "
                f"{self.gamma} and alpha + beta = {self.alpha + self.beta}."
            )


CARD = Card(
    "GloGNN++",
    "Li et al.: Finding Global Homophily in Graph Neural Networks When Meeting Heterophily, ICML",
    2022,
    "attention",
    "H, K products a layer",
    "(n d + m) h + L (K m c + n c^2)",
)


@register("glognn", Config, CARD)
class GloGNN(nn.Module):
    """Coefficients between all pairs of nodes, in closed form."""

    takes_bags = True
    uses_nodes = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int, nodes: int) -> None:
        super().__init__()
        self.config = config
        self.X = nn.Linear(d, config.hidden) if config.delta > 0 else None
        self.A = nn.Linear(nodes, config.hidden) if config.delta < 1 else None
        self.last = nn.Linear(config.hidden, classes)
        self.l = nn.Parameter(torch.full((config.K,), 1 / config.K))
        if config.plus:
            self.t = nn.Parameter(torch.full((classes,), 1 / classes))
        else:
            self.register_buffer("t", torch.ones(classes))
        if config.double:
            self.double()

    @property
    def node_parameters(self) -> tuple[str, ...]:
        """The weight of A."""
        return ("A.weight",) if self.A is not None else ()

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """D^-1 (A + I), undirected."""
        X = X.double() if config.double else X
        return Whole(X, {"P": averaging(graph, X, arcs, data_loops=config.data_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        H = H_0 = self._encoded(inputs.X, inputs["P"])
        for _ in range(self.config.layers):
            H = self._layer(H, H_0, inputs["P"])
        return inputs.pick(H)

    def _encoded(self, X: Tensor, P: Any) -> Tensor:
        delta = self.config.delta
        parts = []
        if self.X is not None:
            parts.append(delta * self.X(X))
        if self.A is not None:
            parts.append((1 - delta) * (P @ self.A.weight.T.contiguous() + self.A.bias))
        H = torch.relu(parts[0] if len(parts) == 1 else parts[0] + parts[1])
        H_0: Tensor = self.last(dropout(H, self.config.dropout, self.training))
        return H_0

    def _layer(self, H: Tensor, H_0: Tensor, P: Any) -> Tensor:
        c, t = self.config, cast(Tensor, self.t)
        s, rest = c.alpha + c.beta, 1 - c.gamma
        gram = H.T @ H
        eye = torch.eye(gram.shape[0], dtype=H.dtype, device=H.device)
        M = solved(eye / rest**2 + gram / s, gram)
        Q = rest / s * (H - H @ M / s) * t
        T = t[:, None] * (H.T @ Q)
        hops: Tensor = torch.tensordot(self.l, monomial(P, Q, c.K)[1:], dims=1)
        return rest * (H @ T) + c.beta * hops - c.gamma * rest * (H_0 @ T) + c.gamma * H_0


def solved(A: Tensor, B: Tensor) -> Tensor:
    """A^-1 B for a small positive definite A, by Gauss-Jordan elimination, which needs no pivots there.

    A row at a time where LAPACK has one call, but on a GPU that call asks the host whether A was singular.

    Examples
    --------
    >>> solved(torch.tensor([[4.0, 2.0], [2.0, 2.0]]), torch.tensor([[2.0], [0.0]])).flatten()
    tensor([ 1., -1.])
    """
    n = A.shape[0]
    eye = torch.eye(n, dtype=A.dtype, device=A.device)
    rows = torch.cat([A, B], dim=1)
    for i in range(n):
        rows = rows - torch.outer(rows[:, i] - eye[i], rows[i] / rows[i, i])
    return rows[:, n:]

"""ChebNet. Defferrard et al.: CNNs on Graphs with Fast Localized Spectral Filtering, NeurIPS 2016.

Two layers sum_k T_k(P) H Theta_k + b with ReLU and dropout between them, Theta_k full matrices, P without
self-loops. The first layer filters X, once; the second filters H, K products a step.

The same function as PyTorch Geometric's ``ChebConv`` with K + 1 terms and its lambda_max = 2, whose -P in
place of P turns the sign of every odd Theta_k. That layer propagates X anew at every step, with a copy of
its row for every edge: 3 GB a product on Squirrel. As the matrices mix the columns, ChebNet has no response
g(lambda).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unifilter._types import Matmul
from unifilter.bases import chebyshev
from unifilter.graph import Graph, propagation
from unifilter.models._layers import dropout
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of ChebNet.

    Parameters
    ----------
    K : int
        Hops of each layer, the degree of its polynomials: K + 1 terms. The tables of GPR-GNN's and BernNet's
        authors have K = 1, ChebNetII's K = 2 and 10.
    hidden : int
        Width between the layers.
    dropout : float
        Rate between the layers; there is none on X.
    self_loops : bool
        Whether every node is its own neighbour; the paper has none.
    """

    K: int = 2
    hidden: int = 32
    dropout: float = 0.5
    self_loops: bool = False


CARD = Card(
    "ChebNet",
    "Defferrard et al.: Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering",
    2016,
    "polynomial filter",
    "X once, H K products a step",
    "n K d h + K m h",
)


@register("chebnet", Config, CARD)
class ChebNet(nn.Module):
    """Two layers of matrix-valued Chebyshev filters."""

    takes_bags = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = mixing(d, config.hidden, config.K + 1)
        self.second = mixing(config.hidden, classes, config.K + 1)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """P and all T_k(P) X side by side: K products at the width of X, which no step repeats."""
        P = propagation(graph, config.self_loops, X.dtype, X.device)
        return Whole(side_by_side(P, X, config.K), {"P": P})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the rows that the inputs hold."""
        H = dropout(torch.relu(self.first(inputs.X)), self.config.dropout, self.training)
        return inputs.pick(self.second(side_by_side(inputs["P"], H, self.config.K)))


def side_by_side(A: Matmul, X: Tensor, K: int) -> Tensor:
    """[X | T_1(A) X | ... | T_K(A) X], of shape (n, (K+1) d)."""
    return chebyshev(A, X, K).movedim(0, 1).flatten(start_dim=1)


def mixing(d: int, out: int, terms: int) -> nn.Linear:
    """One linear layer that holds every Theta_k^T side by side, each uniform by Glorot's rule; bias 0.

    Examples
    --------
    >>> mixing(3, 2, terms=4).weight.shape
    torch.Size([2, 12])
    """
    layer = nn.Linear(terms * d, out)
    bound = math.sqrt(6 / (d + out))
    nn.init.uniform_(layer.weight, -bound, bound)
    nn.init.zeros_(layer.bias)
    return layer

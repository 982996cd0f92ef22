"""SGC. Wu et al., Simplifying Graph Convolutional Networks, ICML 2019.

Filters X: Z = P^K X W + b, with self-loops.

PyTorch Geometric's ``SGConv`` caches its product inside ``forward``; here it is what ``prepare`` returns. The
authors' code adds a self-loop to whatever loops the data has (``data_loops``), and has a bias where the paper
has none. P^K X is a mix of V. Alone it costs more than K products would, but V of the most hops serves every
smaller K of a search or a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._basis import Basis
from unifilter.models._operators import smoothing
from unifilter.models._registry import Card, register
from unifilter.models._rows import Features


@dataclass(frozen=True)
class Config:
    """Options of SGC.

    Parameters
    ----------
    K : int
        Hops.
    self_loops : bool
        Whether every node is its own neighbour, as the paper has it.
    data_loops : bool
        Keep the loops that the data came with, as the authors' code does: with ``self_loops`` they weigh 2.
    """

    K: int = 2
    self_loops: bool = True
    data_loops: bool = False


CARD = Card(
    "SGC",
    "Wu et al.: Simplifying Graph Convolutional Networks, ICML",
    2019,
    "polynomial filter",
    "X, once",
    "n d c",
)


@register("sgc", Config, CARD)
class SGC(nn.Module):
    """Logistic regression on features smoothed K times."""

    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.head = nn.Linear(d, classes)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Features:
        """K products, once; of V only the last hop is kept."""
        return SGC.filtered(SGC.factorise(graph, X, config, arcs), config)

    @staticmethod
    def factorise(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Basis:
        """V of as many hops as the Config has; fewer are its beginning."""
        P = smoothing(graph, X, arcs, data_loops=config.data_loops, self_loops=config.self_loops)
        return Basis.by(P, X, config.K)

    @staticmethod
    def filtered(basis: Basis, config: Any) -> Features:
        """P^K X from V."""
        return Features(basis.hop(config.K))

    def forward(self, inputs: Features) -> Tensor:
        """Logits of the rows that the inputs hold."""
        logits: Tensor = self.head(inputs.X)
        return logits

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) at eigenvalues of I - P, in [0, 2]; with self-loops, of the P that has them."""
        return torch.pow(1 - lam, self.config.K)

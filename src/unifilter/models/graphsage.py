"""GraphSAGE. Hamilton, Ying, Leskovec: Inductive Representation Learning on Large Graphs, NeurIPS 2017.

Filters H at every layer: H' = relu(D^-1 A H W_N + H W_S + b), means over all neighbours; one product a layer.

The mean aggregator of PyTorch Geometric's ``SAGEConv``, on an undirected graph the same function; W_N is
applied before the mean, which is cheaper where columns get fewer. The authors sample neighbours in
mini-batches; here every step sees all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._operators import averaging
from unifilter.models._registry import Card, register
from unifilter.models._stack import Shape, Stack
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config(Shape):
    """Options of GraphSAGE, beside those of :class:`unifilter.models._stack.Shape`.

    Parameters
    ----------
    self_loops : bool
        Whether a node counts among its neighbours.
    unit : bool
        Scale every row to length 1 after a convolution, as the paper's algorithm has it.
    directed : bool
        Mean over the arcs u -> v as they came; otherwise the graph is undirected.
    """

    self_loops: bool = False
    unit: bool = False
    directed: bool = False


CARD = Card(
    "GraphSAGE",
    "Hamilton, Ying, Leskovec: Inductive Representation Learning on Large Graphs, NeurIPS",
    2017,
    "message passing",
    "H, one product a layer",
    "2 n d h + L m h",
)


class Convolution(nn.Module):
    """M (H W_N) + H W_S + b with M the means."""

    def __init__(self, d: int, out: int, unit: bool) -> None:
        super().__init__()
        self.unit = unit
        self.neighbours = nn.Linear(d, out, bias=False)
        self.own = nn.Linear(d, out)

    def forward(self, H: Tensor, M: Any) -> Tensor:
        """One product, of ``out`` columns."""
        Y: Tensor = M @ self.neighbours(H) + self.own(H)
        return normalize(Y, dim=1) if self.unit else Y


@register("graphsage", Config, CARD)
class GraphSAGE(nn.Module):
    """Layers that keep a node's own features apart from its neighbours' mean."""

    takes_bags = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.stack = Stack(config, d, config.hidden, classes, self._convolution, torch.relu)

    def _convolution(self, d: int, out: int, last: bool) -> Convolution:
        return Convolution(d, out, self.config.unit and not last)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """The means."""
        return Whole(X, {"M": averaging(graph, X, arcs, config.directed, self_loops=config.self_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        return inputs.pick(self.stack(inputs.X, inputs["M"]))

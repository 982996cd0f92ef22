"""GCN. Kipf, Welling: Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017.

Filters H at every layer: H' = relu(P H W + b), one product with P a layer; P with self-loops.

The same function as PyTorch Geometric's ``GCNConv``, except for its conventions: that layer sums over
arriving arcs where most published numbers sum over leaving ones, and gives weight 1 to a self-loop that A + I
counts twice. Both are options here, so P is multiplied by directly. The authors' two
repositories differ: the first has no bias and decays only the first layer's weight (group "first"), the
second has P = D^-1 (A + I) (``average``), uniform weights and decays everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._operators import averaging, smoothing
from unifilter.models._registry import Card, register
from unifilter.models._stack import Shape, Stack
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config(Shape):
    """Options of GCN, beside those of :class:`unifilter.models._stack.Shape`.

    Parameters
    ----------
    bias : bool
    init : {"glorot", "uniform"}
        Glorot's weights and zero biases, or both uniform in +-1/sqrt(out).
    average : bool
        P = D^-1 (A + I) instead of the symmetric one.
    directed : bool
        Sum over the arcs u -> v as they came, out-degrees on both sides; otherwise the graph is undirected.
    data_loops : bool
        Keep self-loops of the data beside the added ones, so that they weigh 2.
    """

    bias: bool = True
    init: Literal["glorot", "uniform"] = "glorot"
    average: bool = False
    directed: bool = False
    data_loops: bool = False


CARD = Card(
    "GCN",
    "Kipf, Welling: Semi-Supervised Classification with Graph Convolutional Networks, ICLR",
    2017,
    "message passing",
    "H, one product a layer",
    "n d h + L m h",
)


class Convolution(nn.Module):
    """P (H W) + b."""

    def __init__(self, d: int, out: int, bias: bool, init: str) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d, out))
        self.bias = nn.Parameter(torch.zeros(out)) if bias else None
        if init == "glorot":
            nn.init.xavier_uniform_(self.weight)
            return
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -1 / math.sqrt(out), 1 / math.sqrt(out))

    def forward(self, H: Tensor, P: Any) -> Tensor:
        """One product, of ``out`` columns."""
        Y: Tensor = P @ (H @ self.weight)
        return Y if self.bias is None else Y + self.bias


@register("gcn", Config, CARD)
class GCN(nn.Module):
    """Layers of smoothing and a linear map.

    Examples
    --------
    >>> from unifilter.data import load
    >>> data = load("sbm:n=300,h=0.9")
    >>> inputs = GCN.prepare(data.graph, data.features(), Config())
    >>> GCN(Config(), data.d, 5)(inputs).shape
    torch.Size([300, 5])
    """

    takes_bags = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.stack = Stack(config, d, config.hidden, classes, self._convolution, torch.relu)

    def _convolution(self, d: int, out: int, last: bool) -> Convolution:
        return Convolution(d, out, self.config.bias, self.config.init)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """P by the chosen conventions."""
        build = averaging if config.average else smoothing
        return Whole(X, {"P": build(graph, X, arcs, config.directed, config.data_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        return inputs.pick(self.stack(inputs.X, inputs["P"]))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The first layer's weight, the only one that the authors' first code decays, and the rest."""
        first = dict(self.named_parameters())["stack.convolutions.0.weight"]
        return {"first": [first], "rest": [p for p in self.parameters() if p is not first]}

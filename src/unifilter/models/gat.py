"""GAT. Veličković et al.: Graph Attention Networks, ICLR 2018.

Filters H at every layer with weights that it learns, over a node's neighbours and itself:
out_i = sum_j softmax_j(leaky(a_1 z_i + a_2 z_j)) z_j with z = W h. Memory is O(m heads). Weights of edges
are not used.

PyTorch Geometric's ``GATConv``. The authors' code moreover drops projected features, draws an input mask for
every head, and has scalar biases in the attention. Most published numbers on 48/32/20 splits come from a
re-implementation that puts an ELU on the logits (``output_elu``), reads directed arcs, and on its sparse path
uses exp(-leaky(.)), which is not offered here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._operators import edge_index
from unifilter.models._registry import Card, register
from unifilter.models._stack import Shape, Stack
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config(Shape):
    """Options of GAT, beside those of :class:`unifilter.models._stack.Shape`.

    Parameters
    ----------
    hidden : int
        Columns of one head.
    heads, output_heads : int
        Heads of the hidden layers, concatenated, and of the last one, averaged.
    attention_dropout : float
        Rate on the attention coefficients.
    activation : {"elu", "relu"}
    output_elu : bool
        An ELU on the logits.
    bias, self_loops : bool
        Whether layers have a bias, and nodes listen to themselves.
    directed : bool
        Node u listens to v for arcs u -> v as they came; otherwise the graph is undirected.
    """

    hidden: int = 8
    dropout: float = 0.6
    input_dropout: float = 0.6
    heads: int = 8
    output_heads: int = 1
    attention_dropout: float = 0.6
    activation: Literal["elu", "relu"] = "elu"
    output_elu: bool = False
    bias: bool = True
    self_loops: bool = True
    directed: bool = False


CARD = Card(
    "GAT",
    "Veličković et al.: Graph Attention Networks, ICLR",
    2018,
    "attention",
    "H, one attention a layer",
    "n d h + L m h",
)


@register("gat", Config, CARD)
class GAT(nn.Module):
    """Layers of attention over neighbours."""

    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        activation = elu if config.activation == "elu" else torch.relu
        width = config.hidden * config.heads
        self.stack = Stack(config, d, width, classes, self._convolution, activation)

    def _convolution(self, d: int, out: int, last: bool) -> nn.Module:
        from torch_geometric.nn import GATConv

        c = self.config
        options = {"dropout": c.attention_dropout, "add_self_loops": False, "bias": c.bias}
        if last:
            conv: nn.Module = GATConv(d, out, c.output_heads, concat=False, **options)
        else:
            conv = GATConv(d, c.hidden, c.heads, **options)
        return conv

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """The pairs that attend."""
        return Whole(X, {"edges": edge_index(graph, X, arcs, config.directed, config.self_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        logits = self.stack(inputs.X, inputs["edges"])
        return inputs.pick(elu(logits) if self.config.output_elu else logits)

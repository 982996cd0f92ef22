"""GAT. Veličković et al.: Graph Attention Networks, ICLR 2018.

Filters H at every layer with weights that it learns, over a node's neighbours and itself:
out_i = sum_j softmax_j(leaky(a_1 z_i + a_2 z_j)) z_j with z = W h. Memory is O(m heads). Weights of edges
are not used.

PyTorch Geometric's ``GATConv``, with its parameters; but messages z_j of all arcs are not written out: heads
are sparse matrices with learned entries (:class:`unifilter.graph.pattern.Pattern`). The authors' code
moreover drops projected features, draws an input mask for every head, and has scalar biases in the attention.
Most published numbers on 48/32/20 splits come from a re-implementation that puts an ELU on the logits
(``output_elu``), reads directed arcs, and on its sparse path uses exp(-leaky(.)), no bias and a wider start;
that path is not offered here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import elu, leaky_relu

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.graph.pattern import Pattern
from unifilter.models._layers import dropout
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


class Attention(nn.Module):
    """A layer: ``GATConv`` of PyTorch Geometric for nodes that say themselves whom they listen to.

    Parameters
    ----------
    d, out, heads : int
        Columns of the input, of one head, and how many heads there are.
    concat : bool
        Heads side by side, or their mean.
    bias : bool
    dropout : float
        Rate on the attention coefficients.
    """

    def __init__(self, d: int, out: int, heads: int, concat: bool, bias: bool, dropout: float) -> None:
        super().__init__()
        self.out, self.heads, self.concat, self.dropout = out, heads, concat, dropout
        self.lin = nn.Linear(d, heads * out, bias=False)
        self.att_src, self.att_dst = (nn.Parameter(torch.empty(1, heads, out)) for _ in range(2))
        self.bias = nn.Parameter(torch.zeros(heads * out if concat else out)) if bias else None
        for W in (self.lin.weight, self.att_src, self.att_dst):
            bound = math.sqrt(6 / (W.shape[-2] + W.shape[-1]))
            nn.init.uniform_(W, -bound, bound)

    def forward(self, H: Tensor, places: Pattern) -> Tensor:
        """(n, d) to (n, heads out), or to (n, out) for the mean."""
        z = self.lin(H).unflatten(1, (self.heads, self.out))
        at, to = ((z * a).sum(dim=2).T for a in (self.att_dst, self.att_src))
        share = places.softmax(leaky_relu(places.sums(at, to), 0.2))
        share = dropout(share, self.dropout, self.training)
        heads = places.product(share, z.transpose(0, 1)).transpose(0, 1)
        joined = heads.flatten(1) if self.concat else heads.mean(dim=1)
        return joined if self.bias is None else joined + self.bias


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
        c = self.config
        shape = (d, out, c.output_heads) if last else (d, c.hidden, c.heads)
        return Attention(*shape, concat=not last, bias=c.bias, dropout=c.attention_dropout)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """The pairs that attend."""
        j, i = edge_index(graph, X, arcs, config.directed, config.self_loops).cpu().numpy()
        return Whole(X, {"places": Pattern.of(i, j, graph.n).to(X.device)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        logits = self.stack(inputs.X, inputs["places"])
        return inputs.pick(elu(logits) if self.config.output_elu else logits)

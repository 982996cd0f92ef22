"""Ordered GNN. Song et al.: Ordered GNN: Ordering Message Passing to Deal with Heterophily, ICLR 2023.

Filters H at every layer, one product each: with m = D^-1 (A + I) H, means over neighbours and oneself,

    c = cumsum(softmax([H, m] W + b)),    g' = g + (1 - g) c,    H' = layer_norm(H g' + m (1 - g'))

from g = 0 on. The gate has ``chunks`` entries, each for hidden / chunks columns, and only grows, so that
nearer hops keep the columns they have taken. The authors' settings say "no self-loops", but their code
inserts them. On Chameleon and Squirrel it replaces X by the identity (``identity``): then the first weight
has a column a node, and new nodes cannot be predicted. PyTorch Geometric has no such layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._operators import averaging
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of Ordered GNN.

    Parameters
    ----------
    hidden, layers, chunks : int
        Width, convolutions, entries of the gate; chunks divides hidden.
    input_layers : int
        Linear layers before the convolutions.
    dropout, layer_dropout : float
        Rates before linear layers and before convolutions.
    one_gate : bool
        The same W and b in every layer.
    identity : bool
        The identity matrix in place of X.
    self_loops : bool
        Whether the mean has the node itself in it.
    directed, transposed : bool
        Mean over the arcs u -> v as they came, or over those that arrive; otherwise the graph is undirected.
    """

    hidden: int = 64
    layers: int = 4
    chunks: int = 16
    input_layers: int = 1
    dropout: float = 0.2
    layer_dropout: float = 0.2
    one_gate: bool = False
    identity: bool = False
    self_loops: bool = True
    directed: bool = False
    transposed: bool = False

    def __post_init__(self) -> None:
        if self.chunks < 1 or self.hidden % self.chunks:
            raise ValueError(f"chunks must divide hidden = {self.hidden}, but is {self.chunks}.")


CARD = Card(
    "Ordered GNN",
    "Song et al.: Ordered GNN: Ordering Message Passing to Deal with Heterophily and Over-smoothing, ICLR",
    2023,
    "message passing",
    "H, one product a layer",
    "n d h + L (m h + n h^2)",
)


@register("orderedgnn", Config, CARD)
class OrderedGNN(nn.Module):
    """Hops in their order, each in columns of its own."""

    takes_bags = True
    uses_arcs = True
    uses_nodes = True

    def __init__(self, config: Config, d: int, classes: int, nodes: int) -> None:
        super().__init__()
        self.config = config
        width = config.hidden
        widths = [nodes if config.identity else d] + [width] * (config.input_layers - 1)
        self.inputs = nn.ModuleList(nn.Linear(w, width) for w in widths)
        self.input_norms = nn.ModuleList(nn.LayerNorm(width) for _ in widths)
        gates = 1 if config.one_gate else config.layers
        self.gates = nn.ModuleList(nn.Linear(2 * width, config.chunks) for _ in range(gates))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(config.layers))
        self.last = nn.Linear(width, classes)

    @property
    def node_parameters(self) -> tuple[str, ...]:
        """The first weight, if X is the identity."""
        return ("inputs.0.weight",) if self.config.identity else ()

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """The means; of the identity only the diagonal is kept."""
        M = averaging(
            graph,
            X,
            arcs,
            config.directed,
            self_loops=config.self_loops,
            transposed=config.transposed,
        )
        return Whole(X.new_ones(graph.n, 1) if config.identity else X, {"M": M})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        c, H = self.config, inputs.X
        for i, (linear, norm) in enumerate(zip(self.inputs, self.input_norms, strict=True)):
            H = dropout(H, c.dropout, self.training)
            H = norm(torch.relu(_diagonal(linear, H) if c.identity and i == 0 else linear(H)))
        g = H.new_zeros(H.shape[0], c.chunks)
        for i, norm in enumerate(self.norms):
            H = dropout(H, c.layer_dropout, self.training)
            m = inputs["M"] @ H
            raw = torch.softmax(self.gates[0 if c.one_gate else i](torch.cat([H, m], dim=1)), dim=1)
            g = g + (1 - g) * torch.cumsum(raw, dim=1)
            wide = g[:, :, None].expand(-1, -1, c.hidden // c.chunks).flatten(1)
            H = norm(H * wide + m * (1 - wide))
        return inputs.pick(self.last(dropout(H, c.dropout, self.training)))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """As the authors decay them; their input norms are in no group and stay as they start."""
        return {
            "convolutions": [*self.gates.parameters(), *self.norms.parameters()],
            "linear": [*self.inputs.parameters(), *self.last.parameters()],
            "input_norms": list(self.input_norms.parameters()),
        }


def _diagonal(linear: Any, h: Tensor) -> Tensor:
    """The linear layer on diag(h), which is what dropout leaves of the identity."""
    Y: Tensor = h * linear.weight.T + linear.bias
    return Y

"""LINKX. Lim et al.: Large Scale Learning on Non-Homophilous Graphs, NeurIPS 2021.

Filters nothing: rows of A are features beside those of X,

    H_A = MLP_A(A),  H_X = MLP_X(X),  logits = MLP_f(relu([H_A, H_X] W + b + H_A + H_X)),

one product with A a step. The weight of A has a column a node, so new nodes cannot be predicted.

The same function as PyTorch Geometric's ``LINKX``, which stores W as two layers (two biases, another start)
and multiplies by A transposed. An MLP of k layers is (linear, ReLU, batch norm, dropout) k - 1 times and a
linear layer; only MLP_f has dropout. The authors train with AdamW.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from warnings import catch_warnings, filterwarnings

import torch
from torch import Tensor, nn

from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._operators import adjacency
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of LINKX.

    Parameters
    ----------
    hidden : int
        Width of every layer.
    A_layers, X_layers, layers : int
        Layers of MLP_A, MLP_X and MLP_f.
    dropout : float
        Of MLP_f.
    self_loops : bool
        Whether A has a self-loop on every node, as in the authors' files.
    """

    hidden: int = 64
    A_layers: int = 1
    X_layers: int = 1
    layers: int = 2
    dropout: float = 0.5
    self_loops: bool = False


CARD = Card(
    "LINKX",
    "Lim et al.: Large Scale Learning on Non-Homophilous Graphs, NeurIPS",
    2021,
    "message passing",
    "rows of A, one product a step",
    "(n d + m) h + L n h^2",
)


class MLP(nn.Module):
    """Linear layers; ReLU, batch normalisation and dropout between them, in this order."""

    def __init__(self, widths: list[int], dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(nn.BatchNorm1d(w) for w in widths[1:-1])

    def forward(self, x: Tensor, A: Any = None) -> Tensor:
        """The layers on x, or on a matrix A of as many columns, which then only multiplies."""
        first: Any = self.layers[0]
        y: Tensor = first(x) if A is None else A @ first.weight.T.contiguous() + first.bias
        for norm, layer in zip(self.norms, list(self.layers)[1:], strict=True):
            y = layer(dropout(norm(torch.relu(y)), self.dropout, self.training))
        return y


@register("linkx", Config, CARD)
class LINKX(nn.Module):
    """Who a node's neighbours are, and what it is like."""

    takes_bags = True
    uses_nodes = True
    node_parameters = ("A.layers.0.weight",)

    def __init__(self, config: Config, d: int, classes: int, nodes: int) -> None:
        super().__init__()
        self.config = config
        width = config.hidden
        self.A = MLP([nodes] + [width] * config.A_layers)
        with catch_warnings():  # without features this is a bias, and torch says that it drew nothing
            filterwarnings("ignore", "Initializing zero-element tensors")
            self.X = MLP([d] + [width] * config.X_layers)
        self.join = nn.Linear(2 * width, width)
        self.last = MLP([width] * config.layers + [classes], config.dropout)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """A."""
        return Whole(X, {"A": adjacency(graph, X, config.self_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        H_A, H_X = self.A(inputs.X, inputs["A"]), self.X(inputs.X)
        joined = self.join(torch.cat([H_A, H_X], dim=1)) + H_A + H_X
        return inputs.pick(self.last(torch.relu(joined)))

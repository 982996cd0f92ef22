"""GCNII. Chen et al.: Simple and Deep Graph Convolutional Networks, ICML 2020.

Filters H at every layer, one product with P each, P with self-loops: with H_0 = relu(X W_in + b_in),

    S = (1 - alpha) P H + alpha H_0,    H' = relu(theta S W + (1 - theta) S)

in layer l = 1, 2, ... with theta = ln(lam / l + 1).

The same function as PyTorch Geometric's ``GCN2Conv`` with shared weights, but weights start uniform in
+-1/sqrt(hidden), and direction and self-loops are options. For GCNII* (``star``) the authors' code multiplies
[P H, H_0] by its weights without the factors 1 - alpha and alpha that the paper and ``GCN2Conv`` have: the
same functions, from a different start and with a different decay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._operators import smoothing
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of GCNII.

    Parameters
    ----------
    hidden, layers : int
        Width and number of the convolutions.
    alpha, lam : float
        Share of H_0 in every layer, and how slowly the identity takes over.
    star : {"no", "code", "paper"}
        GCNII, or GCNII* as the authors' code or their paper has it.
    dropout : float
        On X, before every layer, and before the output.
    directed : bool
        Sum over the arcs u -> v as they came, out-degrees on both sides; otherwise the graph is undirected.
    data_loops : bool
        Keep self-loops of the data beside the added ones, so that they weigh 2.
    """

    hidden: int = 64
    layers: int = 8
    alpha: float = 0.1
    lam: float = 0.5
    star: Literal["no", "code", "paper"] = "no"
    dropout: float = 0.5
    directed: bool = False
    data_loops: bool = False


CARD = Card(
    "GCNII",
    "Chen et al.: Simple and Deep Graph Convolutional Networks, ICML",
    2020,
    "message passing",
    "H, one product a layer",
    "n d h + L (m h + n h^2)",
)


@register("gcnii", Config, CARD)
class GCNII(nn.Module):
    """Many layers that remember where they started."""

    takes_bags = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        width, bound = config.hidden, 1 / math.sqrt(config.hidden)
        rows = width if config.star == "no" else 2 * width
        self.first, self.last = nn.Linear(d, width), nn.Linear(width, classes)
        self.weights = nn.ParameterList(
            nn.Parameter(torch.empty(rows, width).uniform_(-bound, bound)) for _ in range(config.layers)
        )

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """P by the chosen conventions."""
        return Whole(X, {"P": smoothing(graph, X, arcs, config.directed, config.data_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        H = H_0 = torch.relu(self.first(self._drop(inputs.X)))
        for layer, W in enumerate(self.weights, start=1):
            H = torch.relu(self._mapped(inputs["P"] @ self._drop(H), H_0, W, layer))
        return inputs.pick(self.last(self._drop(H)))

    def _mapped(self, PH: Tensor, H_0: Tensor, W: Tensor, layer: int) -> Tensor:
        c = self.config
        theta = math.log(c.lam / layer + 1)
        near, far = (1 - c.alpha) * PH, c.alpha * H_0
        S = near + far
        if c.star == "no":
            return theta * (S @ W) + (1 - theta) * S
        pair = torch.cat([PH, H_0] if c.star == "code" else [near, far], dim=1)
        return theta * (pair @ W) + (1 - theta) * S

    def _drop(self, x: Tensor) -> Tensor:
        return dropout(x, self.config.dropout, self.training)

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """Convolutions and linear layers, which the authors' semi-supervised runs decay differently."""
        return {
            "convolutions": list(self.weights),
            "linear": [*self.first.parameters(), *self.last.parameters()],
        }

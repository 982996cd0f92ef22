"""ACM-GCN. Luan et al.: Revisiting Heterophily For Graph Neural Networks, NeurIPS 2022.

Filters H at every layer, low-pass, high-pass and not at all, and weighs the three for every node:

    H_L = relu(P H W_L),  H_H = relu((I - P) H W_H),  H_I = relu(H W_I),    P = D^-1 (A + I)
    a = softmax(sigmoid([H_L w_L, H_H w_H, H_I w_I]) M / 3),    H' = 3 (a_L H_L + a_H H_H + a_I H_I)

Two products with P a layer; (I - P) Y is Y - P Y, so P stays sparse. No biases. In ACMII the ReLU comes
before the filter. The factor 3 is in the authors' code, also before the logits, and not in the paper:
``factor``. Their published settings were chosen by test accuracy. Their ACM-GCN+ and ++ (layer norm, a
channel of raw rows of A, a residual) are not offered. PyTorch Geometric has no such layer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

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
    """Options of ACM-GCN.

    Parameters
    ----------
    hidden, layers : int
        Width and number of the layers.
    dropout : float
        Before every layer.
    variant : {"acm", "acmii"}
        Filter, then ReLU, or the other way round.
    factor : float
        What the weighted sum is multiplied by: 3 in the authors' code, 1 in the paper.
    data_loops : bool
        Keep self-loops of the data beside the added ones, so that they weigh 2.
    """

    hidden: int = 64
    layers: int = 2
    dropout: float = 0.5
    variant: Literal["acm", "acmii"] = "acm"
    factor: float = 3.0
    data_loops: bool = False


CARD = Card(
    "ACM-GCN",
    "Luan et al.: Revisiting Heterophily For Graph Neural Networks, NeurIPS",
    2022,
    "message passing",
    "H, two products a layer",
    "3 n d h + 2 L m h",
)


class Layer(nn.Module):
    """Three channels and their weights."""

    def __init__(self, d: int, out: int, variant: str, factor: float) -> None:
        super().__init__()
        self.variant, self.factor = variant, factor
        bound = 1 / math.sqrt(out)
        self.weight = nn.Parameter(torch.empty(3, d, out).uniform_(-bound, bound))
        # Uniform in +-1: the authors take the fan from the single column.
        self.score = nn.Parameter(torch.empty(3, out).uniform_(-1, 1))
        self.mix = nn.Parameter(torch.empty(3, 3).uniform_(-1 / math.sqrt(3), 1 / math.sqrt(3)))

    def forward(self, H: Tensor, P: Any) -> Tensor:
        """(n, d) to (n, out)."""
        low, high, own = (H @ W for W in self.weight)
        if self.variant == "acmii":
            low, high, own = torch.relu(low), torch.relu(high), torch.relu(own)
        channels = torch.stack([P @ low, high - P @ high, own])
        if self.variant == "acm":
            channels = torch.relu(channels)
        scores = torch.sigmoid(torch.einsum("cno,co->nc", channels, self.score))
        a = torch.softmax(scores @ self.mix / 3, dim=1)
        return self.factor * torch.einsum("nc,cno->no", a, channels)


@register("acmgcn", Config, CARD)
class ACMGCN(nn.Module):
    """Every node chooses between smoothing, sharpening and itself."""

    takes_bags = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        widths = [d] + [config.hidden] * (config.layers - 1) + [classes]
        self.layers = nn.ModuleList(Layer(a, b, config.variant, config.factor) for a, b in pairwise(widths))

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """D^-1 (A + I), undirected."""
        return Whole(X, {"P": averaging(graph, X, arcs, data_loops=config.data_loops)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        H = inputs.X
        for i, layer in enumerate(self.layers):
            H = torch.relu(H) if i else H
            H = layer(dropout(H, self.config.dropout, self.training), inputs["P"])
        return inputs.pick(H)

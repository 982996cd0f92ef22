"""SIGN. Frasca et al.: Scalable Inception Graph Neural Networks, 2020.

Filters X, once: the hops X, P X, ..., P^K X are kept apart and a network on every row mixes them. P with
self-loops.

The paper and the authors' code mix them differently, see ``mixing``; on directed graphs that code appends
hops along the arcs and against them, which are not offered here. PyTorch Geometric's example is the paper's
network with K = 2 and no self-loops. Hops are mixes of V. Alone they cost more than K products would, but V
of the most hops serves every smaller K of a search or a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from unifilter.graph import Graph
from unifilter.models._basis import Basis
from unifilter.models._registry import Card, register
from unifilter.models._rows import Features


@dataclass(frozen=True)
class Config:
    """Options of SIGN.

    Parameters
    ----------
    K : int
        Hops.
    mixing : {"released", "paper"}
        "released": one MLP on all hops side by side, whose first layer sums the hops' maps. "paper": a linear
        map for each hop, relu([X W_0 | P X W_1 | ...]) W, so that hops meet only in the last layer.
    hidden : int
        Width of the MLP, or of each hop's map.
    layers : int
        Of the MLP; the paper's mixing always has two.
    dropout : float
        Rate after every hidden layer; there is none on the features.
    batch_norm : bool
        After every hidden layer of the MLP.
    self_loops : bool
        Whether every node is its own neighbour, as the authors have it.
    """

    K: int = 3
    mixing: Literal["released", "paper"] = "released"
    hidden: int = 256
    layers: int = 3
    dropout: float = 0.5
    batch_norm: bool = True
    self_loops: bool = True

    def __post_init__(self) -> None:
        if self.mixing not in ("released", "paper"):
            raise ValueError(f'mixing must be "released" or "paper", but is {self.mixing!r}.')


CARD = Card(
    "SIGN",
    "Frasca et al.: SIGN: Scalable Inception Graph Neural Networks",
    2020,
    "polynomial filter",
    "X, once",
    "n K d h",
)


@register("sign", Config, CARD)
class SIGN(nn.Module):
    """A network on hops that were propagated once."""

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        hops = config.K + 1
        if config.mixing == "paper":
            self.net: nn.Module = Branches(hops, d, config.hidden, classes, config.dropout)
        else:
            self.net = perceptron(hops * d, classes, config)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Features:
        """All hops of every node, (n, K+1, d): K products, once."""
        return SIGN.filtered(SIGN.factorise(graph, X, config), config)

    @staticmethod
    def factorise(graph: Graph, X: Tensor, config: Any) -> Basis:
        """V of as many hops as the Config has; fewer are its beginning."""
        return Basis.of(graph, X, config.K, config.self_loops)

    @staticmethod
    def filtered(basis: Basis, config: Any) -> Features:
        """X, P X, ..., P^K X from V."""
        return Features(basis.first(config.K).hops())

    def forward(self, inputs: Features) -> Tensor:
        """Logits of the rows that the inputs hold."""
        logits: Tensor = self.net(inputs.X)
        return logits


class Branches(nn.Module):
    """relu([X_0 W_0 | ... | X_K W_K]) W, with bias and dropout."""

    def __init__(self, hops: int, d: int, hidden: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(d, hidden) for _ in range(hops))
        self.head = nn.Sequential(nn.ReLU(), nn.Dropout(dropout), nn.Linear(hops * hidden, classes))

    def forward(self, X: Tensor) -> Tensor:
        """(n, hops, d) to (n, classes)."""
        logits: Tensor = self.head(torch.cat([f(X[:, k]) for k, f in enumerate(self.maps)], dim=1))
        return logits


def perceptron(width: int, classes: int, config: Config) -> nn.Sequential:
    """Linear, batch norm, ReLU and dropout for every hidden layer, then a linear one."""
    parts: list[nn.Module] = [nn.Flatten()]
    for _ in range(config.layers - 1):
        parts.append(nn.Linear(width, config.hidden))
        if config.batch_norm:
            parts.append(nn.BatchNorm1d(config.hidden))
        parts += [nn.ReLU(), nn.Dropout(config.dropout)]
        width = config.hidden
    return nn.Sequential(*parts, nn.Linear(width, classes))

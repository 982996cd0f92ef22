"""FSGNN. Maurya, Liu, Murata: Improving Graph Neural Networks with Simple Architecture Design, 2021.

Filters X: the hops P^k X without self-loops and with them, each mapped by a linear layer of its own, its rows
normalised, and weighed by a soft-max gate that all nodes share; then ReLU and one linear layer. After
``prepare`` no step propagates. The gates say which hops are read.

On graphs that came with directions the authors' figures use them: row u of A sums over the arcs u -> v, and
self-loops of the data stay (``directed`` and ``data_loops``). A directed P is not symmetric and has no V, so
hops are taken by products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from unifilter._types import IntArray, Matmul
from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._operators import smoothing
from unifilter.models._registry import Card, register
from unifilter.models._rows import Features


@dataclass(frozen=True)
class Config:
    """Options of FSGNN.

    Parameters
    ----------
    K : int
        Hops.
    hops : {"all", "loops", "plain"}
        Which beside X: powers of both matrices; only with self-loops, which suits homophily; only without.
    hidden : int
        Width that every hop is mapped to.
    dropout : float
        Before the last layer.
    hop_norm : bool
        Divide every mapped hop's rows by their Euclidean norms.
    directed : bool
        Sum over the arcs that leave a node; needs the edges as they came.
    data_loops : bool
        Keep the self-loops that the data came with; where loops are added, those weigh 2.
    """

    K: int = 3
    hops: Literal["all", "loops", "plain"] = "all"
    hidden: int = 64
    dropout: float = 0.5
    hop_norm: bool = True
    directed: bool = False
    data_loops: bool = False

    def __post_init__(self) -> None:
        if self.hops not in ("all", "loops", "plain"):
            raise ValueError(f'hops must be "all", "loops" or "plain", but is {self.hops!r}.')

    @property
    def count(self) -> int:
        """Number of hops, X included."""
        return 1 + self.K * (2 if self.hops == "all" else 1)


CARD = Card(
    "FSGNN",
    "Maurya, Liu, Murata: Improving Graph Neural Networks with Simple Architecture Design",
    2021,
    "feature selection",
    "X, once",
    "2 n K d h",
)


@register("fsgnn", Config, CARD)
class FSGNN(nn.Module):
    """A gated layer over separate hops, then a linear one."""

    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = nn.ModuleList(nn.Linear(d, config.hidden) for _ in range(config.count))
        self.gate = nn.Parameter(torch.ones(config.count))
        self.second = nn.Linear(config.hidden * config.count, classes)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Features:
        """The hops side by side, (n, count, d): X, then for every k without loops and with them."""
        raw = config.directed, config.data_loops
        matrices: list[Matmul] = []
        if config.hops != "loops":
            matrices.append(smoothing(graph, X, arcs, *raw, self_loops=False))
        if config.hops != "plain":
            matrices.append(smoothing(graph, X, arcs, *raw))
        hops, latest = [X], [X for _ in matrices]
        for _ in range(config.K):
            latest = [A @ Y for A, Y in zip(matrices, latest, strict=True)]
            hops += latest
        return Features(torch.stack(hops, dim=1))

    def forward(self, inputs: Features) -> Tensor:
        """Logits of the rows that the inputs hold."""
        gates = torch.softmax(self.gate, dim=0)
        mapped = [layer(inputs.X[:, k]) for k, layer in enumerate(self.first)]
        if self.config.hop_norm:
            mapped = [normalize(Y, dim=1) for Y in mapped]
        Z = torch.relu(torch.cat([g * Y for g, Y in zip(gates, mapped, strict=True)], dim=1))
        logits: Tensor = self.second(dropout(Z, self.config.dropout, self.training))
        return logits

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: the maps of the hops; the last layer; the gates."""
        return {
            "first": list(self.first.parameters()),
            "second": list(self.second.parameters()),
            "gates": [self.gate],
        }

    def learned(self) -> dict[str, float]:
        """The gate of every hop, in the order of ``prepare``."""
        gates = torch.softmax(self.gate.detach(), dim=0)
        return {f"gate_{k}": float(g) for k, g in enumerate(gates)}

"""MLP on the node's own features: what can be had without the graph. Filters nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from unifilter.graph import Graph
from unifilter.models import _layers
from unifilter.models._registry import Card, register
from unifilter.models._rows import Features


@dataclass(frozen=True)
class Config:
    """Options of the MLP.

    Parameters
    ----------
    hidden, layers : int
        Width and number of layers; 1 layer is a linear model.
    dropout : float
        Before every layer.
    batch_norm : bool
        After every layer but the last.
    """

    hidden: int = 64
    layers: int = 2
    dropout: float = 0.5
    batch_norm: bool = False


CARD = Card(
    "MLP",
    "Rosenblatt: The Perceptron; the floor of every comparison",
    1958,
    "features only",
    "nothing",
    "n d h",
)


@register("mlp", Config, CARD)
class MLP(nn.Module):
    """Linear layers with ReLU and dropout."""

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        widths = [d] + [config.hidden] * (config.layers - 1) + [classes]
        self.mlp = _layers.MLP(widths, config.dropout, config.batch_norm, bias=True, paper_init=False)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Features:
        """The features as they are."""
        return Features(X)

    def forward(self, inputs: Features) -> Tensor:
        """Logits of the rows that the inputs hold."""
        logits: Tensor = self.mlp(inputs.X)
        return logits

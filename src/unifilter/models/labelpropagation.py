"""Label propagation. Zhou et al.: Learning with Local and Global Consistency, NeurIPS 2003.

Filters the training labels, K products a prediction, without self-loops:

    F_0 = Y,     F_k = alpha P F_{k-1} + (1 - alpha) Y,     F_K -> (1 - alpha) (I - alpha P)^-1 Y.

Nothing is learned: what can be had without features. The older variant of Zhu and Ghahramani (Learning from
Labeled and Unlabeled Data with Label Propagation, 2002), the harmonic function with the labels as boundary
values, is ``alpha=1, clamp=True, normalization="row"``. Unlike PyTorch Geometric's ``LabelPropagation``, F is
not cut to [0, 1] after every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.graph import Graph, propagation
from unifilter.models._operators import Scaled, averaging
from unifilter.models._registry import Card, register
from unifilter.models._sized import WithLabels
from unifilter.models._whole import Whole

Normalization = Literal["symmetric", "row", "column"]


@dataclass(frozen=True)
class Config:
    """Options of label propagation.

    Parameters
    ----------
    alpha : float
        Share of the neighbours in every step, in [0, 1].
    K : int
        Steps.
    clamp : bool
        Set training nodes back to their labels after every step.
    normalization : {"symmetric", "row", "column"}
        D^-1/2 A D^-1/2, D^-1 A or A D^-1.
    """

    alpha: float = 0.9
    K: int = 50
    clamp: bool = False
    normalization: Normalization = "symmetric"

    def __post_init__(self) -> None:
        check_share(self.alpha, "alpha")
        check_normalization(self.normalization, "normalization")


CARD = Card(
    "Label propagation",
    "Zhou et al.: Learning with Local and Global Consistency, NeurIPS; Zhu, Ghahramani, 2002",
    2003,
    "labels only",
    "labels, K products a prediction",
    "K m c, once",
)


@register("labelpropagation", Config, CARD)
class LabelPropagation(WithLabels):
    """Training labels, smoothed over the graph."""

    def __init__(self, config: Config, d: int, classes: int, labels: Tensor | None = None) -> None:
        super().__init__(labels)
        self.config, self.classes = config, classes

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """P; of X not a column, as features are not looked at."""
        return Whole(X[:, :0], {"P": operator(graph, X, config.normalization)})

    def solve(self, train: Any, val: Any) -> None:
        """There is nothing to learn."""

    def forward(self, inputs: Whole) -> Tensor:
        """Logarithms of F; where no label arrives, of the classes' shares among the training nodes."""
        config, P = self.config, inputs["P"]
        Y, known = seeds(self.labels, self.classes, inputs.X)
        F = Y
        for _ in range(config.K):
            F = config.alpha * (P @ F) + (1 - config.alpha) * Y
            if config.clamp:
                F = torch.where(known[:, None], Y, F)
        shares = Y.sum(dim=0) / known.sum().clamp_min(1)
        return inputs.pick(torch.log(F + 1e-9 * (shares + 1e-3)))


def operator(graph: Graph, X: Tensor, normalization: Normalization) -> Matmul:
    """D^-1/2 A D^-1/2, D^-1 A or A D^-1."""
    if normalization == "symmetric":
        return propagation(graph, False, X.dtype, X.device)
    if normalization == "row":
        return averaging(graph, X, self_loops=False)
    root = np.sqrt(graph.degrees)
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    left, right = (torch.from_numpy(s).to(X.device, X.dtype) for s in (root, inverse))
    return Scaled(propagation(graph, False, X.dtype, X.device), left, right)


def seeds(labels: Tensor, classes: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """One-hot labels, 0 where there is none, and where there is one."""
    if labels.shape[0] != like.shape[0]:
        raise ValueError(
            f"this model was given the labels of {labels.shape[0]} nodes, but the graph has {like.shape[0]}. "
            "It predicts only on the graph whose training labels it got."
        )
    own = labels[:, None] == torch.arange(classes, device=labels.device)
    return own.to(like.dtype), labels >= 0


def check_share(value: float, name: str) -> None:
    """A share lies in [0, 1]."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], but is {value}.")


def check_normalization(value: str, name: str) -> None:
    """One of three."""
    if value not in ("symmetric", "row", "column"):
        raise ValueError(f'{name} must be "symmetric", "row" or "column", but is {value!r}.')

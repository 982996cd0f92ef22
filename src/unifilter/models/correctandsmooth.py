"""Correct and Smooth. Huang et al.: Combining Label Propagation and Simple Models ..., ICLR 2021.

An MLP that does not know the graph is trained. A prediction p then takes two filters, 2 K products without
self-loops: its errors on the training nodes are spread over the graph and added (correct), training nodes are
set to their labels and the result is spread (smooth):

    E = filter_1((Y - p) on training nodes),   p' = p + scale E,   F = filter_2(Y on training nodes, else p').

Values are cut to [-1, 1] and [0, 1] after every step, as in the authors' code and in PyTorch Geometric's
``CorrectAndSmooth``, with which this agrees. The authors pick the MLP by its own validation accuracy and then
filter; here validation nodes judge the filtered prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.graph import Graph
from unifilter.models._layers import MLP
from unifilter.models._registry import Card, register
from unifilter.models._sized import WithLabels
from unifilter.models._whole import Whole
from unifilter.models.labelpropagation import (
    Normalization,
    check_normalization,
    check_share,
    operator,
    seeds,
)


@dataclass(frozen=True)
class Config:
    """Options of Correct and Smooth.

    Parameters
    ----------
    correct, smooth : float
        Share of the neighbours in every step of the two filters, in [0, 1].
    K : int
        Steps of each.
    scale : float or "auto"
        Of the spread errors. "auto" gives every node's the mean size of the errors on training nodes; a
        number keeps the training nodes' errors fixed while they spread.
    correct_by, smooth_by : {"symmetric", "row", "column"}
        D^-1/2 A D^-1/2, D^-1 A or A D^-1.
    hidden, layers : int
        Of the MLP; 1 layer is a linear model.
    dropout : float
        Before every layer of the MLP.
    batch_norm : bool
        After every layer but the last.
    """

    correct: float = 0.9
    smooth: float = 0.8
    K: int = 50
    scale: float | Literal["auto"] = "auto"
    correct_by: Normalization = "symmetric"
    smooth_by: Normalization = "symmetric"
    hidden: int = 64
    layers: int = 2
    dropout: float = 0.5
    batch_norm: bool = False

    def __post_init__(self) -> None:
        for name in ("correct", "smooth"):
            check_share(getattr(self, name), name)
            check_normalization(getattr(self, f"{name}_by"), f"{name}_by")


CARD = Card(
    "Correct and Smooth",
    "Huang et al.: Combining Label Propagation and Simple Models Out-performs Graph Neural Networks, ICLR",
    2021,
    "features, then labels",
    "predictions, 2K products each",
    "n d h; a prediction 2 K m c",
)


@register("correctandsmooth", Config, CARD)
class CorrectAndSmooth(WithLabels):
    """An MLP, corrected and smoothed by the training labels whenever it is not being trained."""

    def __init__(self, config: Config, d: int, classes: int, labels: Tensor | None = None) -> None:
        super().__init__(labels)
        self.config, self.classes = config, classes
        widths = [d] + [config.hidden] * (config.layers - 1) + [classes]
        self.mlp = MLP(widths, config.dropout, config.batch_norm, bias=True, paper_init=False)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """X and the two matrices."""
        matrices = {
            "correct": operator(graph, X, config.correct_by),
            "smooth": operator(graph, X, config.smooth_by),
        }
        return Whole(X, matrices)

    def forward(self, inputs: Whole) -> Tensor:
        """In training the MLP's logits, else logarithms of what correcting and smoothing gives."""
        if self.training:
            logits: Tensor = self.mlp(inputs.pick(inputs.X))
            return logits
        p = torch.softmax(self.mlp(inputs.X), dim=1)
        Y, known = seeds(self.labels, self.classes, p)
        p = self.corrected(inputs["correct"], p, Y, known)
        start = torch.where(known[:, None], Y, p)
        F = spread(inputs["smooth"], start, self.config.smooth, self.config.K, lambda F: F.clamp(0, 1))
        return inputs.pick(torch.log(F.clamp_min(1e-9)))

    def corrected(self, A: Matmul, p: Tensor, Y: Tensor, known: Tensor) -> Tensor:
        """The prediction plus its spread errors."""
        config = self.config
        errors = (Y - p) * known[:, None]
        if config.scale != "auto":
            fixed = spread(
                A, errors, config.correct, config.K, lambda E: torch.where(known[:, None], errors, E)
            )
            return p + config.scale * fixed
        E = spread(A, errors, config.correct, config.K, lambda E: E.clamp(-1, 1))
        mean = errors.abs().sum() / known.sum().clamp_min(1)
        size = E.abs().sum(dim=1, keepdim=True)
        # Where next to nothing arrives, it is not blown up: the authors' bound.
        scale = torch.where(mean > 1000 * size, 1, mean / size.clamp_min(torch.finfo(p.dtype).tiny))
        return p + scale * E


def spread(A: Matmul, start: Tensor, share: float, K: int, after: Callable[[Tensor], Tensor]) -> Tensor:
    """F = share A F + (1 - share) start, K times, with something done after every step."""
    F = start
    for _ in range(K):
        F = after(share * (A @ F) + (1 - share) * start)
    return F

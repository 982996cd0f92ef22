"""Logistic regression on the node's own features: the floor of every comparison. Filters nothing.

scikit-learn's solver, not gradient steps: softmax(X W + b) with the penalty ||W||^2 / (2 C), and C chosen by
the validation rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unifilter.graph import Graph
from unifilter.models._registry import Card, register
from unifilter.models._rows import Features

ABSENT = -20.0  # the logit of a class that no training row has; the others' largest is never below 0
DENSE = 0.1  # the share of entries from which a sparse copy of X would be slower


@dataclass(frozen=True)
class Config:
    """Options of logistic regression.

    Parameters
    ----------
    C : tuple of float
        Inverse strengths of the penalty to choose from.
    max_iter : int
        Of the solver; what it has reached by then counts.
    """

    C: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)
    max_iter: int = 1000

    def __post_init__(self) -> None:
        if not self.C or not all(c > 0 for c in self.C):
            raise ValueError(f"C must hold positive numbers, at least one, but is {self.C}.")


CARD = Card(
    "Logistic regression",
    "Cox: The Regression Analysis of Binary Sequences; the floor of every comparison",
    1958,
    "features only",
    "nothing",
    "n d c a pass of the solver",
)


@register("logistic", Config, CARD)
class Logistic(nn.Module):
    """A linear model with the weights that scikit-learn finds."""

    C: Tensor

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.head = nn.Linear(d, classes)
        self.register_buffer("C", torch.tensor(float("nan")))

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Features:
        """The features as they are."""
        return Features(X)

    def solve(self, train: Any, val: Any) -> None:
        """Fit with every C, keep the one that validation rows prefer: by accuracy, then by loss.

        Without validation rows, and among equals, the strongest penalty is kept.
        """
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        X, y = _rows(train.inputs.X), train.y.cpu().numpy()
        solver = LogisticRegression(max_iter=self.config.max_iter, warm_start=True)
        best: tuple[float, float] | None = None
        kept: dict[str, Tensor] = {}
        for C in sorted(self.config.C):
            solver.set_params(C=C)
            if np.unique(y).size > 1:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)  # validation rows judge what it found
                    # Many classes of a few nodes each are no regression.
                    warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
                    solver.fit(X, y)
            self._take(solver, y, C)
            score = self._score(val)
            if best is None or score > best:
                best, kept = score, {name: value.clone() for name, value in self.state_dict().items()}
        self.load_state_dict(kept)

    def _take(self, solver: Any, y: Any, C: float) -> None:
        """Copy what was found; a class that the training rows lack, or the only one, needs no weights."""
        present = np.unique(y)
        weight, bias = self.head.weight.data, self.head.bias.data
        weight.zero_()
        bias.fill_(ABSENT)
        bias[present] = 0
        self.C.fill_(C)
        if present.size > 1:
            found = torch.from_numpy(solver.coef_), torch.from_numpy(solver.intercept_)
            if present.size == 2:  # one row of weights, for the second class against the first
                found = torch.cat([-found[0] / 2, found[0] / 2]), torch.cat([-found[1] / 2, found[1] / 2])
            weight[present], bias[present] = (part.to(weight) for part in found)

    def _score(self, val: Any) -> tuple[float, float]:
        if not val.y.numel():
            return 0.0, 0.0
        with torch.no_grad():
            logits = self(val.inputs)
        return float((logits.argmax(dim=1) == val.y).double().mean()), -float(cross_entropy(logits, val.y))

    def forward(self, inputs: Features) -> Tensor:
        """Logits of the rows that the inputs hold."""
        logits: Tensor = self.head(inputs.X)
        return logits

    def learned(self) -> dict[str, float]:
        """The C that was chosen."""
        return {"C": float(self.C)}


def _rows(X: Tensor) -> Any:
    """X for scikit-learn, sparse where that is quicker: bags of words are."""
    dense = X.cpu().double().numpy()
    share = np.count_nonzero(dense) / max(1, dense.size)
    return csr_array(dense) if share < DENSE else dense

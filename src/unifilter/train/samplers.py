"""What a search chooses from, and who proposes: chance, or :mod:`unifilter.train.study`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from unifilter.train.trial import Trial


@dataclass(frozen=True)
class Space:
    """A declared search space: names to lists of values.

    A name says where the value goes: ``options.*`` to the model's Config, ``training.*`` to Training,
    ``groups.<group>.*`` to a parameter group, ``preprocess`` to the features.

    Examples
    --------
    >>> space = Space({"options.dropout": [0.0, 0.5], "groups.filter.lr": [0.01], "preprocess": ["row"]})
    >>> space.size
    2
    """

    values: dict[str, Sequence[Any]]

    def __post_init__(self) -> None:
        for name, values in self.values.items():
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise ValueError(f"{name!r} needs a list of values to choose from, but has {values!r}.")
            if name != "preprocess" and not name.startswith(("options.", "training.", "groups.")):
                raise ValueError(
                    f"{name!r} does not say where its values go: options.{name} to the model, "
                    f"training.{name} to the training, groups.GROUP.{name} to a group of parameters."
                )

    @property
    def size(self) -> int:
        """Number of settings."""
        total = 1
        for values in self.values.values():
            total *= len(values)
        return total

    def draw(self, rng: random.Random) -> dict[str, Any]:
        """One setting at random."""
        return {name: rng.choice(list(values)) for name, values in self.values.items()}


# Around the ranges of the paper's appendix. Learning rates, widths, depths and dropout are the paper's; but
# tau and h are learned, with no search; fewer hops are a part of the same V; decays go beyond 0.001;
# initialisation may be torch's. Left out: dropout on the basis, some learning rates of w.
PAPER_SPACE = Space(
    {
        "preprocess": ["row", "none"],
        "options.hidden": [64, 128, 256],
        "options.layers": [2, 3, 4],
        "options.K": [2, 10],
        "options.start": ["uniform", "identity"],
        "options.paper_init": [False, True],
        "options.residual": [True],
        "options.dropout": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        "training.lr": [0.001, 0.005, 0.01, 0.05, 0.1, 0.15, 0.2],
        "training.weight_decay": [0.0, 5e-6, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 2e-2],
        "groups.filter.lr": [0.005, 0.01, 0.05],
        "groups.filter.weight_decay": [0.0, 1e-4, 5e-4],
        "groups.shares.lr": [0.01, 0.05],
        "groups.shares.weight_decay": [0.0],
    }
)

# A part of it for searches of some thirty draws, as the spaces of other models are: without the ends of
# ranges, which were rarely good on validation nodes of the six graphs (experiments/results/journals),
# with the batch normalisation of some released settings added.
THINNED = Space(
    {
        "preprocess": ["row", "none"],
        "options.hidden": [64, 256],
        "options.layers": [2, 3],
        "options.K": [2, 10],
        "options.start": ["uniform", "identity"],
        "options.paper_init": [False, True],
        "options.batch_norm": [False, True],
        "options.residual": [True],
        "options.dropout": [0.1, 0.3, 0.5, 0.7],
        "training.lr": [0.005, 0.01, 0.05, 0.1],
        "training.weight_decay": [5e-6, 1e-4, 1e-3, 2e-2],
        "groups.filter.lr": [0.01, 0.05],
        "groups.filter.weight_decay": [0.0, 5e-4],
        "groups.shares.lr": [0.05],
        "groups.shares.weight_decay": [0.0],
    }
)


Numbered = tuple[int, dict[str, Any]]  # a setting, and the number of its trial


class Sampler(Protocol):
    """Proposes settings, and is told what became of them."""

    def ask(self, count: int) -> list[Numbered]:
        """So many settings, or none if count is not positive."""

    def tell(self, trial: Trial) -> None:
        """What became of a setting that was asked for."""

    def found(self) -> list[Trial]:
        """Trials that were told earlier, or elsewhere: they count."""

    def underway(self) -> int:
        """How many settings are being tried elsewhere."""


@dataclass
class Random:
    """Independent draws; the same seed proposes the same settings.

    Examples
    --------
    >>> Random(Space({"options.K": [2, 3]}), seed=1).ask(3)
    [(0, {'options.K': 2}), (1, {'options.K': 2}), (2, {'options.K': 3})]
    """

    space: Space
    seed: int = 0
    _rng: random.Random = field(init=False)
    _drawn: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def ask(self, count: int) -> list[Numbered]:
        """Draw."""
        first, self._drawn = self._drawn, self._drawn + max(0, count)
        return [(i, self.space.draw(self._rng)) for i in range(first, self._drawn)]

    def tell(self, trial: Trial) -> None:
        """Chance learns nothing."""

    def found(self) -> list[Trial]:
        """Nor does it remember."""
        return []

    def underway(self) -> int:
        """It works alone."""
        return 0

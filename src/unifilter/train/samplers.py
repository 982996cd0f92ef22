"""Who proposes the settings of a search: chance, or Optuna."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


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


# The paper's appendix, and what the exact basis adds: tau and h are learned, so they need no search; fewer
# hops are a part of the same V. Without batch normalisation: it won no earlier search, although the portfolio
# has a setting with it that those searches ranked high.
PAPER_SPACE = Space(
    {
        "preprocess": ["row", "none"],
        "options.hidden": [64, 256],
        "options.layers": [2, 3],
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


class Sampler(Protocol):
    """Proposes settings, and is told what became of them."""

    def ask(self, count: int) -> list[dict[str, Any]]:
        """So many settings."""

    def tell(self, setting: dict[str, Any], accuracy: float) -> None:
        """The mean validation accuracy of a setting that was asked for."""


@dataclass
class Random:
    """Independent draws; the same seed proposes the same settings.

    Examples
    --------
    >>> Random(Space({"options.K": [2, 3]}), seed=1).ask(3)
    [{'options.K': 2}, {'options.K': 2}, {'options.K': 3}]
    """

    space: Space
    seed: int = 0
    _rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def ask(self, count: int) -> list[dict[str, Any]]:
        """Draw."""
        return [self.space.draw(self._rng) for _ in range(count)]

    def tell(self, setting: dict[str, Any], accuracy: float) -> None:
        """Chance learns nothing."""


class Optuna:
    """Optuna's samplers; with a storage URL (SQLite, PostgreSQL) several machines share one study.

    Parameters
    ----------
    space : Space
    study : str
        Name of the study; one that exists is continued.
    storage : str, optional
        ``sqlite:///search.db``, ``postgresql://...``; in memory if not given.
    sampler : optional
        An Optuna sampler; TPE if not given.
    """

    def __init__(
        self,
        space: Space,
        study: str = "unifilter",
        storage: str | None = None,
        seed: int = 0,
        sampler: Any = None,
    ) -> None:
        try:
            import optuna
        except ImportError:
            raise ImportError(
                "this search needs Optuna: pip install 'unifilter[search]'. Random search needs nothing."
            ) from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.space, self._asked = space, dict[str, list[Any]]()
        # Proposals of one batch should differ although none of them has been answered yet.
        sampler = sampler or optuna.samplers.TPESampler(seed=seed, constant_liar=True)
        self.study = optuna.create_study(
            storage=storage, sampler=sampler, study_name=study, direction="maximize", load_if_exists=True
        )

    def ask(self, count: int) -> list[dict[str, Any]]:
        """Propose."""
        settings = []
        for _ in range(count):
            trial = self.study.ask()
            setting = {n: trial.suggest_categorical(n, list(v)) for n, v in self.space.values.items()}
            self._asked.setdefault(repr(setting), []).append(trial)
            settings.append(setting)
        return settings

    def tell(self, setting: dict[str, Any], accuracy: float) -> None:
        """Answer a proposal; of a setting that was proposed twice, the earlier one."""
        waiting = self._asked.get(repr(setting))
        if waiting:
            self.study.tell(waiting.pop(0), accuracy)

    @property
    def finished(self) -> list[tuple[dict[str, Any], float]]:
        """What the study knows, of this machine and of others."""
        return [(dict(t.params), float(t.value)) for t in self.study.trials if t.value is not None]

"""A setting that a search tried, and the journal that keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unifilter.models._registry import configure
from unifilter.record import append_lines
from unifilter.train.config import Training

# What of a training a search decides itself: how long, from which seed, whose weights; groups have a place.
ITS_OWN = ("epochs", "patience", "seed", "ties", "stop", "keep", "groups")


@dataclass(frozen=True)
class Trial:
    """A setting, its mean validation accuracy and loss over the splits, and how far it was trained.

    ``reached`` are its accuracies at the rungs that it came to, by which later ones are measured there.
    ``data`` tells the graph and the splits apart from others; older journals lack it.

    Examples
    --------
    >>> setting = {"options.K": 2, "training.lr": 0.1, "preprocess": "row"}
    >>> trial = Trial(0, setting, 0.8, 0.6, 40, False, "sgc")
    >>> trial.config.K, trial.training().lr, trial.preprocess
    (2, 0.1, 'row')
    """

    number: int
    setting: dict[str, Any]
    accuracy: float
    loss: float
    epochs: int
    finished: bool
    model: str = "unifilter"
    reached: list[float] = field(default_factory=list)
    data: str = ""

    @property
    def preprocess(self) -> str:
        """Name of the preprocessing."""
        return str(self.setting.get("preprocess", "none"))

    @property
    def config(self) -> Any:
        """The model's options."""
        return configure(self.model, options_of(self.setting))

    def training(self, seed: int = 0, epochs: int = 1000, patience: int = 200) -> Training:
        """How it is trained."""
        return training_of(self.setting, seed, epochs, patience)


def options_of(setting: dict[str, Any]) -> dict[str, Any]:
    """A setting's options of the model."""
    return _part(setting, "options.")


def training_of(setting: dict[str, Any], seed: int, epochs: int = 1000, patience: int = 200) -> Training:
    """A setting's training; ``epochs`` and ``patience`` where it says nothing of them."""
    groups: dict[str, dict[str, float]] = {}
    for name, value in _part(setting, "groups.").items():
        group, option = name.split(".")
        groups.setdefault(group, {})[option] = value
    given = {"epochs": epochs, "patience": patience} | _part(setting, "training.")
    return Training(**given, groups=groups, seed=seed)


def setting_of(preprocess: str, options: dict[str, Any], training: Training) -> dict[str, Any]:
    """A setting that trains these options so, as long as a search sees fit and from seeds of its own.

    Examples
    --------
    >>> setting_of("row", {"K": 2}, Training(lr=0.1, groups={"filter": {"lr": 0.5}}))
    {'preprocess': 'row', 'options.K': 2, 'training.lr': 0.1, 'groups.filter.lr': 0.5}
    """
    usual, ours = asdict(Training()), asdict(training)
    given = {n: v for n, v in ours.items() if v != usual[n] and n not in ITS_OWN}
    found = {"preprocess": preprocess} | {f"options.{n}": v for n, v in options.items()}
    found |= {f"training.{n}": v for n, v in given.items()}
    return found | {f"groups.{g}.{n}": v for g, some in training.groups.items() for n, v in some.items()}


def plain(setting: Mapping[str, Any]) -> str:
    """As a journal keeps it, where a tuple is a list."""
    return json.dumps(dict(setting), sort_keys=True)


def read_journal(file: Path | None) -> list[Trial]:
    """Trials of a journal; lines that a kill cut short are left out, wherever they stand."""
    if file is None or not file.exists():
        return []
    trials = []
    for line in file.read_text(encoding="utf-8").splitlines():
        with suppress(json.JSONDecodeError):
            trials.append(Trial(**json.loads(line)))
    return trials


def write_journal(file: Path | None, trials: Sequence[Trial]) -> None:
    """Append; several processes may share a journal."""
    if file is not None:
        append_lines(file, [json.dumps(asdict(t)) for t in trials])


def _part(setting: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {n.removeprefix(prefix): v for n, v in setting.items() if n.startswith(prefix)}

"""Who takes part in a comparison, with which setting, on which splits."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from unifilter.data import splits
from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.models._registry import configure
from unifilter.record import Record
from unifilter.train.config import Training

PROTOCOLS = (
    "quota:COUNT, stratified:COUNT, random:COUNT, fixed:COUNT, or public:COUNT for so many seeds on the one "
    "split"
)
RACED = "auto: "  # how the note of auto's records begins: their settings were cut by a race
UNLIKE = ("interrupted", "trained on V in bfloat16")  # notes of trainings that no setting here asks for
TRAINING, RATES = "training.", ("lr", "weight_decay")  # how a grid names what it varies of a training


class Trial(NamedTuple):
    """A split, and what is added to the seed of the setting that is trained on it."""

    split: Split
    seed: int = 0


@dataclass(frozen=True)
class Entry:
    """Who takes part, and with which setting.

    Parameters
    ----------
    model : str
        Registered name.
    preprocess : str
        Of the features; "none" leaves them as they came.
    options : dict
        Of the model's Config.
    training : Training
    grid : dict of lists
        What is chosen on the validation nodes of every split; the first best counts. Names are options, or
        "training.lr", "training.weight_decay" and "preprocess".

    Examples
    --------
    >>> entry = Entry("sgc", grid={"K": [1, 2], "training.lr": [0.1]})
    >>> [(p.options["K"], p.training.lr) for p in entry.points()]
    [(1, 0.1), (2, 0.1)]
    """

    model: str
    preprocess: str = "none"
    options: dict[str, Any] = field(default_factory=dict)
    training: Training = field(default_factory=Training)
    grid: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, values in self.grid.items():
            if not values:
                raise ValueError(f"the grid of {self.model} has no value for {name}.")
            if name.startswith(TRAINING) and name.removeprefix(TRAINING) not in RATES:
                rates = " and ".join(RATES)
                raise ValueError(f"of a training, a grid varies {rates}, but {self.model}'s has {name}.")

    def candidates(self) -> list[dict[str, Any]]:
        """Options of every point of the grid, and what else it varies, as records keep them."""
        points = itertools.product(*self.grid.values())
        return [self.options | dict(zip(self.grid, point, strict=True)) for point in points]

    def points(self) -> list[Entry]:
        """An entry of its own for every candidate; without a grid, the entry itself."""
        return [self._at(candidate) for candidate in self.candidates()]

    def _at(self, candidate: dict[str, Any]) -> Entry:
        rates = {r: candidate[TRAINING + r] for r in RATES if TRAINING + r in candidate}
        beside = {"preprocess", *(TRAINING + r for r in RATES)}
        options = {name: value for name, value in candidate.items() if name not in beside}
        scaling = candidate.get("preprocess", self.preprocess)
        return Entry(self.model, scaling, options, replace(self.training, **rates))


def trials_of(dataset: Dataset, protocol: str) -> list[Trial]:
    """So many splits of a kind.

    Examples
    --------
    >>> from unifilter.data import load
    >>> [t.split.seed for t in trials_of(load("sbm:n=100"), "stratified:3")]
    [0, 1, 2]
    """
    kind, _, number = protocol.partition(":")
    count = int(number) if number.isdecimal() else 0 if number else 1 if kind == "public" else 10
    if kind not in ("quota", "stratified", "random", "fixed", "public") or count < 1:
        raise ValueError(f"splits are {PROTOCOLS}, but {protocol!r} came.")
    if kind == "quota":
        if count > len(splits.SEEDS):
            raise ValueError(f"there are seeds for {len(splits.SEEDS)} quota splits, but {count} are wanted.")
        return [Trial(splits.quota(dataset.y, seed=seed)) for seed in splits.SEEDS[:count]]
    if kind in ("stratified", "random"):
        draw = splits.stratified if kind == "stratified" else splits.random
        return [Trial(draw(dataset.y, seed=seed)) for seed in range(count)]
    if kind == "fixed":
        return [Trial(splits.fixed(dataset, i)) for i in range(count)]
    return [Trial(splits.public(dataset), seed) for seed in range(count)]


class Served:
    """Tells the Records that are what a run would give: same data, split, settings and seed.

    A run that stopped by itself before both limits would have stopped there under the other limit too.

    Parameters
    ----------
    entry : Entry
    training : Training
        Its own, with the seed and the limit of epochs of the run.
    """

    def __init__(self, entry: Entry, training: Training) -> None:
        self.entry, self.training = replace(entry, training=training), training

    @cached_property
    def _settings(self) -> set[tuple[str, str]]:
        points = self.entry.points()
        return {_setting(asdict(p.training), asdict(configure(p.model, p.options))) for p in points}

    def by(self, record: Record, about: dict[str, Any], split: Split) -> bool:
        """Whether a Record serves for such data and such a split; what is quickly told comes first."""
        entry, training = self.entry, self.training
        if record.model != entry.model or record.seed != training.seed:
            return False
        if any(note.startswith((RACED, *UNLIKE)) for note in record.notes):
            return False
        if (record.split["name"], record.split["seed"]) != (split.name, split.seed):
            return False
        if any(record.dataset[key] != about[key] for key in ("name", "checksum")):
            return False
        if record.dataset["preprocessing"] not in (about["preprocessing"], *entry.grid.get("preprocess", ())):
            return False
        before = record.training["epochs"]
        if before != training.epochs and record.epochs >= min(before, training.epochs):
            return False
        if entry.grid and _plain([c["setting"] for c in record.candidates]) != _plain(entry.candidates()):
            return False
        return _setting(record.training, record.config) in self._settings


def _setting(training: dict[str, Any], config: dict[str, Any]) -> tuple[str, str]:
    return _plain(training | {"epochs": 0}), _plain(config)


def _plain(value: Any) -> str:
    """As JSON has it, where a tuple is a list."""
    return json.dumps(value, sort_keys=True)

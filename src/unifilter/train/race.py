"""Candidates raced against each other and the clock: groups of one shape, advanced in turn, halved, saved."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from unifilter.data.dataset import Dataset
from unifilter.record import write_atomically
from unifilter.train import loop
from unifilter.train.checkpoint import save_tensors
from unifilter.train.population import Population, Score

RUNGS = (25, 75)  # epochs after which candidates are halved; the last ones train to their end
KEEP = 0.4
SHARES = (0.35, 0.5, 0.7, 1.0)  # of the budget, by the end of each stage; the last one is the encore
STEP = 5  # epochs between two looks at the clock


@dataclass
class Progress:
    """What is worth showing while settings are tried."""

    stage: int
    candidates: int
    epoch: int
    accuracy: float
    seconds: float
    budget: float | None


@dataclass
class Group:
    """Candidates of one shape, trained together."""

    numbers: list[int]
    data: Dataset
    population: Population
    alive: list[int] = field(default_factory=list)


class Clock:
    """How much of the budget is spent, and who is told."""

    def __init__(self, budget: float | None, on_progress: Callable[[Progress], None] | None) -> None:
        self.budget, self.on_progress = budget, on_progress
        self.start = time.perf_counter()
        self.prepared = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the start, those of a run that this one continues included."""
        return time.perf_counter() - self.start

    def over(self, stage: int) -> bool:
        """Whether this stage has had its share."""
        return self.budget is not None and self.elapsed > SHARES[stage] * self.budget

    def show(self, stage: int, groups: list[Group]) -> None:
        """Tell whoever wants to know."""
        if self.on_progress is not None:
            scores = [s for _, s in scores_of(groups)]
            best = max(scores, key=lambda s: (s.accuracy, -s.loss))
            alive, epoch = sum(len(g.alive) for g in groups), max(g.population.epoch for g in groups)
            self.on_progress(Progress(stage, alive, epoch, best.accuracy, self.elapsed, self.budget))


class Saved:
    """The state of all groups on disk, written now and then: tensors first, then the JSON that names them."""

    def __init__(self, folder: Path | None) -> None:
        self.folder, self.last = folder, time.monotonic()

    def save(self, groups: list[Group], stage: int, clock: Clock) -> None:
        """Write, if the last time is long ago."""
        if self.folder is None or time.monotonic() - self.last < loop.CHECKPOINT_SECONDS:
            return
        epochs = [g.population.epoch for g in groups]
        files = [f"group-{i}-{epoch}-{stage}.safetensors" for i, epoch in enumerate(epochs)]
        for group, file in zip(groups, files, strict=True):
            save_tensors(self.folder / file, group.population.tensors())
        alive = [g.alive for g in groups]
        state = {"stage": stage, "files": files, "epochs": epochs, "alive": alive, "elapsed": clock.elapsed}
        write_atomically(self.folder / "auto.json", json.dumps(state))
        for old in set(self.folder.glob("group-*.safetensors")) - {self.folder / f for f in files}:
            old.unlink(missing_ok=True)
        self.last = time.monotonic()

    def restore(self, groups: list[Group], clock: Clock) -> int:
        """Put the first groups back; the stage to go on with. An encore comes later, by ``again``."""
        if self.folder is None or not (self.folder / "auto.json").exists():
            return 0
        state = json.loads((self.folder / "auto.json").read_text())
        del groups[len(state["files"]) :]
        self._load(groups, state, 0)
        clock.start -= state["elapsed"]
        return int(state["stage"])

    def again(self, encore: list[Group], first: int) -> None:
        """Put the groups of an encore back, which come after the ``first`` ones, if they had begun."""
        if self.folder is None or not (self.folder / "auto.json").exists():
            return
        state = json.loads((self.folder / "auto.json").read_text())
        if len(state["files"]) > first:
            self._load(encore, state, first)

    def _load(self, groups: list[Group], state: dict[str, Any], first: int) -> None:
        from safetensors.torch import load_file

        folder = self.folder or Path()
        kept = list(zip(state["files"], state["epochs"], state["alive"], strict=True))
        for group, (file, epoch, alive) in zip(groups, kept[first:], strict=False):
            group.population.restore(load_file(folder / file), epoch)
            group.alive = alive


def advance(groups: list[Group], epochs: int | None, stage: int, clock: Clock, saved: Saved) -> None:
    """Train on to so many epochs, or to the end, a few at a time, until the clock says stop."""

    def left(group: Group) -> int:
        population = group.population
        if not group.alive or not population.alive.numel():
            return 0
        most = max(m.training.epochs for m in population.members)
        return (most if epochs is None else min(most, epochs)) - population.epoch

    while behind := [g for g in groups if left(g) > 0]:
        for group in behind:
            group.population.advance(min(STEP, left(group)))
            if clock.over(stage):
                return
        clock.show(stage, groups)
        saved.save(groups, stage, clock)


def halve(groups: list[Group], races: Sequence[int], blind: Collection[int] = ()) -> None:
    """The better share of every race's candidates goes on, two at least; ``races`` names one a number.

    Of ``blind`` races, which have no validation nodes, nobody is better.
    """
    alive = {n for g in groups for n in (g.numbers[i] for i in g.alive)}
    ranked = [n for n, _ in ranking(groups) if n in alive]
    stay = set[int]()
    for race in set(races):
        mine = [n for n in ranked if races[n] == race]
        stay |= set(mine if race in blind else mine[: max(2, int(np.ceil(KEEP * len(mine))))])
    for group in groups:
        group.alive = [i for i in group.alive if group.numbers[i] in stay]
        group.population.keep(group.alive)


def ranking(groups: list[Group]) -> list[tuple[int, Score]]:
    """Every candidate's number and score, the best on validation nodes first."""
    return sorted(scores_of(groups), key=lambda s: (s[1].accuracy, -s[1].loss), reverse=True)


def scores_of(groups: list[Group]) -> list[tuple[int, Score]]:
    """Every candidate's number and score."""
    return [pair for g in groups for pair in zip(g.numbers, g.population.scores(), strict=True)]

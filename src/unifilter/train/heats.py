"""The heats of a search: settings trained on every split at once, and halved on the way.

UniFilters of one shape are stacked (:class:`Population`), all other models go side by side (:class:`Crowd`),
and those with a solver one after the other. After a few epochs the better share of all that got so far goes
on (asynchronous successive halving): no heat waits for another, and memory holds one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import torch

from unifilter.data.splits import Split
from unifilter.models._basis import Basis
from unifilter.models._registry import configure, model_class
from unifilter.models.unifilter import Config
from unifilter.train.beside import MOST, Job, lanes_of
from unifilter.train.config import Training
from unifilter.train.crowd import Crowd
from unifilter.train.loop import fit
from unifilter.train.memory import in_parts, members_that_fit
from unifilter.train.population import Member, Population, trains
from unifilter.train.prepared import Prepared
from unifilter.train.result import rows
from unifilter.train.run import begin, training_homophily
from unifilter.train.trial import Trial, options_of, training_of

Numbered = Sequence[tuple[int, dict[str, Any]]]


class Ladder:
    """Who goes on: at every rung, the better share of all that reached it."""

    def __init__(self, rungs: Sequence[int], keep: float) -> None:
        self.rungs, self.keep = list(rungs), keep
        self.seen: list[list[float]] = [[] for _ in rungs]

    def remember(self, trial: Trial) -> None:
        """Count what came earlier where it came to; journals once said it of the last rung only."""
        reached = dict(enumerate(trial.reached[: len(self.rungs)]))
        if not reached and trial.epochs in self.rungs:
            reached = {self.rungs.index(trial.epochs): trial.accuracy}
        for rung, accuracy in reached.items():
            self.seen[rung].append(accuracy)

    def climb(self, rung: int, accuracies: list[float]) -> list[bool]:
        """Whether each goes on from this rung."""
        self.seen[rung] += accuracies
        ranked = sorted(self.seen[rung], reverse=True)
        bar = ranked[max(0, int(np.ceil(self.keep * len(ranked))) - 1)]
        return [a >= bar for a in accuracies]


class Heats:
    """Trains batches of settings of one model on the same splits.

    Parameters
    ----------
    prepared : Prepared
        The dataset, on its device.
    splits : sequence of Split
        Test nodes are not looked at.
    model : str
    ladder : Ladder
    patience : int
    half : bool
        UniFilter's V and products in bfloat16.
    """

    def __init__(
        self,
        prepared: Prepared,
        splits: Sequence[Split],
        model: str,
        ladder: Ladder,
        patience: int,
        half: bool,
    ) -> None:
        self.prepared, self.splits, self.model, self.ladder = prepared, splits, model, ladder
        self.patience, self.half = patience, half

    def run(self, settings: Numbered) -> Iterator[list[Trial]]:
        """The trials of every heat as it ends."""
        if any(setting.get("training.batch") is not None for _, setting in settings):
            raise ValueError("a search trains on all rows at once: leave training.batch out of its settings.")
        self.prepared.foresee(configure(self.model, options_of(setting)) for _, setting in settings)
        if hasattr(model_class(self.model), "solve"):
            yield from ([self._solved(number, setting)] for number, setting in settings)
        elif self.model == "unifilter":
            alike = [s for s in settings if trains(self._training(s[1], 0))]
            for _, group in groupby(sorted(alike, key=_shape), key=_shape):
                yield from self._stacked(list(group))
            yield from self._side_by_side([s for s in settings if s not in alike])
        else:
            yield from self._side_by_side(settings)

    def _stacked(self, settings: Numbered) -> Iterator[list[Trial]]:
        """UniFilters of one shape, as many at once as memory holds."""
        configs = [configure(self.model, options_of(s)) for _, s in settings]
        preprocess = str(settings[0][1].get("preprocess", "none"))
        inputs: Basis = self.prepared(self.model, preprocess, configs[0])
        if self.half:
            inputs = replace(inputs, V=inputs.V.bfloat16())
        dataset, device = self.prepared.dataset, self.prepared.device
        y = torch.from_numpy(np.array(dataset.y, dtype=np.int64)).to(device)
        hs = [training_homophily(dataset, s, []) for s in self.splits]
        masks = [(rows(dataset, s.train, device), rows(dataset, s.val, device)) for s in self.splits]
        n = max(m.numel() for pair in masks for m in pair)
        size = max(1, members_that_fit(inputs, n, configs[0], device) // len(self.splits))

        def racers(some: Numbered) -> Population:
            members = [
                Member(configure(self.model, options_of(s)), self._training(s, k), k, h)
                for _, s in some
                for k, h in enumerate(hs)
            ]
            return Population(inputs, y, masks, members, len(dataset.classes))

        yield from self._in_heats(settings, size, racers)

    def _side_by_side(self, settings: Numbered) -> Iterator[list[Trial]]:
        def racers(some: Numbered) -> Crowd:
            jobs = [
                Job(split, options_of(s), self._training(s, k), str(s.get("preprocess", "none")))
                for _, s in some
                for k, split in enumerate(self.splits)
            ]
            return Crowd(lanes_of(self.prepared, self.model, jobs)[1])

        yield from self._in_heats(settings, max(1, MOST // len(self.splits)), racers)

    def _in_heats(
        self, settings: Numbered, size: int, racers: Callable[[Numbered], Population | Crowd]
    ) -> Iterator[list[Trial]]:
        """So many settings at a time, or as many as memory holds, which others may share."""
        return in_parts(settings, size, lambda some: self._climbed(racers(some), some))

    def _solved(self, number: int, setting: dict[str, Any]) -> Trial:
        """A model that finds its own optimum, on every split."""
        options, preprocess = options_of(setting), str(setting.get("preprocess", "none"))
        inputs = self.prepared(self.model, preprocess, configure(self.model, options))
        data, found = self.prepared.data(preprocess), []
        for k, split in enumerate(self.splits):
            start = begin(
                data, split, self.model, options, self._training(setting, k), inputs=inputs,
                device=self.prepared.device,
            )  # fmt: skip
            found.append(fit(start.net, start.train, start.val, start.training))
        accuracy, loss = (float(np.mean([getattr(o, name) for o in found])) for name in ("accuracy", "loss"))
        return Trial(number, setting, accuracy, loss, 0, True, self.model)

    def _training(self, setting: dict[str, Any], seed: int) -> Training:
        return training_of(setting, seed, self.ladder.rungs[-1], self.patience)

    def _climbed(self, racers: Population | Crowd, settings: Numbered) -> list[Trial]:
        """Train up the rungs; a setting goes or stays with all of its splits.

        Those with negative numbers, which somebody published, are trained to their end: some learn slowly.
        """
        splits, ladder = len(self.splits), self.ladder
        alive = list(range(len(settings)))
        reached: list[list[float]] = [[] for _ in settings]
        for rung, epochs in enumerate(ladder.rungs):
            racers.advance(epochs - racers.epoch)
            mean = _means(racers, splits)
            for i in alive:
                reached[i].append(mean[i][0])
            if rung == len(ladder.rungs) - 1:
                break
            ahead = ladder.climb(rung, [mean[i][0] for i in alive])
            alive = [i for i, on in zip(alive, ahead, strict=True) if on or settings[i][0] < 0]
            racers.keep([i * splits + k for i in alive for k in range(splits)])
            if not alive:  # all are worse than those of earlier heats
                break
        return [
            Trial(
                number,
                setting,
                *mean[i],
                ladder.rungs[len(reached[i]) - 1],
                len(reached[i]) == len(ladder.rungs),
                self.model,
                reached[i],
            )
            for i, (number, setting) in enumerate(settings)
        ]


def _means(racers: Population | Crowd, splits: int) -> list[tuple[float, float]]:
    scores = racers.scores()
    each = [scores[i : i + splits] for i in range(0, len(scores), splits)]
    return [
        (float(np.mean([s.accuracy for s in some])), float(np.mean([s.loss for s in some]))) for some in each
    ]


def _shape(numbered: tuple[int, dict[str, Any]]) -> tuple[Any, ...]:
    """Settings of one shape are trained together."""
    setting = numbered[1]
    member = Member(Config(**options_of(setting)), Training(), 0)
    return str(setting.get("preprocess", "none")), tuple(str(part) for part in member.shape)

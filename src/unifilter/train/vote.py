"""The field of a race: candidates in populations of one shape, an encore for the best, and their vote."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.models import committee
from unifilter.models._basis import Basis
from unifilter.models._layers import blank
from unifilter.models.unifilter import Config, UniFilter
from unifilter.train.config import Training
from unifilter.train.loop import Outcome
from unifilter.train.population import Member, Population, Score
from unifilter.train.race import Clock, Group, ranking
from unifilter.train.result import rows
from unifilter.train.run import class_weights
from unifilter.train.trial import options_of, training_of

AGAIN = 3  # settings that are trained again
STARTS = 4  # from so many other random starts
VOTERS = 5  # at most


class Candidate(NamedTuple):
    """A setting, a seed, and the race it runs in: the number of its split."""

    setting: dict[str, Any]
    seed: int
    race: int = 0


class Elected(NamedTuple):
    """Who predicts: a committee, or the best alone; the training is that of the best."""

    net: Any
    outcome: Outcome
    training: Training
    data: Dataset
    inputs: Basis


class Field:
    """All candidates of one race, or of several side by side, a split each.

    Parameters
    ----------
    dataset : Dataset
        Features as they came.
    splits : sequence of Split
        One for every race.
    h : sequence of float
        Estimated from the training labels of each.
    K : int
        Hops, at most: candidates of fewer take the beginning of the same V.
    where : device
    clock : Clock
    """

    def __init__(
        self,
        dataset: Dataset,
        splits: Sequence[Split],
        h: Sequence[float],
        K: int,
        where: torch.device,
        clock: Clock,
    ) -> None:
        self.dataset, self.h, self.K, self.where, self.clock = dataset, h, K, where, clock
        self.y = torch.from_numpy(np.array(dataset.y, dtype=np.int64)).to(where)
        self.masks = [(rows(dataset, s.train, where), rows(dataset, s.val, where)) for s in splits]
        self.candidates: list[Candidate] = []
        self.groups: list[Group] = []
        self._prepared: dict[str, tuple[Dataset, Basis]] = {}

    def enter(self, candidates: Sequence[Candidate]) -> None:
        """Populations of one shape and one scaling each, in the order given; one V for each scaling.

        Those for which no time is left stay out, except the very first.
        """
        first = len(self.candidates)
        members = [
            Member(Config(**options_of(c.setting)), training_of(c.setting, c.seed), c.race, self.h[c.race])
            for c in candidates
        ]
        shapes: dict[Any, list[int]] = {}
        for i, (candidate, member) in enumerate(zip(candidates, members, strict=True)):
            key = candidate.setting["preprocess"], member.shape, member.training.epochs
            shapes.setdefault(key, []).append(i)
        self.candidates += candidates
        for (how, *_), places in shapes.items():
            if self.groups and self.clock.over(0 if not first else -1):
                break
            data, inputs = self.prepared(how)
            some = [members[i] for i in places]
            classes = len(self.dataset.classes)
            population = Population(inputs, self.y, self.masks, some, classes, traces=True)
            numbers = [first + i for i in places]
            self.groups.append(Group(numbers, data, population, list(range(len(numbers)))))

    def prepared(self, how: str) -> tuple[Dataset, Basis]:
        """The data scaled, and its factorisation."""
        if how not in self._prepared:
            data = self.dataset if how == "none" else self.dataset.preprocess(how)
            self._prepared[how] = data, Basis.of(data.graph, data.features().to(self.where), self.K)
            self.clock.prepared = self.clock.elapsed
        return self._prepared[how]

    @property
    def races(self) -> list[int]:
        """The race of every candidate, by number."""
        return [candidate.race for candidate in self.candidates]

    def ranked(self, race: int = 0) -> list[tuple[int, Score]]:
        """Numbers and scores of a race's candidates that were trained, the best on validation nodes first."""
        return [(n, score) for n, score in ranking(self.groups) if self.candidates[n].race == race]

    def account(self, race: int = 0) -> list[dict[str, Any]]:
        """What a record says of them; no score is None, which JSON can say."""
        return [
            {
                "setting": self.candidates[n].setting,
                "seed": self.candidates[n].seed,
                "accuracy": s.accuracy if isfinite(s.loss) else None,
                "loss": s.loss if isfinite(s.loss) else None,
                "epochs": s.epochs,
            }
            for n, s in self.ranked(race)
        ]

    def close(self) -> None:
        """Give back what recorded epochs hold of a GPU's memory, before anything else is trained there."""
        for group in self.groups:
            group.population.forget()
        if self.where.type == "cuda":
            torch.cuda.empty_cache()

    def place(self, number: int) -> tuple[Group, int]:
        """Where a candidate is trained."""
        group = next(g for g in self.groups if number in g.numbers)
        return group, group.numbers.index(number)

    def scaling(self, number: int) -> str:
        """How its features are scaled."""
        return str(self.candidates[number].setting["preprocess"])


def encore(field: Field, seed: int, race: int = 0) -> list[Candidate]:
    """The best settings from other random starts; on the winner's features, so that all share one V."""
    best = field.ranked(race)
    how = field.scaling(best[0][0])
    again = [field.candidates[n].setting for n, _ in best if field.scaling(n) == how][:AGAIN]
    return [Candidate(setting, seed + start, race) for start in range(1, STARTS + 1) for setting in again]


def elect(field: Field, race: int = 0) -> Elected:
    """The best few by validation accuracy, as many as do best together; equal counts are decided for more."""
    best, (train, val) = field.ranked(race), field.masks[race]
    how = field.scaling(best[0][0])
    voters = [n for n, _ in best if field.scaling(n) == how][:VOTERS]
    data, inputs = field.prepared(how)
    nets = [_net(field, n, data) for n in voters]
    winner = field.candidates[voters[0]]
    training = training_of(winner.setting, winner.seed)
    weights = class_weights(field.y[train], len(data.classes)) if training.class_weights else None
    nets = nets[: _together(nets, inputs.rows(val), field.y[val], weights)]
    net: Any = nets[0]
    if len(nets) > 1:
        members = [options_of(field.candidates[n].setting) for n in voters[: len(nets)]]
        config = committee.Config(field.K, tuple(members))
        net = blank(committee.Committee, config, data.d, len(data.classes), field.h[race]).to(field.where)
        for member, trained in zip(net.members, nets, strict=True):
            member.load_state_dict(trained.state_dict())
    group, place = field.place(voters[0])
    score, history = best[0][1], group.population.history(place)
    seconds = field.clock.elapsed
    outcome = Outcome(net, history, score.best_epoch, score.accuracy, score.loss, seconds, True)
    return Elected(net.eval(), outcome, training, data, inputs.first(net.config.K))


def _net(field: Field, number: int, data: Dataset) -> UniFilter:
    """A candidate with its best weights as a model of its own."""
    group, place = field.place(number)
    candidate = field.candidates[number]
    config = Config(**options_of(candidate.setting))
    net = blank(UniFilter, config, data.d, len(data.classes), field.h[candidate.race]).to(field.where)
    net.load_state_dict(group.population.state(place), strict=False)
    return net.eval()


@torch.no_grad()
def _together(nets: Sequence[UniFilter], inputs: Basis, y: Tensor, weights: Tensor | None = None) -> int:
    """How many of the first do best together on validation nodes, of classes that weigh so much.

    Without such nodes all vote: a mean of good guesses is seldom the worst of them.
    """
    if not y.numel():
        return len(nets)
    p = torch.stack([torch.softmax(net(inputs).float(), dim=1) for net in nets]).cumsum(dim=0)
    share = torch.ones(y.numel(), device=y.device) if weights is None else weights[y]
    right = ((p.argmax(dim=2) == y) * share).sum(dim=1).tolist()
    return max(range(len(nets)), key=lambda i: (right[i], i)) + 1

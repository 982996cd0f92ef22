"""Trainings of UniFilters as populations, from jobs to outcomes: one V, one product for all of one shape."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING

import numpy as np
import torch

from unifilter.models._registry import configure
from unifilter.models.unifilter import Config
from unifilter.train.loop import Outcome
from unifilter.train.memory import in_parts, members_that_fit
from unifilter.train.population import Member, Population, trains
from unifilter.train.prepared import Prepared
from unifilter.train.result import rows
from unifilter.train.run import Start, begin

if TYPE_CHECKING:
    from unifilter.train.beside import Job


def can_be_stacked(model: str, jobs: Sequence[Job]) -> bool:
    """Whether a population trains these as a loop of their own would."""
    return model == "unifilter" and all(
        trains(job.training)
        and not job.training.mixed_precision
        and job.training.epochs == jobs[0].training.epochs
        for job in jobs
    )


def stacked(prepared: Prepared, jobs: Sequence[Job]) -> list[tuple[Start, Outcome]]:
    """How every job began and ended, in their order; as many of one shape at once as memory holds."""
    configs = [configure("unifilter", job.options) for job in jobs]
    found: dict[int, tuple[Start, Outcome]] = {}

    def shape(i: int) -> tuple[str, str]:
        return jobs[i].preprocess, repr(Member(configs[i], jobs[i].training, 0).shape)

    for _, alike in groupby(sorted(range(len(jobs)), key=shape), key=shape):
        some = list(alike)
        size = _fits(prepared, jobs, configs, some)
        ended = in_parts(some, size, lambda part: _trained(prepared, [jobs[i] for i in part]))
        found |= zip(some, chain.from_iterable(ended), strict=True)
    return [found[i] for i in range(len(jobs))]


def _fits(prepared: Prepared, jobs: Sequence[Job], configs: Sequence[Config], some: list[int]) -> int:
    inputs = prepared("unifilter", jobs[some[0]].preprocess, configs[some[0]])
    n = max(int(mask.sum()) for i in some for mask in jobs[i].split[:2])
    return members_that_fit(inputs, n, configs[some[0]], prepared.device)


def _trained(prepared: Prepared, jobs: Sequence[Job]) -> list[tuple[Start, Outcome]]:
    """Members of one shape on the same features."""
    data, device = prepared.data(jobs[0].preprocess), prepared.device
    inputs = prepared("unifilter", jobs[0].preprocess, configure("unifilter", jobs[0].options))
    begun = [
        begin(data, j.split, "unifilter", j.options, j.training, inputs=inputs, device=device, gather=False)
        for j in jobs
    ]
    splits = {id(j.split): j.split for j in jobs}
    places = {key: i for i, key in enumerate(splits)}
    masks = [(rows(data, s.train, device), rows(data, s.val, device)) for s in splits.values()]
    y = torch.from_numpy(np.array(data.y, dtype=np.int64)).to(device)
    members = [
        Member(start.net.config, job.training, places[id(job.split)], start.given["h_estimate"])
        for job, start in zip(jobs, begun, strict=True)
    ]
    clock = time.perf_counter()
    population = Population(inputs, y, masks, members, len(data.classes), traces=True)
    population.advance(jobs[0].training.epochs)
    scores = population.scores()
    epoch = (time.perf_counter() - clock) / max(1, sum(score.epochs for score in scores))
    outcomes = []
    for i, (start, score) in enumerate(zip(begun, scores, strict=True)):
        start.net.load_state_dict(population.state(i), strict=False)
        ended = score.best_epoch, score.accuracy, score.loss, epoch * score.epochs
        outcomes.append(Outcome(start.net.eval(), population.history(i)[: score.epochs], *ended, True))
    population.forget()
    return list(zip(begun, outcomes, strict=True))

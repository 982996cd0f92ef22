"""Trainings of one model side by side, from a dataset to Results: what ``run`` does, for many at once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from unifilter.data.splits import Split
from unifilter.models._registry import configure, model_class
from unifilter.train.config import Training
from unifilter.train.crowd import Crowd, Lane
from unifilter.train.loop import Part
from unifilter.train.prepared import Prepared
from unifilter.train.run import Result, begin, conclude

MOST = 64  # trainings at once; half as many where memory is too small


class Job(NamedTuple):
    """One training of a model."""

    split: Split
    options: dict[str, Any]
    training: Training
    preprocess: str = "none"


def gains_by_company(model: str, device: torch.device, training: Training) -> bool:
    """Whether trainings of a model go faster side by side: on a GPU, where steps are all there is to do."""
    return device.type == "cuda" and not hasattr(model_class(model), "solve") and training.batch is None


def lanes_of(prepared: Prepared, model: str, jobs: Sequence[Job]) -> list[tuple[Any, Lane]]:
    """A start and a lane for every job; jobs on the same inputs and split share their rows."""
    found, parts = [], dict[tuple[int, int], tuple[Part, Part]]()
    for job in jobs:
        config = configure(model, job.options)
        inputs = prepared(model, job.preprocess, config)
        start = begin(
            prepared.data(job.preprocess),
            job.split,
            model,
            job.options,
            job.training,
            inputs=inputs,
            device=prepared.device,
        )
        train, val = parts.setdefault((id(inputs), id(job.split)), (start.train, start.val))
        start = replace(start, train=train, val=val)
        lane = Lane(start.net, train, val, job.training, start.weights, start.random)
        found.append((start, lane))
    return found


def together(prepared: Prepared, model: str, jobs: Sequence[Job]) -> Iterator[Result]:
    """Results in the order of the jobs; on a GPU as many are trained at once as memory holds.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> data = load("sbm:n=200,h=0.9,d=8")
    >>> jobs = [Job(splits.stratified(data.y, seed=s), {}, Training(epochs=5)) for s in (0, 1)]
    >>> [r.record.epochs for r in together(Prepared(data, torch.device("cpu")), "gcn", jobs)]
    [5, 5]
    """
    size, at = min(MOST, len(jobs)), 0
    while at < len(jobs):
        some = jobs[at : at + size]
        start = time.perf_counter()
        try:
            pairs = lanes_of(prepared, model, some)
            crowd = Crowd([lane for _, lane in pairs])
            crowd.advance(max(job.training.epochs for job in some))
        except torch.cuda.OutOfMemoryError:
            if size == 1:
                raise
            pairs, size = [], size // 2
            torch.cuda.empty_cache()
            continue
        at += len(some)
        epoch = (time.perf_counter() - start) / max(1, sum(score.epochs for score in crowd.scores()))
        for job, (begun, lane) in zip(some, pairs, strict=True):
            yield _concluded(prepared, model, job, begun, lane, epoch, len(some))


def _concluded(
    prepared: Prepared, model: str, job: Job, begun: Any, lane: Lane, epoch: float, company: int
) -> Result:
    inputs, seconds = prepared.timed(model, job.preprocess, configure(model, job.options))
    outcome = lane.outcome(epoch * int(lane.epochs))
    notes = [*begun.notes]
    if company > 1:
        notes.append(f"trained beside {company - 1} others: its share of the seconds, memory of all")
    times = {"prepare": seconds, "train": outcome.seconds}
    data = prepared.data(job.preprocess)
    return conclude(data, job.split, begun.net, inputs, job.training, outcome, times, notes, begun.given)

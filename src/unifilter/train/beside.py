"""Trainings of one model side by side, from a dataset to Results: what ``run`` does, for many at once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import torch

from unifilter.data.splits import Split
from unifilter.models._registry import configure, model_class
from unifilter.train.bundle import Bundle, Target
from unifilter.train.config import Training
from unifilter.train.crowd import Crowd, Lane
from unifilter.train.loop import Outcome, Part
from unifilter.train.memory import in_parts
from unifilter.train.prepared import Prepared
from unifilter.train.result import Result, beside, conclude
from unifilter.train.run import Start, begin
from unifilter.train.stacked import can_be_stacked, stacked

MOST = 160  # trainings at once; half as many where memory is too small


class Job(NamedTuple):
    """One training of a model."""

    split: Split
    options: dict[str, Any]
    training: Training
    preprocess: str = "none"


def gains_by_company(model: str, device: torch.device, training: Training) -> bool:
    """Whether trainings of a model go faster side by side: on a GPU, where steps are all there is to do."""
    return device.type == "cuda" and not hasattr(model_class(model), "solve") and training.batch is None


def lanes_of(
    prepared: Prepared, model: str, jobs: Sequence[Job], launches_count: bool | None = None
) -> tuple[list[Start], list[Lane]]:
    """A start for every job, and lanes with as many members together, in the same order.

    Consecutive jobs that differ in nothing but split and seed are one bundle. A bundle goes over all nodes,
    as models of whole graphs do anyway. Those of rows can do with their training rows, which is less to do,
    but a kernel for each split where one would do for all: ``launches_count`` says that this costs more, as
    on a GPU.
    """
    launches_count = prepared.device.type == "cuda" if launches_count is None else launches_count
    starts, lanes = [], []
    parts: dict[tuple[int, int], tuple[Part, Part]] = {}
    for _, alike in groupby(jobs, key=lambda job: _alike(prepared, model, job, launches_count)):
        some, bundle = list(alike), list[Start]()
        for job in some:
            inputs = prepared(model, job.preprocess, configure(model, job.options))
            data, single = prepared.data(job.preprocess), len(some) == 1
            start = begin(
                data, job.split, model, job.options, job.training, inputs=inputs, device=prepared.device,
                gather=single,
            )  # fmt: skip
            if single:  # of the same split, others may have copied the same rows
                same = parts.setdefault((id(inputs), id(job.split)), (start.train, start.val))
                start = replace(start, train=same[0], val=same[1])
            bundle.append(start)
        train = Target.of([s.train for s in bundle], [s.weights for s in bundle])
        val = Target.of([s.val for s in bundle], [s.weights for s in bundle])
        first = bundle[0]
        lanes.append(Lane(Bundle([s.net for s in bundle]), train, val, first.training, first.random))
        starts += bundle
    return starts, lanes


def _alike(prepared: Prepared, model: str, job: Job, launches_count: bool) -> str:
    """Jobs with the same key are bundled; never those that normalise over the rows they are shown."""
    same = job.options, job.preprocess, replace(job.training, seed=0)
    config = configure(model, job.options)
    rows = prepared(model, job.preprocess, config).independent_rows
    apart = rows and (not launches_count or getattr(config, "batch_norm", False))
    single = apart or hasattr(model_class(model), "unbundled")
    alone = (id(job.split), job.training.seed) if single else ()
    return repr((same, alone))


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
    if can_be_stacked(model, jobs):
        for job, (begun, outcome) in zip(jobs, stacked(prepared, jobs), strict=True):
            yield _concluded(prepared, model, job, begun, outcome, len(jobs))
        return
    for found in in_parts(jobs, MOST, lambda some: _side_by_side(prepared, model, some)):
        for job, begun, outcome in found:
            yield _concluded(prepared, model, job, begun, outcome, len(found))


def _side_by_side(prepared: Prepared, model: str, jobs: Sequence[Job]) -> list[tuple[Job, Start, Outcome]]:
    """How every job began and ended."""
    start = time.perf_counter()
    starts, lanes = lanes_of(prepared, model, jobs)
    crowd = Crowd(lanes)
    crowd.advance(max(job.training.epochs for job in jobs))
    epoch = (time.perf_counter() - start) / max(1, sum(score.epochs for score in crowd.scores()))
    outcomes = (outcome for lane in lanes for outcome in lane.outcomes(epoch))
    return list(zip(jobs, starts, outcomes, strict=True))


def _concluded(
    prepared: Prepared, model: str, job: Job, begun: Start, outcome: Outcome, company: int
) -> Result:
    inputs, seconds = prepared.timed(model, job.preprocess, configure(model, job.options))
    notes = [*begun.notes]
    if company > 1:
        notes.append(beside(company))
    times = {"prepare": seconds, "train": outcome.seconds}
    data = prepared.data(job.preprocess)
    return conclude(data, job.split, begun.net, inputs, job.training, outcome, times, notes, begun.given)

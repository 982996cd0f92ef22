"""From parts to Records: what is missing is searched, trained and measured; what is there is left alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch

from unifilter.data.splits import Split
from unifilter.record import Record, read, write_atomically
from unifilter.reproduce.cost import cost
from unifilter.reproduce.graphs import load
from unifilter.reproduce.part import Auto, Job, Measure, Part, Scale, Searched
from unifilter.reproduce.protocols import parse, trials
from unifilter.reproduce.results import Results, current, raced
from unifilter.reproduce.settings import journal, searched_on
from unifilter.train.auto import choose_each
from unifilter.train.compare import resume, runs
from unifilter.train.memory import in_parts
from unifilter.train.pool import GRACE, CutOffError, Progress, Task, work_through
from unifilter.train.result import Result, describe
from unifilter.train.run import pick_device
from unifilter.train.search import RUNGS, search
from unifilter.train.spaces import space_of

TOGETHER = 5  # races
Thing = TypeVar("Thing", Job, Measure)


@dataclass(frozen=True)
class Tally:
    """Jobs and measures that are complete, that failed, by name with the reason, and that are left."""

    done: int
    failed: dict[str, str]
    left: list[str]


def records_of(folder: Path) -> Path:
    """The file of all Records."""
    return folder / "records.jsonl"


def results_of(folder: Path, scale: Scale) -> Results:
    """What a folder holds."""
    return Results(resume(records_of(folder)), folder, scale)


def execute(
    parts: Sequence[Part],
    scale: Scale,
    folder: Path,
    *,
    device: str = "auto",
    processes: int = 1,
    seconds: float = float("inf"),
    wanted: Callable[[Job | Measure], bool] = lambda thing: True,
    tell: Callable[[Progress], None] | None = None,
) -> Tally:
    """Run what the parts need and the folder lacks.

    Parameters
    ----------
    parts, scale
        What is run.
    folder : Path
        ``records.jsonl``, ``journals``, ``scale.json`` and ``failed.json`` are kept there.
    processes : int
        Jobs that are worked on side by side; measures come first and alone, since some of them are times.
    seconds : float
        After which nothing begins: a second call goes on.
    wanted : function of a job or measure
        Leaves out those for which it is false.
    tell : function of Progress, optional
        Called when a job or a measure has ended.

    Examples
    --------
    >>> import tempfile
    >>> from unifilter.reproduce.part import Published
    >>> from unifilter.train.entries import Entry
    >>> job = Job("SGC", "sbm:n=100,h=0.9", "quota:2", Published(Entry("sgc")))
    >>> part = Part("one", "One job", jobs=lambda scale: [job], show=lambda results, scale: [])
    >>> folder = Path(tempfile.mkdtemp())
    >>> execute([part], Scale(epochs=3), folder)
    Tally(done=1, failed={}, left=[])
    """
    begun = time.monotonic()
    write_atomically(folder / "scale.json", json.dumps({"settings": scale.settings}) + "\n")
    measures = [m for m in distinct(m for part in parts for m in part.measures(scale)) if wanted(m)]
    jobs = [j for j in distinct(j for part in parts for j in part.jobs(scale)) if wanted(j)]
    results = results_of(folder, scale)
    first = [Task(m.name, partial(take, m, folder, device)) for m in measures if results.record(m) is None]
    until = time.time() + seconds
    then = [_task(j, folder, scale, device, until, results) for j in jobs if not complete(results, j)]
    then.sort(key=lambda task: task.cost)
    failed = work_through(first, seconds=seconds, on_end=tell)
    left = seconds - (time.monotonic() - begun)
    failed |= work_through(then, processes=processes, seconds=left, on_end=tell)
    results = results_of(folder, scale)
    missing = [m.name for m in measures if results.record(m) is None]
    missing += [j.name for j in jobs if not complete(results, j)]
    return _tally(folder, [m.name for m in measures] + [j.name for j in jobs], missing, failed)


def complete(results: Results, job: Job) -> bool:
    """Whether every split of a job has its Record, and its search has tried what it should."""
    return results.is_whole(job) and len(results.of(job)) == parse(job.protocol)[1]


def take(measure: Measure, folder: Path, device: str) -> None:
    """Measure, and append the Record."""
    start = time.perf_counter()
    data = load(measure.dataset)
    scores = measure.take(data, measure.what, device)
    spent = {"measure": time.perf_counter() - start}
    where = pick_device(device)
    name = torch.cuda.get_device_name(where) if where.type == "cuda" else "cpu"
    about = describe(data)
    record = Record(measure.part, dict(measure.what), {}, about, {}, 0, scores, seconds=spent, device=name)
    record.append(records_of(folder))


def train(job: Job, folder: Path, scale: Scale, device: str, until: float) -> None:
    """A job's search if it has one, then its missing splits, a Record each."""
    torch.set_float32_matmul_precision("high")  # on a GPU: far below what dropout and seeds change
    data = load(job.dataset)
    some, file = trials(data, job.protocol), records_of(folder)
    known = [r for r in (read(file) if file.exists() else []) if r.dataset["name"] == data.name]
    if isinstance(job.how, Auto):
        _race(job, job.how, known, file, scale, device)
        return
    if isinstance(job.how, Searched) and not Results([], folder, scale).is_whole(job):
        _look(job, job.how, folder, scale, device, until)
    results = Results([], folder, scale)
    entry = results.entry(job)
    if entry is None or not results.is_whole(job):
        raise CutOffError
    alone = [current(r) for r in known if r.model == job.model and not raced(r)]
    for _ in runs(data, some, entry, known=alone, file=file, device=device, epochs=scale.epochs):
        pass


def _race(job: Job, how: Auto, known: list[Record], file: Path, scale: Scale, device: str) -> None:
    data = load(job.dataset)
    there = Results(known, file.parent, scale).by_split(job)
    some = [(i, t.split) for i, t in enumerate(trials(data, job.protocol)) if there[i] is None]
    # On a GPU side by side, a few at a time since all are written when they end, and fewer where there is no
    # memory for them, which others may share. A budget is each race's own.
    together = TOGETHER if pick_device(device).type == "cuda" and how.budget is None else 1

    def race(part: Sequence[tuple[int, Split]]) -> list[Result]:
        seeds, splits = zip(*part, strict=True)
        return choose_each(
            data, splits, seeds=seeds, budget=how.budget, portfolio=how.portfolio, device=device,
            epochs=scale.epochs or 1000,
        )  # fmt: skip

    for results in in_parts(some, together, race):
        for result in results:
            if result.interrupted:
                raise KeyboardInterrupt
            replace(result.record, notes=[*result.record.notes, how.note]).append(file)


def _look(job: Job, how: Searched, folder: Path, scale: Scale, device: str, until: float) -> None:
    data = load(job.dataset)
    file = journal(folder, how, job.dataset, job.protocol)
    rungs = RUNGS if scale.epochs is None else (max(1, scale.epochs // 4), scale.epochs)
    search(
        data,
        [t.split for t in trials(data, searched_on(job.protocol))],
        space_of(how.model, whole=how.whole),
        how.settings,
        first=how.first,
        model=how.model,
        rungs=rungs,
        device=device,
        seconds=until + GRACE / 2 - time.time(),
        journal=file,
    )


def _task(job: Job, folder: Path, scale: Scale, device: str, until: float, results: Results) -> Task:
    lock = str(journal(folder, job.how, job.dataset, job.protocol)) if isinstance(job.how, Searched) else ""
    entry = None if isinstance(job.how, Auto) else results.entry(job)
    return Task(
        job.name, partial(train, job, folder, scale, device, until), lock, cost(job, entry, scale.epochs)
    )


def distinct(things: Iterable[Thing]) -> list[Thing]:
    """Parts share jobs: one that differs in nothing but its row is the same."""
    found: dict[str, Thing] = {}
    for thing in things:
        key = thing.name if isinstance(thing, Measure) else repr((thing.dataset, thing.protocol, thing.how))
        found.setdefault(key, thing)
    return list(found.values())


def _tally(folder: Path, names: list[str], missing: list[str], failed: dict[str, str]) -> Tally:
    """Count, and keep in ``failed.json`` why things failed, until they no longer do."""
    file = folder / "failed.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    ours = {name: why for name, why in (before | failed).items() if name not in names or name in missing}
    if ours or file.exists():
        write_atomically(file, json.dumps(ours, indent=1, sort_keys=True) + "\n")
    lost = {name: why for name, why in failed.items() if name in missing}
    return Tally(len(names) - len(missing), lost, [m for m in missing if m not in lost])

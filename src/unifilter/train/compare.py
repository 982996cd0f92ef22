"""Many models on the same splits: every run is kept as a line, so that a killed comparison goes on."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.models._registry import configure
from unifilter.record import Record, read
from unifilter.train.beside import Job, gains_by_company, together
from unifilter.train.config import Training
from unifilter.train.entries import Entry, Served, Trial
from unifilter.train.memory import forget_peak
from unifilter.train.prepared import Prepared
from unifilter.train.races import AUTO, races
from unifilter.train.result import Result, describe
from unifilter.train.run import pick_device, run
from unifilter.train.significance import holm, interval, paired


@dataclass(frozen=True)
class Row:
    """A model's line of the table: accuracy on test nodes, and what it cost.

    ``interval`` is half of the 95% interval of the mean, None for a single run; ``p`` is of the paired test
    against the best, corrected, and None for the best itself.
    """

    model: str
    runs: int
    mean: float
    interval: float | None
    p: float | None
    epoch_seconds: float
    peak_memory: int
    parameters: int


@dataclass(frozen=True)
class Comparison:
    """Records in the order of the trials by model, and why the others have none.

    ``overlap`` is the ratio of test to training nodes, by which :func:`paired` allows for training sets that
    overlap.
    """

    records: dict[str, list[Record]]
    failed: dict[str, str]
    overlap: float = 0.0

    def rows(self) -> list[Row]:
        """A row a model, best mean first."""
        scores = {m: np.array([r.scores["test"]["accuracy"] for r in rs]) for m, rs in self.records.items()}
        order = sorted(scores, key=lambda m: -scores[m].mean())
        ps = [paired(scores[m], scores[order[0]], self.overlap) for m in order[1:]]
        p = dict(zip(order[1:], holm(ps), strict=True))
        return [_row(m, self.records[m], scores[m], p.get(m)) for m in order]


def compare(
    dataset: Dataset,
    trials: Sequence[Trial],
    entries: Sequence[Entry],
    *,
    raw: Dataset | None = None,
    file: str | Path | None = None,
    device: str | torch.device = "auto",
    epochs: int | None = None,
    on_run: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Train every model on every split.

    Parameters
    ----------
    dataset : Dataset
        Features as they came; entries bring their own preprocessing.
    trials : sequence of Trial
        See :func:`trials_of`.
    entries : sequence of Entry
        One a model; ``Entry("auto", options={"budget": "1m"})`` is what needs no tuning, with so much time a
        split.
    raw : Dataset, optional
        The same with features as they came, for auto, which scales them itself.
    file : optional
        Every record is appended to it at once; runs that it holds already are not repeated.
    epochs : int, optional
        Cuts what settings ask for.
    on_run : function of (model, runs done), optional
        Called before every run and after the last.

    Examples
    --------
    >>> from unifilter.data import load
    >>> from unifilter.train.entries import trials_of
    >>> data, short = load("sbm:n=300,h=0.9,d=8"), Training(epochs=20)
    >>> entries = [Entry("sgc", training=short), Entry("mlp", training=short)]
    >>> [row.model for row in compare(data, trials_of(data, "stratified:3"), entries).rows()]
    ['sgc', 'mlp']
    """
    known = resume(file) if file is not None else []
    records: dict[str, list[Record]] = {}
    failed: dict[str, str] = {}
    tell = on_run or (lambda model, done: None)
    twice = [name for name, count in Counter(entry.model for entry in entries).items() if count > 1]
    if twice:
        raise ValueError(f"a comparison has a row for each model, but {twice[0]} came more than once.")
    untested = [t.split.name for t in trials if not (t.split.test & dataset.labelled).any()]
    if untested:
        raise ValueError(
            f"a comparison is of accuracies on test nodes, but {len(untested)} of {len(trials)} splits "
            f"({untested[0]}) have none: label more nodes, or take another kind of split."
        )
    for entry in entries:
        found: list[Record] = []
        tell(entry.model, 0)
        try:
            given: dict[str, Any] = {"known": known, "file": file, "device": device, "epochs": epochs}
            train = races(raw or dataset, trials, **entry.options, **given) if entry.model == AUTO else None
            for record in train or runs(dataset, trials, entry, **given):
                found.append(record)
                tell(entry.model, len(found))
        except Exception as error:  # whatever stops one model, a refusal or a lack of memory, is its own
            failed[entry.model] = reason(error)
        else:
            records[entry.model] = found
    return Comparison(records, failed, overlap(trials))


def overlap(trials: Sequence[Trial]) -> float:
    """Test nodes by training nodes, in the mean; 0 for a single split that seeds are compared on."""
    masks = [trial.split.train for trial in trials]
    if all(np.array_equal(masks[0], other) for other in masks[1:]):
        return 0.0
    return float(np.mean([t.split.test.sum() / t.split.train.sum() for t in trials]))


def runs(
    dataset: Dataset,
    trials: Sequence[Trial],
    entry: Entry,
    *,
    known: Sequence[Record] = (),
    file: str | Path | None = None,
    device: str | torch.device = "auto",
    epochs: int | None = None,
) -> Iterator[Record]:
    """A record a trial, from ``known`` where it is there; inputs are prepared once, on first need."""
    where = pick_device(device)
    prepared = Prepared(dataset, where)
    scalings = dict.fromkeys(point.preprocess for point in entry.points())
    abouts = [describe(prepared.data(how)) for how in scalings]
    limit = min(entry.training.epochs, epochs or entry.training.epochs)
    trainings = [replace(entry.training, epochs=limit, seed=entry.training.seed + t.seed) for t in trials]
    served = [Served(entry, training) for training in trainings]
    found = [
        next((r for r in known if any(would.by(r, a, trial.split) for a in abouts)), None)
        for trial, would in zip(trials, served, strict=True)
    ]
    missing = [(t.split, g) for t, g, r in zip(trials, trainings, found, strict=True) if r is None]
    trained = _trained(prepared, entry, missing)
    for record in found:
        if record is None:
            record = next(trained)
            if limit < entry.training.epochs and record.epochs == limit:
                note = f"cut off after {limit} of {entry.training.epochs} epochs"
                record = replace(record, notes=[*record.notes, note])
            if file is not None:
                record.append(file)
        yield record


def resume(file: str | Path) -> list[Record]:
    """Records of a file, none if it is not there yet."""
    return read(file) if Path(file).exists() else []


def reason(error: Exception) -> str:
    """The message in one line; of what is no refusal, with its kind."""
    words = " ".join(str(error).split())
    return words if isinstance(error, ValueError) else f"{type(error).__name__}: {words}"


def _trained(prepared: Prepared, entry: Entry, trials: Sequence[tuple[Split, Training]]) -> Iterator[Record]:
    """A record a trial: of the entry, or of the point of its grid with the best validation accuracy."""
    jobs = [
        Job(split, p.options, p.training, p.preprocess)
        for split, training in trials
        for p in replace(entry, training=training).points()
    ]
    prepared.foresee(configure(entry.model, job.options) for job in jobs)
    beside = gains_by_company(entry.model, prepared.device, entry.training)
    results = together(prepared, entry.model, jobs) if beside else _in_turn(prepared, entry.model, jobs)
    records = (result.record for result in results)
    for _ in trials:
        yield _best(entry, list(itertools.islice(records, len(entry.candidates()))))


def _in_turn(prepared: Prepared, model: str, jobs: Sequence[Job]) -> Iterator[Result]:
    for job in jobs:
        inputs, seconds = prepared.timed(model, job.preprocess, configure(model, job.options))
        forget_peak()
        data = prepared.data(job.preprocess)
        result = run(data, job.split, model, job.options, job.training, inputs=inputs, device=prepared.device)
        if result.interrupted:
            raise KeyboardInterrupt
        times = result.record.seconds | {"prepare": seconds}
        yield replace(result, record=replace(result.record, seconds=times))


def _best(entry: Entry, found: list[Record]) -> Record:
    accuracies = [r.scores["val"].get("accuracy", 0.0) for r in found]
    best = found[accuracies.index(max(accuracies))]
    if not entry.grid:
        return best
    tried = [
        {"setting": o, "accuracy": a, "epochs": r.epochs}
        for o, a, r in zip(entry.candidates(), accuracies, found, strict=True)
    ]
    return replace(best, candidates=tried)


def _row(model: str, records: list[Record], scores: Any, p: float | None) -> Row:
    return Row(
        model,
        len(records),
        float(scores.mean()),
        interval(scores),
        p if len(records) > 1 else None,
        sum(r.seconds["train"] for r in records) / max(1, sum(r.epochs for r in records)),
        max(r.peak_memory for r in records),
        records[0].parameters,
    )

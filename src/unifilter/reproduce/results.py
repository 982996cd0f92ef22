"""The Records that are there, found by the job or the measure that asks for them; no graph is needed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from unifilter.data.splits import Split
from unifilter.models._registry import model_class
from unifilter.record import Record
from unifilter.reproduce.part import Auto, Job, Measure, Published, Scale, Searched
from unifilter.reproduce.protocols import names, overlap
from unifilter.reproduce.settings import tried, winner
from unifilter.train.config import Training
from unifilter.train.entries import RACED, Entry, Served
from unifilter.train.significance import interval
from unifilter.viz.exhibit import Cell, Value

USUAL = asdict(Training())
PAIRED = (
    "Gains are paired over the splits; their intervals allow for training sets that overlap, as the "
    "corrected resampled t-test of Nadeau and Bengio does."
)


class Results:
    """Records of a folder, by what they are of.

    Parameters
    ----------
    records : sequence of Record
        As :func:`unifilter.record.read` gives them.
    folder : Path
        Where the journals of searches are, in ``journals``.
    scale : Scale
        Its limit of epochs tells which Records count.

    Examples
    --------
    >>> results = Results([], Path("."), Scale())
    >>> results.of(Job("SGC", "cora", "quota:10", Published(Entry("sgc"))))
    []
    """

    def __init__(self, records: Sequence[Record], folder: Path, scale: Scale) -> None:
        self.records, self.folder, self.scale = records, folder, scale
        self._records: dict[tuple[str, str], list[Record]] = {}
        for record in records:
            model = raced(record) or record.model
            self._records.setdefault((model, record.dataset["name"]), []).append(current(record))
        self._entries: dict[Any, Entry | None] = {}
        self._found: dict[Any, list[Record | None]] = {}

    def of(self, job: Job) -> list[Record]:
        """A Record a split, in the order of the splits; splits that were not run are left out."""
        return [r for r in self.by_split(job) if r is not None]

    def by_split(self, job: Job) -> list[Record | None]:
        """A Record a split, or None."""
        key = job.dataset, job.protocol, repr(job.how)
        if key not in self._found:
            self._found[key] = self._find(job)
        return self._found[key]

    def _find(self, job: Job) -> list[Record | None]:
        model = job.how.note if isinstance(job.how, Auto) else job.model
        some = self._records.get((model, job.dataset), [])
        splits = names(job.dataset, job.protocol)
        if isinstance(job.how, Auto):
            return [next((r for r in some if _on(r, s)), None) for s in splits]
        entry = self.entry(job)
        if entry is None:
            return [None] * len(splits)
        limit = min(entry.training.epochs, self.scale.epochs or entry.training.epochs)
        served, scaled = (
            Served(entry, replace(entry.training, epochs=limit)),
            {"preprocessing": entry.preprocess},
        )

        def found(split: Split) -> Record | None:
            # A Record's own checksum: without the graph there is no other, and names are checked on loading.
            mine = (r for r in some if _on(r, split) and served.by(r, r.dataset | scaled, split))
            return next(mine, None)

        return [found(split) for split in splits]

    def entry(self, job: Job) -> Entry | None:
        """The setting that a job trains; None while its search has not ended."""
        if isinstance(job.how, Published):
            return job.how.entry
        key = job.dataset, job.protocol, repr(job.how)
        if key not in self._entries and not isinstance(job.how, Auto):
            self._entries[key] = winner(self.folder, job.dataset, job.protocol, job.how)
        return self._entries.get(key)

    def is_whole(self, job: Job) -> bool:
        """Whether a job's search, if it has one, has tried all of its settings."""
        if not isinstance(job.how, Searched):
            return True
        return tried(self.folder, job.dataset, job.protocol, job.how)[1]

    def value(self, job: Job, measure: str = "accuracy", part: str = "test") -> Value | None:
        """Mean in percent with its interval, or None if nothing was run."""
        scores = [100 * r.scores[part][measure] for r in self.of(job)]
        return value_of(scores) if scores else None

    def gain(self, job: Job, than: Job) -> Value | None:
        """Points by which one job is better than another, split by split, or None if they share no split.

        Its interval is that of the corrected resampled t-test: training sets of different splits overlap.
        """
        both = zip(self.by_split(job), self.by_split(than), strict=True)
        found = [
            100 * (a.scores["test"]["accuracy"] - b.scores["test"]["accuracy"]) for a, b in both if a and b
        ]
        return value_of(found, overlap(job.protocol)) if found else None

    def taken(self, measure: Measure) -> dict[str, dict[str, float]] | None:
        """What was measured, or None."""
        record = self.record(measure)
        return None if record is None else record.scores

    def record(self, measure: Measure) -> Record | None:
        """The Record of a measure, or None."""
        some = self._records.get((measure.part, measure.dataset), [])
        return next((r for r in some if _same(r.config, measure.what)), None)


def raced(record: Record) -> str | None:
    """Auto's note, if the Record is one of auto's."""
    return next((note for note in record.notes if note.startswith(RACED)), None)


def current(record: Record) -> Record:
    """A Record with the options that were added since, at their defaults: they did what is done without them.

    Examples
    --------
    >>> old = Record("sgc", {"K": 2}, {}, {}, {"name": "quota"}, 0, {})
    >>> current(old).config["K"], len(current(old).config) > 1
    (2, True)
    """
    if not record.split:
        return record
    config = _defaults(model_class(record.model).Config) | record.config
    return replace(record, config=config, training=USUAL | record.training)


@cache
def _defaults(config: type[Any]) -> dict[str, Any]:
    return asdict(config())


def value_of(scores: Sequence[float], overlap: float = 0.0) -> Value:
    """Mean, half of its 95% interval, and the number of values; see ``significance.paired`` for the overlap.

    Examples
    --------
    >>> value_of([90.0])
    Value(mean=90.0, half=None, runs=1)
    """
    return Value(float(np.mean(scores)), interval(scores, overlap), len(scores))


def cell_of(value: Value | None, splits: int) -> Cell:
    """A cell that says of how many splits its value is, where some are missing.

    Examples
    --------
    >>> cell_of(value_of([90.0, 91.0]), 10).note
    '2 of 10 splits'
    """
    short = value is not None and value.runs < splits
    return Cell(value, note=f"{value.runs} of {splits} splits" if value and short else "")


def whole(value: Value | None, splits: int) -> Value | None:
    """A value over all splits, else None: a mean over some of them does not compare with those over all.

    Examples
    --------
    >>> whole(value_of([90.0, 91.0]), 10) is None
    True
    """
    return value if value is not None and value.runs == splits else None


def _on(record: Record, split: Split) -> bool:
    return (record.split.get("name"), record.split.get("seed")) == (split.name, split.seed)


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return json.dumps(dict(a), sort_keys=True) == json.dumps(dict(b), sort_keys=True)

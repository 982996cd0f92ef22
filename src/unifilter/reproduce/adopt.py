"""Records that other commands left, taken over where they are what a job would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unifilter.record import Record, read
from unifilter.reproduce.executor import distinct, records_of, results_of
from unifilter.reproduce.part import Auto, Part, Scale
from unifilter.reproduce.results import Results, raced


def adopt(files: Sequence[Path], parts: Sequence[Part], scale: Scale, folder: Path) -> int:
    """Append the Records of some files that jobs of the parts lack; how many.

    A Record counts if its model, options, training, preprocessing, split and seed are those of the job.
    Auto's are known by the candidates of their race.

    Examples
    --------
    >>> import tempfile
    >>> adopt([], [], Scale(), Path(tempfile.mkdtemp()))
    0
    """
    offered = Results([_marked(r) for file in files for r in read(file)], folder, scale)
    there, taken = results_of(folder, scale), 0
    for job in distinct(job for part in parts for job in part.jobs(scale)):
        for mine, theirs in zip(there.by_split(job), offered.by_split(job), strict=True):
            if mine is None and theirs is not None:
                theirs.append(records_of(folder))
                taken += 1
    return taken


def _marked(record: Record) -> Record:
    """With the note of auto, whose candidates come with a loss: those of a grid have none."""
    unmarked = bool(record.candidates) and all("loss" in c for c in record.candidates) and not raced(record)
    return replace(record, notes=[*record.notes, Auto().note]) if unmarked else record

"""Records that other commands left, taken over where they are what a job would give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unifilter.record import read
from unifilter.reproduce.executor import distinct, records_of, results_of
from unifilter.reproduce.part import Part, Scale
from unifilter.reproduce.results import Results


def adopt(files: Sequence[Path], parts: Sequence[Part], scale: Scale, folder: Path) -> int:
    """Append the Records of some files that jobs of the parts lack; how many.

    A Record counts if its model, options, training, preprocessing, split and seed are those of the job.
    Auto's are known by what they say of their race.

    Examples
    --------
    >>> import tempfile
    >>> adopt([], [], Scale(), Path(tempfile.mkdtemp()))
    0
    """
    offered = Results([r for file in files for r in read(file)], folder, scale)
    there, taken = results_of(folder, scale), 0
    for job in distinct(job for part in parts for job in part.jobs(scale)):
        for mine, theirs in zip(there.by_split(job), offered.by_split(job), strict=True):
            if mine is None and theirs is not None:
                theirs.append(records_of(folder))
                taken += 1
    return taken

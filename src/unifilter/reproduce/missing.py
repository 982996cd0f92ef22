"""What is still to be run: jobs and measures without all of their Records, part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unifilter.reproduce.executor import complete, distinct
from unifilter.reproduce.part import Job, Part, Scale
from unifilter.reproduce.protocols import parse
from unifilter.reproduce.results import Results
from unifilter.viz.exhibit import Words

TITLE = "Still to be run"
KINDS = {"quota": "60/20/20 quota splits", "quota48": "48/32/20 quota splits", "fixed": "public splits"}


def still_to_run(parts: Sequence[Part], results: Results, scale: Scale) -> list[Words]:
    """A line a part that lacks anything; what parts share is told under the first of them.

    Examples
    --------
    >>> from pathlib import Path
    >>> still_to_run([], Results([], Path("."), Scale()), Scale())
    []
    """
    items: list[tuple[str, str]] = []
    told: set[str] = set()
    count = 0
    for part in parts:
        jobs = [j for j in distinct(part.jobs(scale)) if _key(j) not in told]
        told |= {_key(j) for j in jobs}
        lacking = [j for j in jobs if not complete(results, j)]
        measures = [m for m in part.measures(scale) if m.name not in told]
        told |= {m.name for m in measures}
        unmeasured = Counter(m.dataset for m in measures if results.record(m) is None)
        lost, every = len(lacking) + unmeasured.total(), len(jobs) + len(measures)
        if lost:
            said = [*_by_row(lacking), *(f"{n} measures on {graph}" for graph, n in unmeasured.items())]
            items.append((f"{part.title}: {lost} of {every}", "; ".join(said)))
            count += lost
    if not items:
        return []
    opening = f"{count} of {len(told)} rows on a graph and measures are not there, or not for every split."
    return [Words("missing", TITLE, [opening], items)]


def _by_row(jobs: Sequence[Job]) -> list[str]:
    """Rows with their graphs, by kind of splits."""
    found: dict[str, dict[str, list[str]]] = {}
    for job in jobs:
        found.setdefault(parse(job.protocol)[0], {}).setdefault(job.row, []).append(job.dataset)
    return [
        f"{KINDS.get(kind, kind)}: " + "; ".join(f"{row} ({', '.join(g)})" for row, g in rows.items())
        for kind, rows in found.items()
    ]


def _key(job: Job) -> str:
    return repr((job.dataset, job.protocol, job.how))

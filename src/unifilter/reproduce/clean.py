"""Both tables on Chameleon and Squirrel without their duplicated nodes, which leak from training to test."""

from __future__ import annotations

from collections.abc import Sequence

from unifilter.reproduce import rows
from unifilter.reproduce.accuracies import accuracies, best_of
from unifilter.reproduce.part import SIX, Claim, Job, Part, Scale
from unifilter.reproduce.results import Results
from unifilter.viz.exhibit import Exhibit

FILTERED = ("chameleon-filtered", "squirrel-filtered")
KINDS = {"table2": "quota", "table3": "fixed"}
TITLES = {"table2": "polynomial filters, 60/20/20", "table3": "model-optimised methods, 48/32/20"}
CAPTION = (
    "Test accuracy in percent, mean over {splits} {kind} splits. Where no settings are "
    "published for these graphs, those of the graph with duplicates; the paper prints no figure for them."
)


def graphs(scale: Scale) -> tuple[str, ...]:
    """The filtered graphs; nothing stands for them in a quick run that lacks them."""
    return tuple(g for g in FILTERED if g in scale.graphs or scale.graphs == SIX)


def jobs(scale: Scale) -> list[Job]:
    """Rows of both tables."""
    return [job for name in KINDS for job in rows_of(name, scale)]


def rows_of(name: str, scale: Scale) -> list[Job]:
    """Rows of one of the tables."""
    return rows.table(name, KINDS[name], graphs(scale), scale)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Two tables."""
    if not graphs(scale):
        return []
    return [
        accuracies(
            f"clean_{name}",
            f"Without duplicated nodes: {TITLES[name]}",
            name,
            rows_of(name, scale),
            results,
            CAPTION.format(splits=scale.splits, kind=kind),
        )
        for name, kind in KINDS.items()
    ]


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run, who leads where."""
    return [] if scale.quick else [c for name in KINDS for c in best_of(results, rows_of(name, scale))]


PART = Part("clean", "Both tables without duplicated nodes", show, jobs, check=check)

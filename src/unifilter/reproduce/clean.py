"""Both tables on Chameleon and Squirrel without their duplicated nodes, which leak from training to test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unifilter.data.dataset import Dataset
from unifilter.reproduce import rows
from unifilter.reproduce.accuracies import accuracies, best_of, majorities
from unifilter.reproduce.part import SIX, Claim, Job, Measure, Part, Scale
from unifilter.reproduce.results import Results, value_of
from unifilter.viz.exhibit import Cell, Exhibit

FILTERED = ("chameleon-filtered", "squirrel-filtered")
KINDS = {"table2": "quota", "table3": "fixed"}
TITLES = {"table2": "polynomial filters, 60/20/20", "table3": "model-optimised methods, 48/32/20"}
CAPTION = (
    "Test accuracy in percent, mean over {splits} {kind} splits. Where no settings are published for these "
    "graphs, those of the graph with duplicates; the paper prints no figure for them. The floor is to "
    "name the class that is most frequent among test nodes: quota splits leave some classes none of these."
)
FLOOR = "the largest class"


def graphs(scale: Scale) -> tuple[str, ...]:
    """The filtered graphs; nothing stands for them in a quick run that lacks them."""
    return tuple(g for g in FILTERED if g in scale.graphs or scale.graphs == SIX)


def jobs(scale: Scale) -> list[Job]:
    """Rows of both tables."""
    return [job for name in KINDS for job in rows_of(name, scale)]


def rows_of(name: str, scale: Scale) -> list[Job]:
    """Rows of one of the tables."""
    return rows.table(name, KINDS[name], graphs(scale), scale)


def measure(graph: str, name: str, scale: Scale) -> Measure:
    """The floor of a table on a graph."""
    return Measure("clean", graph, {"protocol": f"{KINDS[name]}:{scale.splits}"}, take)


def measures(scale: Scale) -> list[Measure]:
    """One a table and graph."""
    return [measure(graph, name, scale) for name in KINDS for graph in graphs(scale)]


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """Shares of the class that is the most frequent one among the test nodes, by split.

    Examples
    --------
    >>> from unifilter.data import load
    >>> take(load("sbm:n=400,classes=4"), {"protocol": "quota:2"}, "cpu")
    {'largest': {'0': 0.3, '1': 0.325}}
    """
    return {"largest": {str(i): share for i, share in enumerate(majorities(dataset, what["protocol"]))}}


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Two tables."""
    if not graphs(scale):
        return []
    found = []
    for name, kind in KINDS.items():
        caption = CAPTION.format(splits=scale.splits, kind=kind)
        title = f"Without duplicated nodes: {TITLES[name]}"
        table = accuracies(f"clean_{name}", title, name, rows_of(name, scale), results, caption)
        floor = {
            g: Cell(value_of([100 * share for share in taken["largest"].values()]))
            for g in graphs(scale)
            if (taken := results.taken(measure(g, name, scale))) is not None
        }
        found.append(replace(table, rows={**table.rows, **({FLOOR: floor} if floor else {})}))
    return found


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run, who leads where."""
    return [] if scale.quick else [c for name in KINDS for c in best_of(results, rows_of(name, scale))]


PART = Part("clean", "Both tables without duplicated nodes", show, jobs, measures, check)

"""Dataset table: the size and homophily of every graph, counted on the raw files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unifilter.data.dataset import Dataset
from unifilter.graph.homophily import edge_homophily
from unifilter.reproduce.part import Claim, Measure, Part, Scale
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import Results
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

COUNTS = {"nodes": "nodes n", "edges": "edges m", "features": "features d", "classes": "classes"}
LISTS = {
    "listed": "lines of the raw edge list",
    "loops": "of them self-loops",
    "repeated": "of them repeated or reversed",
}


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """Counts of a graph, and of the list of edges that it was made from.

    Examples
    --------
    >>> from unifilter.data import load
    >>> take(load("sbm:n=100,h=0.25,degree=4"), {}, "cpu")["graph"]["homophily"]
    0.25
    """
    graph = dataset.graph
    found = {
        "nodes": graph.n,
        "edges": graph.m,
        "features": dataset.d,
        "classes": len(dataset.classes),
        "homophily": edge_homophily(graph, dataset.y, dataset.labelled),
    }
    scores = {"graph": {k: float(v) for k, v in found.items()}}
    if dataset.arcs is not None:
        tail, head = np.minimum(*dataset.arcs), np.maximum(*dataset.arcs)
        loops = int((tail == head).sum())
        listed = tail.size
        scores["list"] = {"listed": listed, "loops": loops, "repeated": listed - loops - graph.m}
        scores["list"] = {k: float(v) for k, v in scores["list"].items()}
    return scores


def measure(graph: str) -> Measure:
    """All of one graph."""
    return Measure("datasets", graph, {}, take)


def measures(scale: Scale) -> list[Measure]:
    """One a graph."""
    return [measure(graph) for graph in scale.graphs]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Three tables, by their digits: counts, homophily, and the raw lists."""
    found = {g: taken for g in scale.graphs if (taken := results.taken(measure(g))) is not None}
    paper = printed()["datasets"]

    def row(group: str, key: str) -> dict[str, Cell]:
        cells = {}
        for graph, taken in found.items():
            if key in taken.get(group, {}):
                cells[graph] = Cell(Value(taken[group][key]), paper.get(graph, {}).get(key))
        return cells

    counts = {said: row("graph", key) for key, said in COUNTS.items()}
    lists = {said: row("list", key) for key, said in LISTS.items()}
    tables = [
        Table(
            *("datasets", "The graphs", list(found), counts),
            caption="Edges are undirected, without loops, each counted once. The paper's edges of Cora, "
            "Citeseer and Pubmed are half the lines of the raw list, in which some edges are repeated.",
            **_PLAIN,
        ),
        Table(
            *("homophily", "Homophily ratio h", list(found), {"h": row("graph", "homophily")}),
            caption="The share of edges that join equal labels, on all labels.",
            **_PLAIN | {"digits": 4, "printed_digits": 2},
        ),
        Table(*("edge_lists", "The raw lists of edges", list(found), lists), **_PLAIN),
    ]
    return [t for t in tables if any(t.rows.values())]


_PLAIN: dict[str, Any] = {"unit": "", "digits": 0, "best": "none"}


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """The raw lists explain every count of edges that differs from the printed one."""
    holds, found = True, []
    for graph in scale.graphs:
        taken, theirs = results.taken(measure(graph)), printed()["datasets"].get(graph)
        if taken is None or theirs is None:
            continue
        same = all(taken["graph"][k] == theirs[k] for k in ("nodes", "features", "classes"))
        edges, listed = taken["graph"]["edges"], taken.get("list", {}).get("listed", 0.0)
        explained = edges == theirs["edges"] or listed == 2 * theirs["edges"]
        holds = holds and same and explained
        found.append(f"{graph} {edges:,.0f} edges, printed {theirs['edges']:,}, {listed:,.0f} lines")
    sentence = "all sizes are the printed ones, edges counted once or as half the lines of the raw list"
    return [Claim(sentence, holds, "; ".join(found))] if found else []


PART = Part("datasets", "Datasets: six graphs", show, measures=measures, check=check)

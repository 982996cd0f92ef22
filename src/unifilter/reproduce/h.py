"""Sensitivity to the estimate of h on Pubmed and Squirrel."""

from __future__ import annotations

from collections.abc import Sequence

from unifilter.reproduce.accuracies import collapsed
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale
from unifilter.reproduce.printed import half_of, printed
from unifilter.reproduce.results import Results
from unifilter.reproduce.tau import BASES, entry
from unifilter.viz.exhibit import Cell, Exhibit, Table

GRAPHS = ("pubmed", "squirrel")
SMALL = 2.0  # points: what counts as insensitive


def values(graph: str) -> list[float]:
    """Those that the paper tries; on other graphs, two."""
    found: list[float] = printed()["h_sensitivity"].get(graph, {"h": [0.2, 0.8]})["h"]
    return found


def job(graph: str, basis: str, h: float, scale: Scale) -> Job:
    """One value."""
    how = Published(entry(graph, basis, "h", h))
    return Job(f"UniFilter, {BASES[basis]}, h = {h:g}", graph, f"quota:{scale.splits}", how)


def jobs(scale: Scale) -> list[Job]:
    """Both graphs, both bases, all values."""
    return [job(g, b, h, scale) for g in scale.has(*GRAPHS) for b in BASES for h in values(g)]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A table a graph."""
    return [_table(graph, results, scale) for graph in scale.has(*GRAPHS)]


def _table(graph: str, results: Results, scale: Scale) -> Table:
    paper = printed()["h_sensitivity"].get(graph)
    rows: dict[str, dict[str, Cell]] = {}
    for basis, name in BASES.items():
        cells = {}
        for i, h in enumerate(values(graph)):
            mean, spread = paper["accuracy"][i] if paper else (None, None)
            half = None if spread is None else half_of(spread)
            one = job(graph, basis, h, scale)
            note = "; ".join(collapsed(results, one))
            cells[f"h = {h:g}"] = Cell(results.value(one), mean, note, half)
        rows[name] = cells
    caption = (
        "The authors' setting of the graph, with h as given instead of estimated; 60/20/20 quota splits."
    )
    safe = "".join(c if c.isalnum() else "_" for c in graph)
    columns = [f"h = {h:g}" for h in values(graph)]
    return Table(
        f"h_{safe}", f"Sensitivity to h, {graph}", columns, rows, caption, best="none", corner="basis"
    )


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run: no value of h near the true one costs much."""
    claims = []
    for graph in () if scale.quick else scale.has(*GRAPHS):
        for basis, name in BASES.items():
            some = [results.value(job(graph, basis, h, scale)) for h in values(graph)]
            found = [v.mean for v in some if v is not None and v.runs == scale.splits]
            if len(found) == len(some):
                evidence = f"{min(found):.2f} to {max(found):.2f}"
                sentence = (
                    f"on {graph} the accuracy changes by less than {SMALL:g} points over these h: {name}"
                )
                claims.append(Claim(sentence, max(found) - min(found) < SMALL, evidence))
    return claims


PART = Part("h", "Sensitivity to the estimate of h on Pubmed and Squirrel", show, jobs, check=check)

"""Homophily estimates: h from training labels, at both split shares and at shares from 10% to 60%."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unifilter._types import BoolArray
from unifilter.data import splits
from unifilter.data.dataset import Dataset
from unifilter.graph.homophily import edge_homophily
from unifilter.models._operators import from_arcs
from unifilter.reproduce.as_printed import LOOPS
from unifilter.reproduce.part import Claim, Measure, Part, Scale
from unifilter.reproduce.printed import half_of, printed
from unifilter.reproduce.protocols import trials
from unifilter.reproduce.results import Results, value_of
from unifilter.train.run import training_homophily
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Value

# What the reader calls it, and the printed row that it stands beside.
PROTOCOLS = {
    "quota": ("60%, quota splits", "60"),
    "quota48": ("48%, quota splits", "48"),
    "fixed": ("48%, fixed splits", "48"),
    "stratified": ("60%, stratified splits", ""),
}
BEYOND = (PROTOCOLS["fixed"][0],)  # the other reading of 48%, which the printed figures are not of
LOOPED = {kind: f"{PROTOCOLS[kind][0]}, loops counted" for kind in ("quota", "quota48")}
SHARED = ("cora", "squirrel")


def shares(scale: Scale) -> list[float]:
    """Training shares of the second table."""
    every: list[float] = printed()["h_estimate_by_share"]["share"]
    return [0.2, 0.6] if scale.quick else every


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """An estimate a split, and h itself.

    Examples
    --------
    >>> from unifilter.data import load
    >>> found = take(load("sbm:n=500,h=0.25"), {"protocol": "stratified:2"}, "cpu")
    >>> [round(h, 1) for h in found["estimate"].values()], found["graph"]["h"]
    ([0.2, 0.2], 0.25)
    """
    if "share" in what:
        drawn = [splits.quota(dataset.y, what["share"], 0.2, seed) for seed in splits.SEEDS[: what["splits"]]]
    else:
        drawn = [trial.split for trial in trials(dataset, what["protocol"])]
    if what.get("loops"):
        found = {str(i): looped(dataset, split.train) for i, split in enumerate(drawn)}
    else:
        found = {str(i): training_homophily(dataset, split, []) for i, split in enumerate(drawn)}
    return {"estimate": found, "graph": {"h": edge_homophily(dataset.graph, dataset.y, dataset.labelled)}}


def looped(dataset: Dataset, mask: BoolArray) -> float:
    """The estimate with the self-loops of the data as edges, which join a label to itself."""
    assert dataset.arcs is not None
    A = from_arcs(dataset.arcs, dataset.graph.n, directed=False, loops=True).tocoo()
    once = (A.row <= A.col) & mask[A.row] & mask[A.col]
    return float(np.mean(dataset.y[A.row[once]] == dataset.y[A.col[once]]))


def by_protocol(graph: str, kind: str, scale: Scale) -> Measure:
    """The estimates of one protocol."""
    return Measure("estimates", graph, {"protocol": f"{kind}:{scale.splits}"}, take)


def with_loops(graph: str, kind: str, scale: Scale) -> Measure:
    """The same with the loops of the data."""
    return Measure("estimates", graph, {"protocol": f"{kind}:{scale.splits}", "loops": True}, take)


def by_share(graph: str, share: float, scale: Scale) -> Measure:
    """The estimates of one training share."""
    return Measure("estimates", graph, {"share": share, "splits": scale.splits}, take)


def measures(scale: Scale) -> list[Measure]:
    """All graphs and protocols; all shares of two graphs."""
    found = [by_protocol(graph, kind, scale) for graph in scale.graphs for kind in PROTOCOLS]
    found += [with_loops(g, kind, scale) for g in scale.graphs if g in LOOPS for kind in LOOPED]
    return found + [by_share(g, s, scale) for g in scale.has(*SHARED) for s in shares(scale)]


def estimated(results: Results, measure: Measure) -> list[float]:
    """One number a split; none if nothing was measured."""
    taken = results.taken(measure)
    return [] if taken is None else list(taken["estimate"].values())


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Estimates with their spread, and how they change with the share."""
    means, spreads = _by_protocol(results, scale)
    plots = [_plot(graph, results, scale) for graph in scale.has(*SHARED)]
    return [means, spreads, *_by_share(results, scale), *plots]


def _by_protocol(results: Results, scale: Scale) -> tuple[Table, Table]:
    columns = list(scale.graphs)
    means: dict[str, dict[str, Cell]] = {"h on all labels": {}}
    spreads: dict[str, dict[str, Cell]] = {}
    for kind, (name, source) in PROTOCOLS.items():
        means[name], spreads[name] = {}, {}
        for graph in columns:
            taken = results.taken(by_protocol(graph, kind, scale))
            if taken is None:
                continue
            some = list(taken["estimate"].values())
            mean, spread = printed()["h_estimate"].get(source, {}).get(graph, (None, None))
            half = None if spread is None else half_of(spread)
            means["h on all labels"][graph] = Cell(Value(taken["graph"]["h"]))
            means[name][graph] = Cell(value_of(some), mean, printed_half=half)
            spreads[name][graph] = _spread(some, spread)
    for kind, name in LOOPED.items():
        for graph in (g for g in columns if g in LOOPS):
            if some := estimated(results, with_loops(graph, kind, scale)):
                mean, spread = printed()["h_estimate"][PROTOCOLS[kind][1]][graph]
                means.setdefault(name, {})[graph] = Cell(value_of(some), mean, printed_half=half_of(spread))
                spreads.setdefault(name, {})[graph] = _spread(some, spread)
    beyond = (*BEYOND, *(name for name in LOOPED.values() if name in means))
    caption = (
        "From the labels of training nodes alone. Quota splits take as many nodes from every class, so "
        "edges of small classes count more than they do in the graph; stratified splits do not. "
        "What is printed for 48% comes from quota splits: fixed ones stand beside it and are not counted. "
        "Loops counted: with the edges of the data that join a node to itself, as the authors' loader keeps "
        "them on these graphs; what is printed there fits these rows, which are not counted either."
    )
    title = "Homophily estimated from training labels"
    spread_title = "Standard deviation of the estimate over splits"
    return (
        Table("estimates", title, columns, means, caption, beyond=beyond, **_FINE),
        Table("estimates_spread", spread_title, columns, spreads, beyond=beyond, **_SPREAD),
    )


def _by_share(results: Results, scale: Scale) -> tuple[Table, Table]:
    means: dict[str, dict[str, Cell]] = {}
    spreads: dict[str, dict[str, Cell]] = {}
    for graph in scale.has(*SHARED):
        for share in shares(scale):
            some = estimated(results, by_share(graph, share, scale))
            mean, spread = _printed(graph, share)
            if some:
                half = None if spread is None else half_of(spread)
                means.setdefault(graph, {})[f"{share:.0%}"] = Cell(value_of(some), mean, printed_half=half)
                spreads.setdefault(graph, {})[f"{share:.0%}"] = _spread(some, spread)
    columns = [f"{share:.0%}" for share in shares(scale)]
    title = "Homophily estimated from shares of the labels"
    return (
        Table("estimates_by_share", title, columns, means, "Quota splits.", **_FINE),
        Table(
            "estimates_by_share_spread", "Their standard deviation over splits", columns, spreads, **_SPREAD
        ),
    )


def _plot(graph: str, results: Results, scale: Scale) -> Plot:
    some = [(s, found) for s in shares(scale) if (found := estimated(results, by_share(graph, s, scale)))]
    values = [(s, value_of(found)) for s, found in some]
    series = [
        Series("estimate", [s for s, _ in values], [v.mean for _, v in values], [v.half for _, v in values])
    ]
    paper = [(s, *_printed(graph, s)) for s in shares(scale)]
    known = [
        (s, mean, half_of(spread)) for s, mean, spread in paper if mean is not None and spread is not None
    ]
    if known:
        x, y, half = zip(*known, strict=True)
        series.append(Series("estimate", x, y, half, printed=True))
    taken = results.taken(by_share(graph, shares(scale)[-1], scale))
    if taken is not None:
        ends = [shares(scale)[0], shares(scale)[-1]]
        series.append(Series("h on all labels", ends, [taken["graph"]["h"]] * 2, reference=True))
    name = f"estimates_{safe(graph)}"
    return Plot(name, f"Estimate of h by training share, {graph}", "training share", "h", series)


def safe(name: str) -> str:
    """A name that may be part of a file's.

    Examples
    --------
    >>> safe("sbm:n=300,h=0.1")
    'sbm_n_300_h_0_1'
    """
    return "".join(c if c.isalnum() else "_" for c in name)


def _printed(graph: str, share: float) -> tuple[float | None, float | None]:
    paper = printed()["h_estimate_by_share"]
    if graph not in paper or share not in paper["share"]:
        return None, None
    mean, spread = paper[graph][paper["share"].index(share)]
    return mean, spread


def _spread(some: Sequence[float], paper: float | None) -> Cell:
    """A standard deviation; the paper prints two or three digits of it."""
    ours = Value(float(np.std(some, ddof=1)) if len(some) > 1 else float("nan"))
    if paper is None:
        return Cell(ours)
    return Cell(ours, paper, printed_half=0.005 if paper == round(paper, 2) else 0.0)


_FINE: dict[str, Any] = {"unit": "", "digits": 3, "best": "none", "printed_digits": 2}
_SPREAD: dict[str, Any] = _FINE | {"printed_digits": 3}


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """Training labels are enough: on stratified splits the estimate is near h."""
    known = {
        g: t for g in scale.graphs if (t := results.taken(by_protocol(g, "stratified", scale))) is not None
    }
    means = {g: float(np.mean(list(t["estimate"].values()))) for g, t in known.items()}
    if not means:
        return []
    holds = all(abs(mean - known[g]["graph"]["h"]) < 0.05 for g, mean in means.items())
    evidence = "; ".join(f"{g} {mean:.3f}, h = {known[g]['graph']['h']:.3f}" for g, mean in means.items())
    return [Claim("from stratified splits the estimate is within 0.05 of h", holds, evidence)]


PART = Part("estimates", "Homophily estimated from training labels", show, measures=measures, check=check)

"""Sensitivity to tau, the share of the homophily basis, on Cora and Squirrel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unifilter.reproduce.accuracies import failures
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale, unproven
from unifilter.reproduce.printed import half_of, printed
from unifilter.reproduce.results import Results
from unifilter.reproduce.settings import released
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Exhibit, Plot, Series

GRAPHS = ("cora", "squirrel")
BASES = {"released": "released basis", "unibasis": "exact basis"}


def taus(scale: Scale) -> list[float]:
    """Eleven; in a quick run the ends and the middle."""
    return [0.0, 0.5, 1.0] if scale.quick else [i / 10 for i in range(11)]


def entry(graph: str, basis: str, option: str, value: float) -> Entry:
    """The authors' setting of a graph with one option changed."""
    known = released(graph, basis) or Entry(
        "unifilter", options={"basis": basis, "tau": 0.5, "h": "estimate"}
    )
    return replace(known, options=known.options | {option: value})


def job(graph: str, basis: str, tau: float, scale: Scale) -> Job:
    """One value."""
    how = Published(entry(graph, basis, "tau", tau))
    return Job(f"UniFilter, {BASES[basis]}, tau = {tau:g}", graph, f"quota:{scale.splits}", how)


def jobs(scale: Scale) -> list[Job]:
    """Both graphs, both bases, all values."""
    return [job(g, b, t, scale) for g in scale.has(*GRAPHS) for b in BASES for t in taus(scale)]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A figure a graph."""
    return [_figure(graph, results, scale) for graph in scale.has(*GRAPHS)]


def _figure(graph: str, results: Results, scale: Scale) -> Plot:
    series = []
    for basis, name in BASES.items():
        values = [
            (t, v) for t in taus(scale) if (v := results.value(job(graph, basis, t, scale))) is not None
        ]
        xs, ys, halves = [t for t, _ in values], [v.mean for _, v in values], [v.half for _, v in values]
        series.append(Series(name, xs, ys, halves))
    paper = printed()["tau_sensitivity"]
    if graph in paper:
        means, spreads = zip(*paper[graph], strict=True)
        half = [half_of(s) for s in spreads]
        series.append(Series(BASES["released"], paper["tau"], means, half, printed=True))
    caption = "The authors' setting of the graph, with tau as given; 60/20/20 quota splits, 95% intervals."
    caption += failures(results, [job(graph, b, t, scale) for b in BASES for t in taus(scale)])
    title = f"Sensitivity to tau, {graph}"
    return Plot(f"tau_{_safe(graph)}", title, "tau", "test accuracy (%)", series, caption)


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """Where neighbours agree, the homophily basis alone beats the heterophily basis alone."""
    graph = scale.has("cora")[0] if scale.has("cora") else None
    if graph is None:
        return []
    sentence = f"on {graph} tau = 1 beats tau = 0"
    low, high = (results.value(job(graph, "unibasis", t, scale)) for t in (0.0, 1.0))
    if low is None or high is None:
        return unproven(sentence, scale)
    return [Claim(sentence, high.mean > low.mean, f"{high.mean:.1f} against {low.mean:.1f}")]


PART = Part("tau", "Sensitivity to tau on Cora and Squirrel", show, jobs, check=check)

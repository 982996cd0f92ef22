"""Beyond the paper: what learning tau and h gains over a tau that was searched and an h that is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unifilter.record import Record
from unifilter.reproduce import tau
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale, Searched, unproven
from unifilter.reproduce.printed import printed
from unifilter.reproduce.protocols import parse
from unifilter.reproduce.results import PAIRED, Results, value_of, whole
from unifilter.reproduce.rows import search_of
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

OWN = "tau and h as the search has them"
FIXED, HALF, LEARNED = "the paper's tau, h estimated", "tau learned, h estimated", "tau and h learned"
# Options that replace those of the searched setting; the paper's tau is the graph's.
FORMS: dict[str, dict[str, Any]] = {
    OWN: {},
    FIXED: {"h": "estimate"},
    HALF: {"tau": "learn", "h": "estimate"},
    LEARNED: {"tau": "learn", "h": "learn"},
}
BEGIN = 0.5  # a learned tau
GAINS = {
    "gain of learning tau": (HALF, FIXED),
    "gain of learning both": (LEARNED, FIXED),
    "gain of learning both over the search's own": (LEARNED, OWN),
}
TAU_ROWS = (
    "tau, the paper's", "tau, searched", "tau, the search's own", "tau, learned",
    "h, the paper's", "h, learned",
)  # fmt: skip


def job(form: str, graph: str, scale: Scale) -> Job:
    """One form on one graph: the searched setting of Table 2 with the options of the form."""
    changes = ({"tau": printed()["tau"].get(graph, 0.5)} if form == FIXED else {}) | FORMS[form]
    how: Published | Searched = replace(search_of("unifilter", scale), changes=changes)
    if scale.quick:
        how = Published(Entry("unifilter", options=changes))
    return Job(form, graph, f"quota:{scale.splits}", how)


def jobs(scale: Scale) -> list[Job]:
    """All forms on all graphs, and the values of tau that were tried for their figure."""
    found = [job(form, graph, scale) for form in FORMS for graph in scale.graphs]
    return found + [j for some in searched(scale).values() for j in some.values()]


def searched(scale: Scale) -> dict[str, dict[float, Job]]:
    """By graph, a job for each value of tau that the figure shows, with the exact basis."""
    graphs = scale.has(*tau.GRAPHS) if scale.quick else scale.graphs
    return {g: {t: tau.job(g, "unibasis", t, scale) for t in tau.taus(scale)} for g in graphs}


def best_tau(tried: dict[float, Job], results: Results) -> float | None:
    """The value with the best mean validation accuracy over the splits, once all were tried."""
    means = {}
    for value, one in tried.items():
        records = results.of(one)
        if len(records) < parse(one.protocol)[1]:
            return None
        means[value] = np.mean([r.scores["val"]["accuracy"] for r in records])
    return max(means, key=means.__getitem__)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Accuracies, gains, and tau itself."""
    return [_gains(results, scale), _taus(results, scale)]


def _gains(results: Results, scale: Scale) -> Table:
    rows: dict[str, dict[str, Cell]] = {form: {} for form in FORMS}
    for form in FORMS:
        for graph in scale.graphs:
            rows[form][graph] = Cell(whole(results.value(job(form, graph, scale)), scale.splits))
    for name, forms in GAINS.items():
        rows[name] = {g: Cell(whole(gain(results, *forms, g, scale), scale.splits)) for g in scale.graphs}
    caption = (
        f"Searched setting of Table 2, {scale.splits} quota splits; only tau and h differ. The search's own "
        "are learned in settings that were drawn, and a tau of the paper's in those that were published, "
        "which may be another graph's. The paper's tau was searched by its authors, for the basis of their "
        f"code. {PAIRED}"
    )
    return Table("learning", "What learning tau and h gains", scale.graphs, rows, caption, best="none")


def gain(results: Results, form: str, over: str, graph: str, scale: Scale) -> Value | None:
    """Points that a form gains over another one, split by split."""
    return results.gain(job(form, graph, scale), job(over, graph, scale))


def _taus(results: Results, scale: Scale) -> Table:
    rows: dict[str, dict[str, Cell]] = {name: {} for name in TAU_ROWS}
    for graph in scale.graphs:
        paper, tried = printed()["datasets"].get(graph, {}).get("homophily"), searched(scale).get(graph)
        known = printed()["tau"].get(graph), best_tau(tried, results) if tried else None, paper
        values = [None if v is None else Value(v) for v in known]
        records, own = results.of(job(LEARNED, graph, scale)), results.of(job(OWN, graph, scale))
        learned = [value_of([r.learned[n] for r in records]) if records else None for n in ("tau", "h")]
        every = (*values[:2], _own_tau(own), learned[0], values[2], learned[1])
        for row, value in zip(TAU_ROWS, every, strict=True):
            rows[row][graph] = Cell(value)
    caption = (
        "Searched: of 11 values the one with the best mean validation accuracy over the splits, with the "
        "authors' other settings and the exact basis. The search's own: of the best of its settings, each of "
        "which has a tau or learns it. Learned by gradient, with that setting: means over the splits."
    )
    title = "tau and h: the paper's, searched and learned"
    return Table("learning_tau", title, scale.graphs, rows, caption, unit="", best="none")


def _own_tau(records: Sequence[Record]) -> Value | None:
    """As the setting has it, or as it was learned."""
    if not records:
        return None
    said = records[0].config["tau"]
    return value_of([r.learned["tau"] for r in records]) if said == "learn" else Value(said)


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """That tau is learned at all; in a full run, whether it ends where the paper looks for it."""
    claims = []
    for graph in scale.graphs:
        sentence = f"learned tau leaves {BEGIN:g}, where it begins, on {graph}"
        found = [r.learned["tau"] for r in results.of(job(LEARNED, graph, scale))]
        if not found:
            claims += unproven(sentence, scale)
            continue
        evidence = f"{min(found):.2f} to {max(found):.2f}"
        claims.append(Claim(sentence, all(abs(tau - BEGIN) > 1e-3 for tau in found), evidence))
        h = printed()["datasets"].get(graph, {}).get("homophily")
        if not scale.quick and h is not None:
            sentence = f"learned tau lies within 0.5 of h = {h:g}, where the paper looks for it, on {graph}"
            claims.append(Claim(sentence, abs(float(np.mean(found)) - h) <= 0.5, evidence))
    return claims


PART = Part(
    "learning", "Beyond the paper: what learning tau and h gains; the tau table", show, jobs, check=check
)

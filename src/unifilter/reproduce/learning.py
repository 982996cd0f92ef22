"""Beyond the paper: what learning tau and h gains over choosing and estimating them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unifilter.reproduce.part import Claim, Job, Part, Published, Scale, Searched, unproven
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import Results, value_of
from unifilter.reproduce.rows import search_of
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

TAUS = [i / 10 for i in range(11)]
# Options that replace those of the searched setting, and whether tau is chosen on validation nodes.
FORMS: dict[str, tuple[dict[str, Any], bool]] = {
    "tau chosen, h estimated": ({"h": "estimate"}, True),
    "tau learned, h estimated": ({"tau": "learn", "h": "estimate"}, False),
    "tau chosen, h learned": ({"h": "learn"}, True),
    "tau and h learned": ({"tau": "learn", "h": "learn"}, False),
}
TAU_ROWS = ("tau, the paper's", "tau, chosen", "tau, learned", "h, the paper's", "h, learned")
CHOSEN, LEARNED = "tau chosen, h estimated", "tau and h learned"


def job(form: str, graph: str, scale: Scale) -> Job:
    """One form on one graph: the searched setting of Table 2 with the options of the form."""
    changes, chosen = FORMS[form]
    grid = {"tau": [0.0, 0.5, 1.0] if scale.quick else TAUS} if chosen else {}
    how: Published | Searched = replace(search_of("unifilter", scale), changes=changes, grid=grid)
    if scale.quick:
        how = Published(Entry("unifilter", options=changes, grid=grid))
    return Job(form, graph, f"quota:{scale.splits}", how)


def jobs(scale: Scale) -> list[Job]:
    """All forms on all graphs."""
    return [job(form, graph, scale) for form in FORMS for graph in scale.graphs]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Accuracies, gains, and tau itself."""
    return [_gains(results, scale), _taus(results, scale)]


def _gains(results: Results, scale: Scale) -> Table:
    rows: dict[str, dict[str, Cell]] = {form: {} for form in FORMS}
    for form in FORMS:
        for graph in scale.graphs:
            rows[form][graph] = Cell(results.value(job(form, graph, scale)))
    rows["gain of learning both"] = {g: Cell(gain(results, g, scale)) for g in scale.graphs}
    caption = (
        f"Searched setting of Table 2, {scale.splits} quota splits; only tau and h differ. Chosen: of 11 "
        "values on the validation nodes of every split. The gain is paired over the splits."
    )
    return Table("learning", "What learning tau and h gains", scale.graphs, rows, caption, best="none")


def gain(results: Results, graph: str, scale: Scale) -> Value | None:
    """Points that learning both gains over choosing tau and estimating h, split by split."""
    return results.gain(job(LEARNED, graph, scale), job(CHOSEN, graph, scale))


def _taus(results: Results, scale: Scale) -> Table:
    rows: dict[str, dict[str, Cell]] = {name: {} for name in TAU_ROWS}
    for graph in scale.graphs:
        paper = printed()["tau"].get(graph), printed()["datasets"].get(graph, {}).get("homophily")
        for row, known in zip(TAU_ROWS[::3], paper, strict=True):
            rows[row][graph] = Cell(None if known is None else Value(known))
        chosen = [float(r.config["tau"]) for r in results.of(job(CHOSEN, graph, scale))]
        learned = {n: [r.learned[n] for r in results.of(job(LEARNED, graph, scale))] for n in ("tau", "h")}
        for row, values in zip((*TAU_ROWS[1:3], TAU_ROWS[4]), (chosen, *learned.values()), strict=True):
            rows[row][graph] = Cell(value_of(values) if values else None)
    caption = "Chosen on the validation nodes of every split, learned by gradient: means over the splits."
    title = "tau and h: the paper's, chosen and learned"
    return Table("learning_tau", title, scale.graphs, rows, caption, unit="", best="none")


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """What is learned stays in [0, 1]."""
    claims = []
    for graph in scale.graphs:
        sentence = f"learned tau and h lie in [0, 1] on {graph}"
        found = [r.learned[n] for r in results.of(job(LEARNED, graph, scale)) for n in ("tau", "h")]
        if not found:
            claims += unproven(sentence, scale)
            continue
        evidence = f"{min(found):.2f} to {max(found):.2f}"
        claims.append(Claim(sentence, all(0 <= v <= 1 for v in found), evidence))
    return claims


PART = Part(
    "learning", "Beyond the paper: what learning tau and h gains; the tau table", show, jobs, check=check
)

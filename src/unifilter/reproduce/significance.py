"""Beyond the paper: which differences between models are more than chance, and the critical difference."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from unifilter.models import model_class
from unifilter.reproduce import rows, table2, table3
from unifilter.reproduce.part import Job, Part, Scale
from unifilter.reproduce.protocols import overlap
from unifilter.reproduce.ranks import LEVEL, cliques, critical_difference, friedman, mean_ranks
from unifilter.reproduce.results import Results
from unifilter.train.significance import holm, interval, paired
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Value, Words

TABLES = {"table2": "polynomial filters, 60/20/20", "table3": "model-optimised methods, fixed 48/32/20"}
KINDS = {"table2": "quota", "table3": "fixed"}  # of splits
MARK = "†"


def jobs_of(table: str, scale: Scale) -> list[Job]:
    """The jobs whose Records are compared."""
    return table2.jobs(scale) if table == "table2" else table3.reading(KINDS[table], scale)


def jobs(scale: Scale) -> list[Job]:
    """Those of both tables: nothing of its own is trained."""
    return [job for table in TABLES for job in jobs_of(table, scale)]


def accuracies(table: str, results: Results, scale: Scale) -> dict[str, dict[str, list[float]]]:
    """By model and graph, a test accuracy a split: searched settings, or published ones for want of them.

    Graphs on which not every split was run are left out of a model.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for form in (rows.EXACT, rows.PRINTED, rows.SEARCHED):  # the last one that is there counts
        for job in jobs_of(table, scale):
            records = results.of(job)
            if job.row == rows.row(job.model, form) and len(records) == scale.splits:
                title = model_class(job.model).card.title
                scores = [100 * r.scores["test"]["accuracy"] for r in records]
                found.setdefault(title, {})[job.dataset] = scores
    return found


def untuned(table: str, results: Results, scale: Scale) -> set[tuple[str, str]]:
    """Models and graphs whose search has not been run: published settings stand for it."""
    searched = [j for j in jobs_of(table, scale) if j.row == rows.row(j.model, rows.SEARCHED)]
    missing = [j for j in searched if len(results.of(j)) < scale.splits]
    return {(model_class(j.model).card.title, j.dataset) for j in missing}


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """For both tables: differences with their tests, and mean ranks with the critical difference."""
    exhibits: list[Exhibit] = []
    for table, title in TABLES.items():
        scores = accuracies(table, results, scale)
        published = untuned(table, results, scale)
        if "UniFilter" in scores:
            exhibits.append(differences(table, title, scores, scale.graphs, published))
        exhibits += ranking(table, title, scores, scale.graphs, published)
    return exhibits


def differences(
    table: str,
    title: str,
    scores: dict[str, dict[str, list[float]]],
    graphs: Sequence[str],
    published: Collection[tuple[str, str]] = (),
) -> Table:
    """UniFilter less every other model, split by split, with Holm's correction over the models of a graph."""
    ours, cells, share = scores["UniFilter"], dict[str, dict[str, Cell]](), overlap(f"{KINDS[table]}:1")
    for graph in graphs:
        others = [m for m in scores if m != "UniFilter" and graph in scores[m] and graph in ours]
        ps = holm([paired(ours[graph], scores[m][graph], share) for m in others])
        for model, p in zip(others, ps, strict=True):
            gap = np.subtract(ours[graph], scores[model][graph])
            value = Value(float(gap.mean()), interval(gap, share), gap.size)
            note = "published settings" if (model, graph) in published else ""
            said = f"p {'< 0.001' if p < 0.001 else f'{p:.3f}'}{f' {MARK}' if p < LEVEL else ''}"
            cells.setdefault(model, {})[graph] = Cell(value, note=note, mark=said)
    caption = (
        f"UniFilter's accuracy less that of the model, with its 95% interval and p; {MARK} marks p below "
        f"{LEVEL:g}. Both with searched settings, where nothing else is said. p is of the corrected "
        "resampled t-test of Nadeau and Bengio (2003) over the splits, which enlarges the variance, as the "
        "interval does, because training sets overlap; with Holm's correction over the models of a graph, "
        "which the interval is without."
    )
    return Table(
        f"significance_{table}",
        f"UniFilter against every other: {title}",
        list(graphs),
        cells,
        caption,
        unit="points",
        best="none",
        corner="model",
    )


def ranking(
    table: str,
    title: str,
    scores: dict[str, dict[str, list[float]]],
    graphs: Sequence[str],
    published: Collection[tuple[str, str]] = (),
) -> list[Exhibit]:
    """Mean ranks of the models that have every graph, and who cannot be told apart."""
    models = [m for m, found in scores.items() if all(g in found for g in graphs)]
    left_out = [m for m in scores if m not in models]
    shared = list(graphs)
    if len(shared) < 2 or len(models) < 3:
        words = "Too few models have every graph for a ranking."
        return [Words(f"ranks_{table}", f"Mean ranks: {title}", [words])]
    means = np.array([[np.mean(scores[m][g]) for m in models] for g in shared])
    ranks = mean_ranks(means)
    distance = critical_difference(len(models), len(shared))
    order = np.argsort(ranks, kind="stable")
    names, sorted_ranks = [models[i] for i in order], [float(ranks[i]) for i in order]
    groups = cliques(ranks.tolist(), distance)
    caption = (
        f"Mean rank over {len(shared)} graphs, 1 is best; a bar begins at a model and spans all those below "
        f"it that cannot be told from it, nor from each other, at the level {LEVEL:g}. Their ranks differ by "
        f"less than Nemenyi's critical difference, {distance:.2f} ranks, which is the lowest bar."
    )
    for model in models:
        some = [g for g in graphs if (model, g) in published]
        caption += f" {model} with published settings on {', '.join(some)}." if some else ""
    caption += f" Without a figure for every graph: {', '.join(left_out)}." if left_out else ""
    p = friedman(means)
    items = [("not told apart", ", ".join(models[i] for i in group)) for group in groups]
    told = f"Friedman's test that all models are alike: p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}."
    return [
        Plot(
            f"critical_difference_{table}",
            f"Mean ranks with the critical difference: {title}",
            "",
            "mean rank",
            [Series("mean rank", names, sorted_ranks), _bars(models, ranks.tolist(), groups, distance)],
            caption,
            "rows",
        ),
        Words(f"ranks_{table}", f"Mean ranks: {title}", [told], items),
    ]


def _bars(
    models: Sequence[str], ranks: Sequence[float], groups: Sequence[Sequence[int]], distance: float
) -> Series:
    """From the best to the worst of each group, in the row of the best; the distance itself from 1 on."""
    spans = [(models[group[0]], ranks[group[0]], ranks[group[-1]]) for group in groups]
    spans.append(("critical difference", 1.0, 1.0 + distance))
    x = [name for name, _, _ in spans for _ in range(3)]
    y = [end for _, first, last in spans for end in (first, last, math.nan)]
    return Series("not told apart", x, y, reference=True)


PART = Part("significance", "Beyond the paper: paired tests over splits, critical difference", show, jobs)

"""Beyond the paper: which differences between models are more than chance, and the critical difference."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from unifilter.models import model_class
from unifilter.reproduce import rows, table2, table3
from unifilter.reproduce.part import Job, Part, Scale
from unifilter.reproduce.ranks import LEVEL, cliques, critical_difference, friedman, mean_ranks
from unifilter.reproduce.results import Results, value_of
from unifilter.train.significance import holm, paired
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Words

TABLES = {"table2": "polynomial filters, 60/20/20", "table3": "model-optimised methods, fixed 48/32/20"}


def jobs_of(table: str, scale: Scale) -> list[Job]:
    """The jobs whose Records are compared."""
    return table2.jobs(scale) if table == "table2" else table3.reading("fixed", scale)


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
    ours, cells = scores["UniFilter"], dict[str, dict[str, Cell]]()
    for graph in graphs:
        others = [m for m in scores if m != "UniFilter" and graph in scores[m] and graph in ours]
        ps = holm([paired(ours[graph], scores[m][graph]) for m in others])
        for model, p in zip(others, ps, strict=True):
            gap = np.subtract(ours[graph], scores[model][graph])
            said = f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}"
            said += ", published settings" if (model, graph) in published else ""
            cells.setdefault(model, {})[graph] = Cell(value_of(gap.tolist()), note=said)
    caption = (
        "UniFilter's accuracy less that of the model, paired over the splits, with its 95% interval; both "
        "with searched settings, where nothing else is said. p with Holm's correction over the models of a "
        "graph. Splits share nodes, so p is smaller than it should be."
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
    half: list[float | None] = [distance / 2] * len(names)
    caption = (
        f"Mean rank over {len(shared)} graphs, 1 is best; bars are half of Nemenyi's critical difference, "
        f"{distance:.2f} ranks: models whose bars do not overlap differ at the level {LEVEL:g}."
    )
    for model in models:
        some = [g for g in graphs if (model, g) in published]
        caption += f" {model} with published settings on {', '.join(some)}." if some else ""
    caption += f" Without a figure for every graph: {', '.join(left_out)}." if left_out else ""
    groups = [", ".join(models[i] for i in group) for group in cliques(ranks.tolist(), distance)]
    p = friedman(means)
    items = [("not told apart", group) for group in groups]
    told = f"Friedman's test that all models are alike: p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}."
    return [
        Plot(
            f"critical_difference_{table}",
            f"Mean ranks with the critical difference: {title}",
            "model",
            "mean rank",
            [Series("mean rank", names, sorted_ranks, half)],
            caption,
            "points",
        ),
        Words(f"ranks_{table}", f"Mean ranks: {title}", [told], items),
    ]


PART = Part("significance", "Beyond the paper: paired tests over splits, critical difference", show, jobs)

"""What tables of accuracies share: cells beside the printed figure, who leads, who beats the majority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unifilter.data.dataset import Dataset
from unifilter.reproduce import rows
from unifilter.reproduce.graphs import load
from unifilter.reproduce.part import Claim, Job, Published, Scale
from unifilter.reproduce.printed import figure
from unifilter.reproduce.protocols import parse, trials
from unifilter.reproduce.results import Results
from unifilter.reproduce.settings import whose
from unifilter.viz.exhibit import Cell, Table, Value

OTHERS = "the best of all other models' rows"
COLLAPSED = 15.0  # points below the median of the splits
LEARNED = 30.0  # percent of the training nodes: who gets fewer of them right has learned next to nothing
# Notes that say nothing of the accuracy, or that older Records lack.
COMMON = ("auto:", "trained beside", "no node is predicted as")


def accuracies(
    name: str, title: str, source: str, jobs: Sequence[Job], results: Results, caption: str = ""
) -> Table:
    """Accuracies of jobs beside those of the paper's table ``source``; the caption names rows without any.

    A mean over some of the splits does not compare with those over all: the caption names it instead. Printed
    figures are shown beside searched settings and auto too, which are not meant to repeat them.
    """
    cells: dict[str, dict[str, Cell]] = {}
    partial = []
    for job in jobs:
        mean, half = figure(source, job.model, job.dataset)
        ours = results.value(job)
        splits = parse(job.protocol)[1]
        if ours is not None and ours.runs < splits:
            partial.append(
                f"{job.row} on {job.dataset} ({ours.mean:.2f} over {ours.runs} of {splits} splits)"
            )
            ours = None
        cells.setdefault(job.row, {})
        if ours is not None or mean is not None:
            cells[job.row][job.dataset] = Cell(ours, mean, note(results, job) if ours else "", half)
    columns = list(dict.fromkeys(job.dataset for job in jobs))
    cells = {row: cells[row] for row in rows.in_order(list(cells))}
    kept = {row: found for row, found in cells.items() if any(c.ours is not None for c in found.values())}
    begun = {row for row in cells if any(line.startswith(f"{row} on ") for line in partial)}
    absent = [row for row in cells if row not in kept and row not in begun]
    caption += f" Not run: {'; '.join(absent)}." if absent else ""
    caption += f" Not finished: {'; '.join(partial)}." if partial else ""
    beyond = [row for row in kept if row.endswith((rows.SEARCHED, rows.STARTS, rows.AUTO))]
    return Table(name, title, columns, kept, caption, corner="model, settings", beyond=beyond)


def note(results: Results, job: Job) -> str:
    """What a reader of the cell should know: whose settings, notes of the Records."""
    words = sorted({n for r in results.of(job) for n in r.notes if not n.startswith(COMMON)})
    graph = whose(job.model, job.dataset, results.scale.configs)
    if graph != job.dataset and isinstance(job.how, Published):
        words.append(f"settings of {graph}")
    seen = [100 * r.scores["train"]["accuracy"] for r in results.of(job) if "train" in r.scores]
    if seen and np.mean(seen) < LEARNED:
        words.append(f"only {np.mean(seen):.0f}% of the training nodes are right")
    return "; ".join([*words, *collapsed(results, job)])


def failures(results: Results, jobs: Sequence[Job]) -> str:
    """For the caption of a plot: whose trainings failed on which splits."""
    found = [f"{job.row}, {' and '.join(low)}" for job in jobs if (low := collapsed(results, job))]
    return f" Trainings that failed: {'; '.join(found)}." if found else ""


def collapsed(results: Results, job: Job) -> list[str]:
    """Splits whose training failed, by which a mean says little of the others."""
    found = [100 * r.scores["test"]["accuracy"] if r else None for r in results.by_split(job)]
    known = [accuracy for accuracy in found if accuracy is not None]
    middle = float(np.median(known)) if known else 0.0
    low = [(i, a) for i, a in enumerate(found) if a is not None and a < middle - COLLAPSED]
    return [f"split {i} ended at {a:.1f}, the median is {middle:.1f}" for i, a in low]


def whole(results: Results, jobs: Sequence[Job], graph: str) -> dict[str, Value]:
    """By row, the accuracies on a graph that are means over all splits: others do not compare."""
    values = [(j, results.value(j)) for j in jobs if j.dataset == graph]
    return {j.row: v for j, v in values if v is not None and v.runs == parse(j.protocol)[1]}


def best_of(results: Results, jobs: Sequence[Job]) -> list[Claim]:
    """For every graph: whether UniFilter, searched or without tuning, has the highest mean of all models.

    Rows that lack splits do not count. Others enter with the better of their rows, UniFilter with one form at
    a time: the best of several forms would have been chosen on test nodes.
    """
    claims = []
    for graph in dict.fromkeys(job.dataset for job in jobs):
        means = {row: value.mean for row, value in whole(results, jobs, graph).items()}
        found = {job.row: job for job in jobs if job.dataset == graph}
        others = {r: m for r, m in means.items() if not r.startswith("UniFilter")}
        for form in (rows.SEARCHED, rows.EXTENDED, rows.STARTS, rows.AUTO):
            mine = rows.row("unifilter", form)
            if mine in means and others:
                best = max(others, key=others.__getitem__)
                sentence = (
                    f"{mine}: the highest mean of {len(others) + 1} rows on {graph}, {jobs[0].protocol}"
                )
                gain = results.gain(found[mine], found[best])
                paired = f"; paired {gain.mean:+.2f} ± {gain.half:.2f}" if gain and gain.half else ""
                evidence = f"{means[mine]:.2f}, {best} {others[best]:.2f}{paired}"
                claims.append(Claim(sentence, means[mine] >= others[best], evidence))
    return claims


def goals(
    name: str, title: str, whose: str, jobs: Sequence[Job], results: Results, wanted: Mapping[str, float]
) -> Table:
    """UniFilter beside the target of every graph, and the best row of any other model."""
    cells: dict[str, dict[str, Cell]] = {}
    for graph, goal in wanted.items():
        found = whole(results, jobs, graph)
        for form in (rows.SEARCHED, rows.SEARCHED_MORE, rows.EXTENDED, rows.STARTS, rows.AUTO):
            mine = rows.row("unifilter", form)
            if mine in found:
                cells.setdefault(mine, {})[graph] = Cell(found[mine], goal)
        others = {row: v for row, v in found.items() if not row.startswith("UniFilter")}
        if others:
            best = max(others, key=lambda row: others[row].mean)
            cells.setdefault(OTHERS, {})[graph] = Cell(others[best], goal, best)
    cells = {row: cells[row] for row in rows.in_order(list(cells))}
    caption = (
        f"Test accuracy in percent beside the target, {whose}. The best of many rows is chosen by the test "
        f"accuracies shown: it flatters the others.{_unsearched(results, jobs)}"
    )
    corner, beyond = "model, settings", list(cells)
    return Table(name, title, list(wanted), cells, caption, corner=corner, beyond=beyond, peer="target")


def _unsearched(results: Results, jobs: Sequence[Job]) -> str:
    """Contenders that are still to come: other models whose search was not run on some graphs."""
    lacking: dict[str, list[str]] = {}
    for job in jobs:
        model, _, form = job.row.partition(", ")
        value = results.value(job)
        there = value is not None and value.runs == parse(job.protocol)[1]
        if form == rows.SEARCHED and model != "UniFilter" and not there:
            lacking.setdefault(model, []).append(job.dataset)
    found = [f"{model} on {', '.join(graphs)}" for model, graphs in lacking.items()]
    return f" Searches that are still to be run: {'; '.join(found)}." if found else ""


def beats(results: Results, jobs: Sequence[Job], scale: Scale) -> list[Claim]:
    """A claim a job: it is better than naming the largest class."""
    claims = []
    for job in jobs:
        ours = results.value(job)
        floor = 100 * float(np.mean(majorities(load(job.dataset), job.protocol)))
        said = "nothing was run" if ours is None else f"{ours.mean:.1f} against {floor:.1f}"
        holds = ours is not None and ours.mean > floor
        claims.append(Claim(f"{job.row} beats the largest class on {job.dataset}", holds, said))
    return claims


def majorities(dataset: Dataset, protocol: str) -> list[float]:
    """Share of the largest class of the test nodes, a number a split.

    Examples
    --------
    >>> majorities(load("sbm:n=400,classes=4"), "quota:2")
    [0.3, 0.325]
    """
    counts = [np.bincount(dataset.y[trial.split.test]) for trial in trials(dataset, protocol)]
    return [float(c.max() / c.sum()) for c in counts]

"""Beyond the paper: time and memory of every model beside its accuracy, each trained alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unifilter.data import splits
from unifilter.data.dataset import Dataset
from unifilter.models import model_class
from unifilter.reproduce import rows
from unifilter.reproduce.part import Job, Measure, Part, Scale
from unifilter.reproduce.results import Results
from unifilter.reproduce.settings import published, released
from unifilter.train.config import Training
from unifilter.train.entries import Entry
from unifilter.train.memory import forget_peak
from unifilter.train.run import run
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Value

GRAPHS = ("cora", "pubmed", "squirrel")
EPOCHS = 50


def models(scale: Scale) -> list[str]:
    """Those of both tables."""
    every = list(dict.fromkeys([*rows.models("table2"), *rows.models("table3")]))
    return ["sgc", "gcn", "unifilter"] if scale.quick else every


def setting(model: str, graph: str, scale: Scale) -> Entry:
    """The published one, or else the model's defaults."""
    if model == "unifilter":
        return released(graph, "unibasis") or Entry(model)
    return published(model, graph, "quota:10", scale.configs) or Entry(model)


def measure(model: str, graph: str, scale: Scale) -> Measure:
    """One model on one graph, for so many epochs and no fewer."""
    first, epochs = setting(model, graph, scale).points()[0], 5 if scale.quick else EPOCHS
    what = {
        "model": model,
        "options": first.options,
        "preprocess": first.preprocess,
        "epochs": epochs,
    }
    return Measure("efficiency", graph, what, take)


def measures(scale: Scale) -> list[Measure]:
    """All models on graphs that are small, that have many nodes, and many edges."""
    return [measure(m, g, scale) for g in scale.has(*GRAPHS) for m in models(scale)]


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """Train once to compile and fill caches, and again for the figures."""
    data = dataset if what["preprocess"] == "none" else dataset.preprocess(what["preprocess"])
    split = splits.quota(data.y)
    training = Training(epochs=what["epochs"], patience=what["epochs"])
    run(data, split, what["model"], dict(what["options"]), replace(training, epochs=3), device=device)
    forget_peak()
    record = run(data, split, what["model"], dict(what["options"]), training, device=device).record
    return {
        "cost": {
            "epoch_ms": 1000 * record.seconds["train"] / max(1, record.epochs),
            "prepare_seconds": record.seconds["prepare"],
            "peak_mb": record.peak_memory / 1e6,
            "parameters": float(record.parameters),
            "epochs": float(record.epochs),
        }
    }


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A graph has a table, and a plot for each kind of splits: their accuracies do not compare."""
    return [e for graph in scale.has(*GRAPHS) for e in _of(graph, results, scale)]


CAPTION = (
    "Every model trained alone with its published settings, on one quota split; an epoch is a step and an "
    "evaluation. A training has as many of them as the runs behind the accuracy had on average; a solver has "
    "no epochs. On a CPU the memory is that of the process. Accuracies are those of the same settings, or, "
    "with a note, of searched ones (of a grid, its first point is timed)."
)
EPOCH, TRAINING = "ms an epoch", "training (s)"
COLUMNS = {
    EPOCH: ("epoch_ms", 1.0),
    "preparation (s)": ("prepare_seconds", 1.0),
    "peak memory (MB)": ("peak_mb", 1.0),
    "parameters (thousands)": ("parameters", 1e-3),
}
SPLITS = {"table2": "60/20/20", "table3": "48/32/20"}
ACCURACY = {table: f"accuracy, {splits} (%)" for table, splits in SPLITS.items()}


def _of(graph: str, results: Results, scale: Scale) -> list[Exhibit]:
    found: dict[str, dict[str, Cell]] = {}
    points: dict[str, list[Series]] = {name: [] for name in ACCURACY.values()}
    for model in models(scale):
        taken = results.taken(measure(model, graph, scale))
        title = model_class(model).card.title
        if taken is None:
            continue
        cost = taken["cost"]
        found[title] = {name: Cell(Value(f * cost[key])) for name, (key, f) in COLUMNS.items()}
        solved = hasattr(model_class(model), "solve")
        if solved:
            del found[title][EPOCH]
        for table, name in ACCURACY.items():
            job = trained(table, model, graph, results, scale)
            value = None if job is None else results.value(job)
            if job is not None and value is not None:
                epochs = 1 if solved else np.mean([r.epochs for r in results.of(job)])
                seconds = cost["prepare_seconds"] + float(epochs) * cost["epoch_ms"] / 1000
                other = job.row.endswith(rows.SEARCHED)
                found[title][name] = Cell(value, note="another setting than the one timed" if other else "")
                found[title].setdefault(TRAINING, Cell(Value(seconds)))
                points[name].append(Series(title, [seconds], [value.mean], [value.half], labels=[title]))
    if not found:
        return []
    safe = "".join(c if c.isalnum() else "_" for c in graph)
    columns = [EPOCH, TRAINING, *(name for name in COLUMNS if name != EPOCH), *ACCURACY.values()]
    absent = [model_class(m).card.title for m in models(scale) if model_class(m).card.title not in found]
    caption = CAPTION + (f" Not measured: {', '.join(absent)}." if absent else "")
    title = f"What a training costs, {graph}"
    exhibits: list[Exhibit] = [
        Table(f"efficiency_{safe}", title, columns, found, caption, unit="", best="none", corner="model")
    ]
    for table, name in ACCURACY.items():
        if points[name]:
            title = f"Accuracy against the time of a training, {graph}, {SPLITS[table]}"
            axes = f"efficiency_{safe}_{table}", title, "seconds to train", "test accuracy (%)"
            exhibits.append(Plot(*axes, points[name], caption, "points", log_x=True))
    return exhibits


def trained(table: str, model: str, graph: str, results: Results, scale: Scale) -> Job | None:
    """The job of the settings whose cost was measured, or of searched ones for want of its runs."""
    kind = "quota" if table == "table2" else "fixed"
    if model not in rows.models(table):
        return None
    found = {j.row: j for j in rows.jobs(model, graph, f"{kind}:{scale.splits}", scale)}
    for form in (rows.PRINTED, rows.EXACT, rows.SEARCHED):
        job = found.get(rows.row(model, form))
        if job is not None and len(results.of(job)) == scale.splits:
            return job
    return None


PART = Part("efficiency", "Beyond the paper: time and memory beside accuracy", show, measures=measures)

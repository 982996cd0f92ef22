"""What simpler means reach on the same nodes: whether the model, and the graph, are worth it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unifilter.data import Dataset
from unifilter.data.splits import Split
from unifilter.train.metrics import scores
from unifilter.train.result import Result
from unifilter.train.run import run

FLOOR = {
    "logistic": "logistic regression on features alone",
    "labelpropagation": "label propagation on the graph alone",
}
LARGEST = "naming the largest class"
COSTLY = 2e8  # training rows x features x classes, beyond which a linear model takes as long as ours


def floor(dataset: Dataset, split: Split, result: Result) -> list[dict[str, Any]]:
    """Our model's row and those of simpler ones: model, accuracy, macro_f1 on test nodes, or validation's.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> from unifilter.train import Training
    >>> data = load("sbm:n=300,h=0.9,d=8")
    >>> split = splits.stratified(data.y)
    >>> rows = floor(data, split, run(data, split, "sgc", training=Training(epochs=50)))
    >>> [row["model"].split(" on")[0] for row in rows]
    ['sgc', 'logistic regression', 'label propagation', 'naming the largest class']
    """
    part = "test" if result.record.scores.get("test") else "val"
    ours = result.record.scores.get(part)
    if not ours:
        return []
    rows = [_row(result.record.model, ours)]
    size = int(split.train.sum()) * dataset.d * len(dataset.classes)
    left_out = {result.record.model}
    if dataset.about.get("signals") or not 0 < size < COSTLY:
        left_out.add("logistic")
    for name in (name for name in FLOOR if name not in left_out):
        rows.append(_row(FLOOR[name], run(dataset, split, name, device="cpu").record.scores[part]))
    count = np.bincount(dataset.y[split.train & dataset.labelled], minlength=len(dataset.classes))
    p = np.eye(len(dataset.classes))[np.full(dataset.n, count.argmax())]
    mask = split.test if part == "test" else split.val
    return [*rows, _row(LARGEST, scores(p, dataset.y, mask))]


def _row(model: str, found: dict[str, float]) -> dict[str, Any]:
    return {"model": model, "accuracy": found["accuracy"], "macro_f1": found["macro_f1"]}


def verdict(rows: Sequence[dict[str, Any]]) -> str:
    """A sentence where something simpler does as well; else nothing.

    Examples
    --------
    >>> verdict([{"model": "gcn", "accuracy": 0.5}, {"model": "logistic regression", "accuracy": 0.6}])
    'logistic regression does better (60.0% against 50.0%): take that, or look at the data again.'
    """
    better = [row for row in rows[1:] if row["accuracy"] >= rows[0]["accuracy"]]
    if not better:
        return ""
    best = max(better, key=lambda row: row["accuracy"])
    if best["accuracy"] == rows[0]["accuracy"]:
        return f"{best['model']} does as well ({best['accuracy']:.1%}) and is simpler."
    against = f"({best['accuracy']:.1%} against {rows[0]['accuracy']:.1%})"
    return f"{best['model']} does better {against}: take that, or look at the data again."

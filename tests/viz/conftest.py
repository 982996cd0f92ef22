"""One analysis and one report of plain numbers, names with markup in them included."""

from __future__ import annotations

import numpy as np
import pytest

from unifilter import Dataset
from unifilter.analysis import Analysis, analyze
from unifilter.graph.synthetic import block_model
from unifilter.record import Record
from unifilter.viz import FitReport, Response

CLASSES = (
    "cat & dog",
    "<script>alert(1)</script>",
    "a name that is much too long for any axis",
    "a name that is much too long for any page",
    "e",
)


@pytest.fixture(scope="session")
def analysis() -> Analysis:
    graph, X, y = block_model(300, 0.6, power=2.5, generator=np.random.default_rng(0))
    X[:, 3] = 0
    y = np.where(np.arange(300) % 7 == 0, -1, y)
    return analyze(Dataset(graph, X, y, name="<b>mine</b>", classes=CLASSES), K=20)


@pytest.fixture(scope="session")
def report(analysis) -> FitReport:
    rng = np.random.default_rng(1)
    n, K = 300, 6
    y = np.where(np.arange(n) % 7 == 0, -1, rng.integers(0, 5, n))
    logits = rng.standard_normal((n, 5))
    logits[y >= 0, y[y >= 0]] += 2
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    part = rng.integers(0, 3, n)
    masks = {name: (part == i) & (y >= 0) for i, name in enumerate(("train", "val", "test"))}
    scores = {name: {"accuracy": 0.75, "macro_f1": 0.7, "log_loss": 0.8, "ece": 0.05} for name in masks}
    history = [
        {
            "epoch": e,
            "train_loss": 2 / (1 + e),
            "val_loss": 2.1 / (1 + e),
            "val_accuracy": 0.2 + e / 100,
            "tau": 0.5,
            "h": 0.4,
        }
        for e in range(40)
    ]
    record = Record(
        "unifilter",
        {"K": K, "tau": "learn"},
        {"lr": 0.01},
        {"name": "mine"},
        {"shares": (0.6, 0.2, 0.2)},
        0,
        scores,
        learned={"tau": 0.42, "h": 0.31},
        seconds={"train": 1.5},
        epochs=40,
        best_epoch=33,
        notes=["a note <i>"],
    )
    lam = np.linspace(0, 2, 51)
    g = 1 - lam / 2
    return FitReport(
        analysis,
        record,
        history,
        CLASSES,
        [f"node <{i}>" for i in range(n)],
        y,
        p,
        masks,
        1.3,
        weights=np.linspace(0.5, -0.2, K + 1),
        frequencies=np.linspace(0.5, 0.1, K + 1),
        response=Response(lam, g, g - 0.1, g + 0.1),
        ingestion="nodes: 300 rows <none dropped>",
        baselines=[{"model": "mlp", "accuracy": 0.701}, {"model": "sgc", "accuracy": 0.742}],
        verdict="sgc does as well",
        voters=5,
    )

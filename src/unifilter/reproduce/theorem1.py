"""Theorem 1, empirically: the frequency of a well filtered signal against 1 - h on a family of graphs.

The theorem is exact for D^1/2 Y. For filtered signals it is tried on balanced block models alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from unifilter._types import Matmul
from unifilter.data import splits
from unifilter.data.dataset import Dataset
from unifilter.graph import propagation
from unifilter.graph.homophily import edge_homophily
from unifilter.krylov import lanczos
from unifilter.reproduce.part import Claim, Measure, Part, Scale
from unifilter.reproduce.results import Results, value_of
from unifilter.train.run import pick_device
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Value

K = 10
RIDGE = 1e-2
FAMILY = "sbm:n=1000,h={h:g},classes={classes},degree=10,d=32,signal=1.5,seed={seed}"
QUICK_FAMILY = "sbm:n=300,h={h:g},classes={classes},degree=10,d=16,signal=1.5,seed={seed}"
CLASSES = (2, 5)
SIGNALS = {
    "proof": "the signal of the proof, D^1/2 Y",
    "labels": "class indicators less their mean",
    "filtered": "best filtered features",
    "features": "features as they are",
}


def homophilies(scale: Scale) -> list[float]:
    """From strong heterophily to strong homophily."""
    return [0.1, 0.5, 0.9] if scale.quick else [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]


def seeds(scale: Scale) -> range:
    """Graphs of every homophily."""
    return range(2 if scale.quick else 5)


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """Frequencies of four signals, all columns together, and h.

    "filtered" is the polynomial filter of degree K that is best in least squares on 60% of the nodes: a
    regression on labels with a matrix for each hop, where the theorem has one signal and one weight a hop.

    Examples
    --------
    >>> from unifilter.data import load
    >>> found = take(load("sbm:n=300,h=0.8,classes=2"), {"filter": True}, "cpu")
    >>> round(found["frequency"]["proof"], 6), found["graph"]["h"]
    (0.1, 0.8)
    """
    where = pick_device(device)
    P = propagation(dataset.graph, dtype=torch.float64, device=where)
    Y = one_hot(torch.from_numpy(np.maximum(dataset.y, 0).astype(np.int64))).double().to(where)
    Y = Y * torch.from_numpy(dataset.labelled).to(where)[:, None]
    degrees = torch.from_numpy(np.asarray(dataset.graph.degrees, np.float64)).to(where)
    X = dataset.features().double().to(where)
    signals = {"proof": degrees.sqrt()[:, None] * Y, "labels": Y - Y.mean(dim=0), "features": X}
    if what["filter"]:
        train = torch.from_numpy(splits.stratified(dataset.y).train).to(where)
        signals["filtered"] = filtered(P, X, Y - Y[train].mean(dim=0), train)
    return {
        "frequency": {name: together(P, Z) for name, Z in signals.items()},
        "graph": {"h": edge_homophily(dataset.graph, dataset.y, dataset.labelled)},
    }


def filtered(P: Matmul, X: Tensor, Y: Tensor, train: Tensor) -> Tensor:
    """Z = sum_k P^k X W_k nearest to Y on the training nodes, with a small ridge."""
    V, _, norm = lanczos(P, X, K)
    F = torch.cat(list(norm * V), dim=1)
    A = F[train]
    eye = torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
    W = torch.linalg.solve(A.T @ A + RIDGE * torch.diagonal(A.T @ A).mean() * eye, A.T @ Y[train])
    Z: Tensor = F @ W
    return Z


def together(P: Matmul, Z: Tensor) -> float:
    """F of all columns: the sum of z'Lz over twice the sum of z'z."""
    return float((Z * (Z - P @ Z)).sum() / (2 * (Z * Z).sum()))


def measure(h: float, classes: int, seed: int, scale: Scale) -> Measure:
    """One graph of the family."""
    name = (QUICK_FAMILY if scale.quick else FAMILY).format(h=h, classes=classes, seed=seed)
    return Measure("theorem1", name, {"filter": True}, take)


def of_graph(graph: str) -> Measure:
    """A real graph: its labels alone, since its features are as many as its nodes."""
    return Measure("theorem1", graph, {"filter": False}, take)


def measures(scale: Scale) -> list[Measure]:
    """The family, and the graphs."""
    family = [
        measure(h, c, seed, scale) for c in CLASSES for h in homophilies(scale) for seed in seeds(scale)
    ]
    return family + [of_graph(graph) for graph in scale.graphs]


def frequencies(signal: str, classes: int, results: Results, scale: Scale) -> dict[float, list[float]]:
    """By h, a number a graph."""
    found: dict[float, list[float]] = {}
    for h in homophilies(scale):
        taken = [results.taken(measure(h, classes, seed, scale)) for seed in seeds(scale)]
        some = [t["frequency"][signal] for t in taken if t is not None]
        if some:
            found[h] = some
    return found


def ratios(signal: str, results: Results, scale: Scale) -> dict[str, float]:
    """F/(1 - h) of a signal by graph: one number for all of them where one factor holds."""
    taken = {graph: results.taken(of_graph(graph)) for graph in scale.graphs}
    return {g: t["frequency"][signal] / (1 - t["graph"]["h"]) for g, t in taken.items() if t is not None}


def slope(classes: int) -> float:
    """What 1 - h is multiplied by: centred indicators of equal classes on a regular graph.

    Examples
    --------
    >>> slope(2), slope(5)
    (1.0, 0.625)
    """
    return classes / (2 * (classes - 1))


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A figure for each number of classes, and the labels of real graphs."""
    plots = [p for c in CLASSES if (p := _figure(c, results, scale)) is not None]
    table = _table(results, scale)
    return [*plots, *([table] if any(table.rows.values()) else [])]


def _figure(classes: int, results: Results, scale: Scale) -> Plot | None:
    series = []
    for signal, name in SIGNALS.items():
        found = frequencies(signal, classes, results, scale)
        values = [(1 - h, value_of(some)) for h, some in found.items()]
        if values:
            x, y, half = zip(*((at, v.mean, v.half) for at, v in values), strict=True)
            series.append(Series(name, x, y, half))
    if not series:
        return None
    for factor in (0.5, slope(classes)):
        series.append(Series(_line(factor), [0.0, 1.0], [0.0, factor], reference=True))
    caption = (
        f"Block models of {classes} equal classes, mean degree 10. On this family the best polynomial filter "
        f"of degree {K}, with a matrix for each hop, makes a signal whose frequency is nearly proportional "
        "to 1 - h; the factor is C/(2(C - 1)), that of centred labels. For D^1/2 Y it is exactly 1/2."
    )
    title = f"Frequency of a filtered signal, {classes} classes"
    return Plot(f"theorem1_{classes}", title, "1 - h", "frequency f", series, caption)


def _line(factor: float) -> str:
    return "1 - h" if factor == 1 else f"{factor:g} (1 - h)"


def _table(results: Results, scale: Scale) -> Table:
    rows: dict[str, dict[str, Cell]] = {"(1 - h) / 2": {}, SIGNALS["proof"]: {}, SIGNALS["labels"]: {}}
    for graph in scale.graphs:
        taken = results.taken(of_graph(graph))
        if taken is not None:
            f = taken["frequency"]
            values = ((1 - taken["graph"]["h"]) / 2, f["proof"], f["labels"])
            for row, value in zip(rows.values(), values, strict=True):
                row[graph] = Cell(Value(value))
    caption = "On any graph D^1/2 Y has exactly that frequency; labels themselves do not."
    if found := ratios("labels", results, scale).values():
        caption += f" Their f/(1 - h) goes from {min(found):.2f} to {max(found):.2f}: not one factor."
    title = "Frequency of the labels"
    return Table("theorem1_graphs", title, list(scale.graphs), rows, caption, "", digits=4, best="none")


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """On block models filtered signals' frequencies fall with h and follow 1 - h; raw features' do not."""
    claims = []
    for classes in CLASSES:
        found = frequencies("filtered", classes, results, scale)
        raw = frequencies("features", classes, results, scale)
        if len(found) < 2:
            continue
        heterophily = 1 - np.array(list(found))
        means = np.array([np.mean(v) for v in found.values()])
        raw_means = np.array([np.mean(v) for v in raw.values()])
        off = float(np.abs(means - slope(classes) * heterophily).max())
        models = f"on block models of {classes} equal classes"
        sentence = f"{models} the filtered signal's frequency is {_line(slope(classes))}"
        claims.append(Claim(sentence, off < 0.1 and bool((np.diff(means) < 0).all()), f"within {off:.3f}"))
        sentence = f"{models} the features' frequency does not follow h"
        claims.append(Claim(sentence, bool(np.ptp(raw_means) < 0.1), f"changes by {np.ptp(raw_means):.3f}"))
    return claims


PART = Part("theorem1", "Theorem 1: frequency against 1 - h", show, measures=measures, check=check)

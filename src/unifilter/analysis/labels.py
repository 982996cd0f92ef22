"""Labels on a graph: homophily by every measure with its standard error, and the frequency of each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
import torch

from unifilter._types import BoolArray, IntArray
from unifilter.graph import Graph, propagation
from unifilter.graph.homophily import (
    Estimate,
    adjusted_homophily,
    class_homophily,
    estimate_homophily,
    label_informativeness,
    node_homophily,
)
from unifilter.krylov import signal_frequency

GROUPS = 20  # of the jackknife
Measure = Callable[[Graph, Any, Any], float]
JACKKNIFED: dict[str, Measure] = {
    "node": node_homophily,
    "class": class_homophily,
    "adjusted": adjusted_homophily,
    "informativeness": label_informativeness,
}


@dataclass(frozen=True)
class Label:
    """A class: its labelled nodes, their share, its frequency f, and what f is for labels at random."""

    name: str
    count: int
    share: float
    frequency: float
    chance: float


def measure_homophily(
    graph: Graph, y: IntArray, allowed: BoolArray, generator: np.random.Generator
) -> dict[str, Estimate]:
    r"""Every measure of :mod:`unifilter.graph.homophily` with its standard error.

    .. math:: \mathrm{var} \approx (1 - p)\, \frac{G-1}{G} \sum_{g=1}^{G} (\hat\theta_{-g} - \bar\theta)^2

    for labels seen on a random share p of the nodes: a jackknife that hides each of G = 20 random groups
    of them in turn. It tells how far the value may be from that of the whole graph, so at p = 1 it is 0. What
    single nodes contribute is estimated without bias. What only pairs of them do is counted up to twice, so
    the error is rather too large than too small. The edge homophily has a closed form,
    :func:`estimate_homophily`.

    Parameters
    ----------
    graph : Graph
    y : array of shape (n,)
    allowed : boolean array of shape (n,)
        Nodes that are labelled and may be used.
    generator : numpy.random.Generator

    Returns
    -------
    dict with "edge", "node", "class", "adjusted", "informativeness"; empty if no edge joins two such nodes.
    NaN where a measure is not defined.
    """
    try:
        found = {"edge": estimate_homophily(graph, y, allowed)}
    except ValueError:  # no edge joins two labelled nodes
        return {}
    seen, labels = _seen(graph, y, allowed)
    p = seen.n / graph.n
    groups = min(GROUPS, seen.n)
    group = generator.permutation(seen.n) % groups
    for name, measure in JACKKNIFED.items():
        error = 0.0
        if p < 1:
            without = np.array([_or_nan(measure, seen, labels, group != g) for g in range(groups)])
            error = float(np.sqrt((1 - p) * (groups - 1) * without.var()))
        found[name] = Estimate(measure(seen, labels, np.ones(seen.n, bool)), error)
    return found


def label_frequencies(
    graph: Graph, y: IntArray, allowed: BoolArray, classes: tuple[str, ...]
) -> tuple[Label, ...]:
    r"""Frequency f(y) of every class's 0/1 indicator, and its mean over all permutations of the labels.

    .. math:: \mathrm E f = \frac12 \Bigl(1 - \frac{s - 1}{n - 1} \cdot \frac{1^T P 1}{n}\Bigr)

    for a class of s nodes. Both on the graph of those nodes that may be used and have such a neighbour: an
    end without a label is no evidence of a difference, and a node on its own has no frequency. NaN for a
    class that has none of them.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]])
    >>> y, all_nodes = np.array([0, 0, 1, 1]), np.ones(4, bool)
    >>> [round(label.frequency, 6) for label in label_frequencies(graph, y, all_nodes, ("cat", "dog"))]
    [0.25, 0.25]
    """
    counts = np.bincount(y[allowed], minlength=len(classes))
    seen, labels = _seen(graph, y, allowed & _has_neighbour(graph, allowed))
    P = propagation(seen, dtype=torch.float64)
    total = float((P @ torch.ones(seen.n, dtype=torch.float64)).sum())
    found = []
    for c, (name, count) in enumerate(zip(classes, counts.tolist(), strict=True)):
        x = torch.from_numpy((labels == c).astype(np.float64))
        size, f, chance = int(x.sum()), nan, nan
        if size:
            f = float(signal_frequency(P, x[:, None]))
            chance = (1 - (size - 1) / (seen.n - 1) * total / seen.n) / 2
        found.append(Label(name, count, count / max(1, int(counts.sum())), f, chance))
    return tuple(found)


def mean_frequency(labels: Sequence[Label]) -> tuple[float, float]:
    """Mean frequency over the labelled nodes, of these labels and of labels at random; NaN if none is known.

    Examples
    --------
    >>> mean_frequency([Label("a", 30, 0.75, 0.1, 0.2), Label("b", 10, 0.25, 0.5, 0.4)])
    (0.2, 0.25)
    """
    known = [label for label in labels if not isnan(label.frequency)]
    if not known:
        return nan, nan
    count = [label.count for label in known]
    mean, chance = (
        float(np.average(values, weights=count))
        for values in ([label.frequency for label in known], [label.chance for label in known])
    )
    return mean, chance


def _seen(graph: Graph, y: IntArray, nodes: BoolArray) -> tuple[Graph, IntArray]:
    """The graph of these nodes alone, and their labels."""
    if nodes.all():
        return graph, y
    return Graph.from_scipy(graph.to_scipy()[nodes][:, nodes]), y[nodes]


def _has_neighbour(graph: Graph, allowed: BoolArray) -> BoolArray:
    rows = graph.rows()[allowed[graph.indices]]
    return np.asarray(np.bincount(rows, minlength=graph.n) > 0)


def _or_nan(measure: Measure, graph: Graph, y: IntArray, mask: BoolArray) -> float:
    try:
        return measure(graph, y, mask)
    except ValueError:  # the last edges went with this group
        return nan

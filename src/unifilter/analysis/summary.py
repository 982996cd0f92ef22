"""All of it at once: a dataset in, an Analysis out."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from unifilter._checks import check_labels
from unifilter._types import IntArray
from unifilter.analysis.labels import Label, label_frequencies, measure_homophily
from unifilter.analysis.regime import Regime, regime
from unifilter.analysis.spectrum import Density, Features, feature_frequencies, spectral_density
from unifilter.data.dataset import Dataset
from unifilter.graph import propagation
from unifilter.graph.homophily import Estimate

QUANTILES = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "max": 1.0}


@dataclass(frozen=True, eq=False)
class Analysis:
    """What :func:`analyze` found, as plain data.

    Parameters
    ----------
    name, n, m, d
        Dataset, nodes, edges, feature columns.
    degrees : dict
        "min", "q25", "median", "q75", "q95", "max" and "mean" of the number of neighbours.
    degree_counts : array of shape (2, q)
        Every number of neighbours that occurs, and how many nodes have it.
    components, largest, isolated : int
        Connected components, nodes in the largest, nodes without an edge.
    labels : tuple of Label
        By class.
    used, unlabelled : int
        Nodes whose labels were used, and all others.
    homophily : dict of Estimate
        "edge", "node", "class", "adjusted", "informativeness"; empty where no edge joins two labelled nodes.
    density : Density
        Of the spectrum of L = I - P.
    features : Features
        Their frequencies.
    regime : Regime
        In words.
    """

    name: str
    n: int
    m: int
    d: int
    degrees: dict[str, float]
    degree_counts: IntArray
    components: int
    largest: int
    isolated: int
    labels: tuple[Label, ...]
    used: int
    unlabelled: int
    homophily: dict[str, Estimate]
    density: Density
    features: Features
    regime: Regime

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file; what is not a number is null."""
        plain: dict[str, Any] = _plain(self)
        return plain


def analyze(
    dataset: Dataset, mask: ArrayLike | Tensor | None = None, K: int = 50, probes: int = 10, seed: int = 0
) -> Analysis:
    """Look at a dataset: size, degrees, homophily, frequencies, spectrum, regime.

    Parameters
    ----------
    dataset : Dataset
        Unlabelled and isolated nodes, several components, one class, no features: all are fine.
    mask : boolean array of shape (n,), optional
        The nodes whose labels may be used; all labelled ones if not given, since this looks at the data and
        not at what a model may know.
    K, probes : int
        Nodes of the quadrature behind the spectral density, and random vectors it averages over.
    seed : int
        Of these vectors and of the groups behind standard errors.

    Notes
    -----
    Cost: K products with P on (n, probes) and one on (n, d); memory is bounded by blocks of columns.

    Examples
    --------
    >>> from unifilter.data import load
    >>> found = analyze(load("sbm:n=500,h=0.9"))
    >>> found.regime.name, round(found.homophily["edge"].value, 2)
    ('strong homophily', 0.9)
    """
    graph, generator = dataset.graph, np.random.default_rng(seed)
    if not graph.n:
        raise ValueError("the graph has no nodes, so there is nothing to look at.")
    y, allowed = check_labels(dataset.y, np.ones(graph.n, bool) if mask is None else mask, graph.n)
    P = propagation(graph, dtype=torch.float64)
    neighbours = np.diff(graph.indptr)
    components, member = connected_components(graph.to_scipy(), directed=False)
    homophily = measure_homophily(graph, y, allowed, generator)
    labels = label_frequencies(graph, y, allowed, dataset.classes)
    features = feature_frequencies(P, dataset)
    used = int(allowed.sum())
    return Analysis(
        name=dataset.name,
        n=graph.n,
        m=graph.m,
        d=dataset.d,
        degrees={name: float(np.quantile(neighbours, q)) for name, q in QUANTILES.items()}
        | {"mean": float(neighbours.mean())},
        degree_counts=np.stack(np.unique(neighbours, return_counts=True)),
        components=int(components),
        largest=int(np.bincount(member).max()),
        isolated=graph.isolated,
        labels=labels,
        used=used,
        unlabelled=graph.n - used,
        homophily=homophily,
        density=spectral_density(P, K, probes, generator),
        features=features,
        regime=regime(homophily, labels, features.mean, used / graph.n),
    )


def _plain(value: Any) -> Any:
    """Dataclasses and arrays as dicts and lists, NaN as None."""
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Estimate):
        return _plain(value._asdict())
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value

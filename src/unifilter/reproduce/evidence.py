"""What the page of errata measures: the released basis, two scales in one basis, splits that miss classes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unifilter.bases import monomial, released, unibasis
from unifilter.data import splits
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph, propagation
from unifilter.krylov import lanczos, signal_frequency
from unifilter.presets import NAMES, preset
from unifilter.reproduce.part import Measure, Scale
from unifilter.train.run import pick_device

Scores = dict[str, dict[str, float]]
K = 10
COLUMNS = 256
H, TAU = 0.22, 0.5  # where Theorem 4 is tried
ABOUT = ("cosines", "scales", "missing", "edge_sums")


def measure(about: str, graph: str, scale: Scale) -> Measure:
    """One of the measurements below.

    Examples
    --------
    >>> measure("cosines", "cora", Scale()).what["preprocess"]
    'row'
    """
    if about == "cosines":
        how = preset(graph).preprocess if graph in NAMES else "none"
        return Measure("errata", graph, {"about": about, "h": H, "tau": TAU, "preprocess": how}, cosines)
    if about == "missing":
        return Measure("errata", graph, {"about": about, "splits": scale.splits}, missing)
    return Measure("errata", graph, {"about": about}, scales if about == "scales" else edge_sums)


def cosines(dataset: Dataset, what: Mapping[str, Any], device: str) -> Scores:
    """Between all pairs of vectors u_1 .. u_K of the released and of the exact heterophily basis.

    The least, the median and the largest over pairs and columns; columns whose Krylov space ends before K are
    left out, since Theorem 4 does not speak of them.

    Examples
    --------
    >>> from unifilter.data import load
    >>> what = {"h": 0.22, "tau": 0.5, "preprocess": "none"}
    >>> found = cosines(load("sbm:n=200"), what, "cpu")
    >>> round(found["exact"]["least"], 3), round(found["exact"]["largest"], 3)
    (0.339, 0.339)
    """
    where, tau, h = pick_device(device), what["tau"], what["h"]
    X = dataset.preprocess(what["preprocess"]).features().double()[:, :COLUMNS].contiguous().to(where)
    _, T, norm = lanczos(propagation(dataset.graph, dtype=torch.float64, device=where), X, K)
    whole = (norm > 0) & (T.beta > 0).all(dim=0)
    powers = tau * monomial(T, norm * T.e1, K)
    found = {}
    for name, basis in (("released", released), ("exact", unibasis)):
        U = (basis(T, norm, tau, h, K) - powers) / (1 - tau)
        U = U[1:, :, whole]
        U = U / torch.linalg.vector_norm(U, dim=1, keepdim=True)
        every = torch.einsum("kjd,ljd->kld", U, U)
        above = torch.triu_indices(K, K, 1)
        found[name] = _summary(every[above[0], above[1]])
    return found


def scales(dataset: Dataset, what: Mapping[str, Any], device: str) -> Scores:
    """Lengths of the feature columns, as they come and with rows divided by their sum; u_k has length 1.

    Examples
    --------
    >>> from unifilter.data import load
    >>> found = scales(load("sbm:n=200"), {}, "cpu")
    >>> sorted(found), found["none"]["median"] > 1
    (['none', 'row'], True)
    """
    found = {}
    for how in ("none", "row"):
        norm = torch.linalg.vector_norm(dataset.preprocess(how).features().double(), dim=0)
        found[how] = _summary(norm[norm > 0])
    return found


def missing(dataset: Dataset, what: Mapping[str, Any], device: str) -> Scores:
    """Classes without a node among validation and test nodes of quota splits, and the largest class's share.

    Examples
    --------
    >>> from unifilter.data import load
    >>> missing(load("sbm:n=200,classes=4"), {"splits": 1}, "cpu")["missing"]
    {'val': 0.0, 'test': 0.0}
    """
    y, classes = dataset.y, len(dataset.classes)
    drawn = [splits.quota(y, seed=seed) for seed in splits.SEEDS[: what["splits"]]]
    counts = {
        part: [np.bincount(y[getattr(s, part)], minlength=classes) for s in drawn]
        for part in ("train", "val", "test")
    }
    shares = {part: float(np.mean([c.max() / c.sum() for c in some])) for part, some in counts.items()}
    known = np.bincount(y[y >= 0])
    return {
        "missing": {part: float(np.mean([(c == 0).sum() for c in counts[part]])) for part in ("val", "test")},
        "largest": {"graph": float(known.max() / known.sum()), **shares},
    }


def edge_sums(dataset: Dataset, what: Mapping[str, Any], device: str) -> Scores:
    """F of the features by its definition, and by the sum over edges that the proofs put in its place.

    Examples
    --------
    >>> from unifilter.data import load
    >>> found = edge_sums(load("sbm:n=200,power=2.2"), {}, "cpu")["mean"]
    >>> found["definition"] == found["edges"]
    False
    """
    X = dataset.features().double()[:, :COLUMNS].contiguous()
    X = X[:, X.norm(dim=0) > 0]
    u, v = (torch.from_numpy(end.astype(np.int64)) for end in dataset.graph.edges())
    degrees = torch.from_numpy(np.asarray(dataset.graph.degrees, np.float64))[:, None]
    weighed = 2 * (X * X * degrees).sum(dim=0)
    sums = ((X[u] - X[v]) ** 2).sum(dim=0)
    f = signal_frequency(propagation(dataset.graph, dtype=torch.float64), X.contiguous())
    seen = weighed > 0
    return {"mean": {"definition": float(f[seen].mean()), "edges": float((sums / weighed)[seen].mean())}}


def expected_on_a_ring(theta: float, n: int = 6) -> float:
    """E f(x) over all n! ways to place a signal at angle theta to the constant vector on a ring: exact.

    Examples
    --------
    >>> round(expected_on_a_ring(0.0), 9), round(expected_on_a_ring(float(np.pi / 2)), 9)
    (0.0, 0.6)
    """
    ring = Graph.from_edges(np.stack([np.arange(n), (np.arange(n) + 1) % n]))
    constant = torch.ones(n, dtype=torch.float64) / n**0.5
    other = torch.arange(n, dtype=torch.float64) ** 2
    other = other - (other @ constant) * constant
    x = np.cos(theta) * constant + np.sin(theta) * other / other.norm()
    orders = torch.tensor(list(itertools.permutations(range(n))))
    return float(signal_frequency(propagation(ring, dtype=torch.float64), x[orders].T.contiguous()).mean())


def _summary(values: Tensor) -> dict[str, float]:
    flat = values.flatten()
    return {
        "least": float(flat.min()),
        "median": float(flat.median()),
        "largest": float(flat.max()),
    }

"""Over-smoothing: the angle between neighbouring vectors of bases of 1000 vectors on Squirrel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unifilter._math import reciprocal
from unifilter._types import Matmul
from unifilter.bases import heterophily
from unifilter.data.dataset import Dataset
from unifilter.graph import propagation
from unifilter.krylov import lanczos
from unifilter.reproduce.part import Claim, Measure, Part, Scale
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import Results
from unifilter.train.run import pick_device
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Value

GRAPH, H = "squirrel", 0.22
# What a reader sees: which steps, in which arithmetic.
BASES = {
    "homophily": "powers P^k x",
    "exact": "u_k, V kept orthonormal",
    "plain": "u_k, Algorithm 1 in float32",
    "released": "released code's u_k in float32",
}
BEYOND = (BASES["exact"], BASES["plain"])  # what the paper says, beside what its code gave
SINGLE = ("plain", "released")
# Exact vectors have one angle in every column; lost orthogonality differs by column and needs many.
COLUMNS = {"homophily": 128, "exact": 8, "plain": 384, "released": 384}


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """Degrees between vectors k and k + 1: mean over some columns, and half of its 95% interval.

    Examples
    --------
    >>> from unifilter.data import load
    >>> what = {"basis": "exact", "K": 20, "columns": 2, "h": 0.22}
    >>> found = take(load("sbm:n=200"), what, "cpu")["degrees"]
    >>> round(found["1"], 6), round(found["19"], 6)
    (70.2, 70.2)
    """
    where, K = pick_device(device), what["K"]
    dtype = torch.float32 if what["basis"] in SINGLE else torch.float64
    pick = np.unique(np.linspace(0, dataset.d - 1, what["columns"]).astype(int))
    X = dataset.features()[:, torch.from_numpy(pick)].to(where, dtype).contiguous()
    X = X[:, X.norm(dim=0) > 0].contiguous()
    P = propagation(dataset.graph, dtype=dtype, device=where)
    shown = kept(K)
    degrees: dict[str, float] = {}
    halves: dict[str, float] = {}
    before = None
    for k, vectors in enumerate(_STEPS[what["basis"]](P, X, K, what["h"])):
        if before is not None and k - 1 in shown:
            found = angle(before, vectors)
            degrees[str(k - 1)] = float(found.mean())
            spread = float(found.std()) if found.numel() > 1 else 0.0
            halves[str(k - 1)] = 1.96 * spread / math.sqrt(found.numel())
        before = vectors
    return {"degrees": degrees, "half": halves, "size": {"columns": float(X.shape[1])}}


def angle(a: Tensor, b: Tensor) -> Tensor:
    """Degrees between the columns of two blocks.

    By 2 arcsin of half the distance: arccos would lose half the digits of a small angle.
    """
    a, b = (t.double() * reciprocal(torch.linalg.vector_norm(t.double(), dim=0)) for t in (a, b))
    half = torch.linalg.vector_norm(a - b, dim=0) / 2
    return torch.rad2deg(2 * torch.arcsin(half.clamp_max(1)))


def kept(K: int) -> list[int]:
    """The pairs that are recorded: all at both ends, fewer and fewer between.

    Examples
    --------
    >>> kept(20)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
    """
    between = np.unique(np.geomspace(10, K, 60).astype(int)).tolist()
    return sorted({k for k in (*range(10), *between, *range(K - 5, K)) if 0 <= k < K})


def homophily(P: Matmul, X: Tensor, K: int, h: float) -> Iterator[Tensor]:
    """Px, P^2 x, ...; scaled to length 1, which changes no angle."""
    x = X
    for _ in range(K + 1):
        yield x
        x = P @ x
        x = x * reciprocal(torch.linalg.vector_norm(x, dim=0))


def exact(P: Matmul, X: Tensor, K: int, h: float) -> Iterator[Tensor]:
    """u_k from V whose orthogonality is restored where it is lost, and the closed form of its coefficients.

    With c = cos(theta) the vectors before u_k enter by their sum alone, so that only V is kept.
    """
    V, _, _ = lanczos(P, X, K)
    L = heterophily(K, torch.tensor(h, dtype=X.dtype, device=X.device))
    below = torch.zeros_like(V[0])  # the part of u_k along v_0 .. v_{k-1}: the same for every later u
    for k in range(K + 1):
        yield below + L[k, k] * V[k]
        if k < K:
            below = below + L[k + 1, k] * V[k]


def algorithm_1(P: Matmul, X: Tensor, K: int, h: float) -> Iterator[Tensor]:
    """The paper's Algorithm 1, step by step, with nothing done about lost orthogonality."""
    return _steps(P, X, K, h, mixed=False)


def released(P: Matmul, X: Tensor, K: int, h: float) -> Iterator[Tensor]:
    """The same with the released code's t_k at tau = 0, for which the first vector is x itself."""
    return _steps(P, X, K, h, mixed=True)


def _steps(P: Matmul, X: Tensor, K: int, h: float, mixed: bool) -> Iterator[Tensor]:
    c = math.cos(math.pi / 2 * (1 - h))
    v = X * reciprocal(torch.linalg.vector_norm(X, dim=0))
    before, u, total = torch.zeros_like(v), X if mixed else v, v
    yield u
    for k in range(1, K + 1):
        w = P @ v
        w = w - (w * v).sum(dim=0) * v - (w * before).sum(dim=0) * before
        v, before = w * reciprocal(torch.linalg.vector_norm(w, dim=0)), v
        square = ((total * u).sum(dim=0) / (k * c)) ** 2 - ((k - 1) * c + 1) / k
        u = total / k + square.clamp_min(0).sqrt() * v
        u = u * reciprocal(torch.linalg.vector_norm(u, dim=0))
        total = total + u
        yield u


_STEPS: dict[str, Callable[[Matmul, Tensor, int, float], Iterator[Tensor]]] = {
    "homophily": homophily,
    "exact": exact,
    "plain": algorithm_1,
    "released": released,
}


def measure(basis: str, graph: str, scale: Scale) -> Measure:
    """One basis; the exact one keeps all its vectors, so it is measured on fewer columns."""
    K = 100 if scale.quick else 1000
    columns = 8 if scale.quick else COLUMNS[basis]
    return Measure("angles", graph, {"basis": basis, "K": K, "columns": columns, "h": H}, take)


def measures(scale: Scale) -> list[Measure]:
    """All bases."""
    return [measure(basis, graph, scale) for graph in scale.has(GRAPH)[:1] for basis in BASES]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """The paper's table, and the angles all the way."""
    graph = (*scale.has(GRAPH), "")[0]
    found = {b: taken for b in BASES if (taken := results.taken(measure(b, graph, scale))) is not None}
    if not found:
        return []
    return [*_plots(found, graph), _table(found, graph)]


def _plots(found: Mapping[str, dict[str, dict[str, float]]], graph: str) -> list[Plot]:
    """Powers fall by many magnitudes, the others keep near theta: each has a figure of its own."""
    columns = ", ".join(f"{BASES[b]} {t['size']['columns']:.0f}" for b, t in found.items())
    caption = f"On {graph}, features as they come. Means over columns, evenly spaced: {columns}."
    smooth = [_series(b, t) for b, t in found.items() if b == "homophily"]
    steady = [_series(b, t) for b, t in found.items() if b != "homophily"]
    if steady:
        ends, theta = [1, max(s.x[-1] for s in steady)], 90 * (1 - H)
        steady.append(Series(f"theta = {theta:.1f}", ends, [theta, theta], reference=True))
    if graph == GRAPH:
        smooth += [_printed("homophily", "homophily")] if smooth else []
        steady += [_printed("released", "unibasis")] if steady else []
    axes: dict[str, Any] = {"x": "vector k", "y": "degrees", "caption": caption, "log_x": True}
    plots = [
        Plot("angles_homophily", "Neighbours in the homophily basis", series=smooth, log_y=True, **axes),
        Plot("angles_heterophily", "Neighbours in the heterophily basis", series=steady, **axes),
    ]
    return [plot for plot in plots if plot.series]


def _series(basis: str, taken: Mapping[str, Mapping[str, float]]) -> Series:
    """From k = 1; the first pair of the released basis is x and u_1, of no fixed angle."""
    ks = [k for k in sorted(map(int, taken["degrees"])) if k >= 1]
    # Below what float64 tells of an angle, a logarithmic axis would show noise.
    return Series(BASES[basis], ks, [max(taken["degrees"][str(k)], 1e-6) for k in ks])


def _printed(basis: str, row: str) -> Series:
    paper = printed()["angles"]
    return Series(BASES[basis], [int(p.split("-")[0]) for p in paper["pairs"]], paper[row], printed=True)


def _table(found: Mapping[str, dict[str, dict[str, float]]], graph: str) -> Table:
    paper = printed()["angles"]
    last = max(map(int, next(iter(found.values()))["degrees"]))
    pairs = (
        paper["pairs"]
        if graph == GRAPH
        else [f"{k}-{k + 1}" for k in (1, 2, 3, 4, *range(last - 3, last + 1))]
    )
    rows: dict[str, dict[str, Cell]] = {}
    beside = {"homophily": "homophily", "plain": "unibasis", "released": "unibasis", "exact": "unibasis"}
    for basis, taken in found.items():
        rows[BASES[basis]] = {}
        for i, pair in enumerate(pairs):
            k = pair.split("-")[0]
            theirs = paper[beside[basis]][i] if graph == GRAPH else None
            if k in taken["degrees"]:
                value = Value(taken["degrees"][k], taken["half"][k], int(taken["size"]["columns"]))
                rows[BASES[basis]][pair] = Cell(value, theirs)
    caption = (
        "The printed row of UniBasis beside three ways to compute it. The released code's steps give it, and "
        f"of the three they alone are counted; the angle that Theorem 4 promises is {90 * (1 - H):.1f}. "
        "Intervals are those of a mean over columns."
    )
    title = "Angle between neighbouring vectors, degrees"
    return Table(
        *("angles_table", title, pairs, rows, caption),
        unit="",
        best="none",
        digits=3,
        corner="vectors",
        beyond=BEYOND,
    )


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """Exact vectors keep their angle; the homophily basis collapses."""
    graph = (*scale.has(GRAPH), "")[0]
    taken = {b: results.taken(measure(b, graph, scale)) for b in ("exact", "homophily")}
    claims, theta = [], 90 * (1 - H)
    if (exact_ := taken["exact"]) is not None:
        worst = max(abs(d - theta) for d in exact_["degrees"].values())
        sentence = f"neighbouring vectors of the heterophily basis meet at {theta:.1f} degrees"
        evidence = f"{len(exact_['degrees'])} pairs, at most {worst:.1e} degrees off"
        claims.append(Claim(sentence, worst < 0.01, evidence))
    if (smooth := taken["homophily"]) is not None:
        ks = sorted(map(int, smooth["degrees"]))
        first, last = (smooth["degrees"][str(k)] for k in (ks[0], ks[-1]))
        sentence = "neighbouring vectors of the homophily basis end up the same"
        evidence = f"{first:.1f} degrees between x and Px, {last:.1e} at last"
        claims.append(Claim(sentence, last < first / 10, evidence))
    return claims


PART = Part(
    "angles", "Over-smoothing: angles in a basis of 1000 vectors", show, measures=measures, check=check
)

"""Who has a neighbourhood like whose: the structural relations that WRGAT adds to a graph.

Two nodes are alike at level k if the degrees found at distances 0, ..., k of them are alike:

    f_k(u, v) = sum_{i <= k} DTW(degrees at distance i of u, of v)

(Ribeiro et al.: struc2vec, KDD 2017). Degrees are compacted to sorted pairs (degree, frequency) and warped
onto each other by FastDTW of radius 1 (Salvador, Chan 2007) with the cost (max d / min d - 1) max(frequency),
1/2 added to each d. A node is compared only with about 2 log2(n) others of the nearest degrees.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from unifilter._types import FloatArray, IntArray

STEPS = 2 * 10**10  # of breadth-first search from every node, some minutes


class Relation(NamedTuple):
    """Weighted arcs; the weights of the arcs that leave a node sum to 1, or are all 0."""

    source: IntArray
    target: IntArray
    weight: FloatArray


def structural_relations(
    A: csr_array, levels: int, candidates: int | None = None, ties: Literal["structure", "node"] = "structure"
) -> list[Relation]:
    """Relations 0, ..., levels of similar neighbourhoods, weight exp(-f_k) over its sum at the source.

    A pair has a relation k if both nodes reach someone at distance k. It stands in it once for each end that
    chose the other, in both directions, as in the authors' code. A node without edges has none.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric; only where it is not 0 matters.
    levels : int
        Largest distance that is looked at.
    candidates : int, optional
        With how many others a node is compared; floor(2 log2(n)) + 1 if not given.
    ties : {"structure", "node"}
        Who is taken among equal degrees: those with similar numbers of walks of length 2, then 3, which does
        not depend on the numbering, or the lowest node numbers as the authors do.
    """
    n = A.shape[0]
    if n * (n + A.nnz) > STEPS:
        raise ValueError(
            f"structural relations search the graph from every node, n (n + 2 m) = {n * (n + A.nnz):.0e} "
            f"steps here, and more than {STEPS:.0e} are refused. gat needs no such search."
        )
    A = csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    degree = np.diff(A.indptr).astype(np.int64)
    joined = int(np.count_nonzero(degree))
    count = int(2 * math.log2(max(2, joined))) + 1 if candidates is None else candidates
    u, v = _candidates(A, degree, count, ties)
    values, rank = np.unique(degree, return_inverse=True)
    search, distances, warp = _compiled()
    lists = search(A.indptr.astype(np.int64), A.indices.astype(np.int64), rank, values.astype(float), levels)
    f = distances(u, v, *lists, levels, warp)
    return [_relation(u, v, f[:, k], n) for k in range(levels + 1)]


def _relation(u: IntArray, v: IntArray, f: FloatArray, n: int) -> Relation:
    """Both directions of the pairs that have this level. An arc u -> v goes by what u computed, if it did."""
    kept = np.isfinite(f)
    u, v, f = u[kept], v[kept], f[kept]
    own = np.argsort(u * n + v)
    keys = (u * n + v)[own]
    place = np.minimum(np.searchsorted(keys, v * n + u), max(0, keys.size - 1))
    back = np.where(keys[place] == v * n + u, f[own][place], f) if keys.size else f
    source, target = np.concatenate([u, v]), np.concatenate([v, u])
    weight = np.exp(-np.concatenate([f, back]))
    total = np.bincount(source, weight, n)[source]
    return Relation(source, target, np.divide(weight, total, out=np.zeros_like(weight), where=total > 0))


def _candidates(A: csr_array, degree: IntArray, count: int, ties: str) -> tuple[IntArray, IntArray]:
    """Pairs (node, other): the nearest degrees first, of two equally near the larger."""
    walks = [A @ degree.astype(np.float64)]
    walks.append(A @ walks[0])
    classes = {int(q): np.flatnonzero(degree == q) for q in np.unique(degree) if q > 0}
    pairs = []
    for q, nodes in classes.items():
        order = sorted(classes, key=lambda p: (abs(p - q), p < q))
        for v in nodes:
            taken: list[IntArray] = []
            room = count
            for p in order:
                others = classes[p] if p != q else classes[p][classes[p] != v]
                if others.size > room:
                    others = _nearest(walks, int(v), others)[:room] if ties == "structure" else others[:room]
                taken.append(others)
                room -= others.size
                if not room:
                    break
            chosen = np.concatenate(taken)
            pairs.append(np.stack([np.full(chosen.size, v), chosen]))
    u, v = np.concatenate(pairs, axis=1) if pairs else np.empty((2, 0), np.int64)
    return u, v


def _nearest(walks: list[FloatArray], v: int, others: IntArray) -> IntArray:
    """Others sorted by how near their numbers of walks are."""
    keys: list[Any] = []
    for w in walks:
        more = w[others] - w[v]
        keys += [np.abs(more), more < 0]
    return others[np.lexsort(keys[::-1])]


@lru_cache
def _compiled() -> tuple[Any, Any, Any]:
    from numba import njit

    compiled = njit(cache=True)
    return compiled(_degree_lists), compiled(_distances), compiled(_warp)


def _degree_lists(
    indptr: IntArray, indices: IntArray, rank: IntArray, values: FloatArray, levels: int
) -> tuple[Any, Any, Any]:
    """Breadth-first search from every node: pairs (degree, frequency) at every distance, degrees sorted.

    ``pairs[ends[l - 1]:ends[l]]`` belong to list l, ``first[v]:first[v + 1]`` are the lists of node v.
    """
    n = indptr.size - 1
    pairs, used = np.empty((1024, 2)), 0
    ends, lists = np.empty(1024, np.int64), 0
    first = np.zeros(n + 1, np.int64)
    seen, queue = np.full(n, -1), np.empty(n, np.int64)
    frequency = np.zeros(values.size)
    for root in range(n):
        seen[root], queue[0] = root, root
        begin, end, level = 0, 1, 0
        while begin < end and level <= levels:
            new = end
            for i in range(begin, end):
                frequency[rank[queue[i]]] += 1
                for e in range(indptr[queue[i]], indptr[queue[i] + 1]):
                    if seen[indices[e]] != root:
                        seen[indices[e]], queue[new] = root, indices[e]
                        new += 1
            found = np.unique(rank[queue[begin:end]])
            while used + found.size > pairs.shape[0]:
                pairs = np.concatenate((pairs, np.empty_like(pairs)))
            if lists == ends.size:
                ends = np.concatenate((ends, np.empty_like(ends)))
            for r in found:
                pairs[used, 0], pairs[used, 1], frequency[r] = values[r], frequency[r], 0
                used += 1
            ends[lists] = used
            lists, begin, end, level = lists + 1, end, new, level + 1
        first[root + 1] = lists
    return pairs[:used], ends[:lists], first


def _distances(
    u: IntArray, v: IntArray, pairs: Any, ends: Any, first: Any, levels: int, warp: Any
) -> FloatArray:
    """f_k for every pair and level; infinite where one of the two reaches nobody at distance k."""
    f = np.full((u.size, levels + 1), np.inf)
    for p in range(u.size):
        total = 0.0
        for k in range(min(first[u[p] + 1] - first[u[p]], first[v[p] + 1] - first[v[p]])):
            a, b = first[u[p]] + k, first[v[p]] + k
            begin_a, begin_b = ends[a - 1] if a else 0, ends[b - 1] if b else 0
            total += warp(pairs[begin_a : ends[a]], pairs[begin_b : ends[b]])
            f[p, k] = total
    return f


def _warp(x: FloatArray, y: FloatArray) -> float:
    """FastDTW with radius 1: warp at half the resolution first, then only near the path found there."""
    xs, ys = [x], [y]
    while xs[-1].shape[0] >= 3 and ys[-1].shape[0] >= 3:
        a, b = xs[-1].shape[0] // 2, ys[-1].shape[0] // 2
        xs.append((xs[-1][: 2 * a : 2] + xs[-1][1 : 2 * a : 2]) / 2)
        ys.append((ys[-1][: 2 * b : 2] + ys[-1][1 : 2 * b : 2]) / 2)
    low, high = np.zeros(xs[-1].shape[0], np.int64), np.full(xs[-1].shape[0], ys[-1].shape[0] - 1)
    result = 0.0
    for resolution in range(len(xs) - 1, -1, -1):
        x, y = xs[resolution], ys[resolution]
        rows, start = x.shape[0], 0
        starts = np.empty(rows, np.int64)  # where a row's window begins in D
        for i in range(rows):
            starts[i] = start - low[i]
            start += high[i] - low[i] + 1
        D, move = np.empty(start), np.empty(start, np.int8)
        for i in range(rows):
            for j in range(low[i], high[i] + 1):
                best, way = (0.0 if i == 0 and j == 0 else np.inf), 2
                if i > 0 and low[i - 1] <= j - 1 <= high[i - 1]:
                    best = D[starts[i - 1] + j - 1]
                # Of equal ways, the step in x goes before the one in y, and both before the diagonal.
                if j > low[i] and D[starts[i] + j - 1] <= best:
                    best, way = D[starts[i] + j - 1], 1
                if i > 0 and low[i - 1] <= j <= high[i - 1] and D[starts[i - 1] + j] <= best:
                    best, way = D[starts[i - 1] + j], 0
                larger, smaller = max(x[i, 0], y[j, 0]) + 0.5, min(x[i, 0], y[j, 0]) + 0.5
                D[starts[i] + j] = best + (larger / smaller - 1) * max(x[i, 1], y[j, 1])
                move[starts[i] + j] = way
        i, j = rows - 1, y.shape[0] - 1
        result = D[starts[i] + j]
        if resolution == 0:
            break
        least, most = np.full(rows, y.shape[0]), np.full(rows, -1)
        while i >= 0 and j >= 0:
            least[i], most[i] = min(least[i], j), max(most[i], j)
            way = move[starts[i] + j]
            i, j = i - (way != 1), j - (way != 0)
        fine, width = xs[resolution - 1].shape[0], ys[resolution - 1].shape[0]
        low, high = np.empty(fine, np.int64), np.empty(fine, np.int64)
        for i in range(fine):
            begin, end = max(0, i // 2 - 1), min(rows, i // 2 + 2)
            low[i] = max(0, 2 * least[begin:end].min() - 2)
            high[i] = min(width - 1, 2 * most[begin:end].max() + 3)
    return result

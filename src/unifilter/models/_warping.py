"""Neighbourhoods as lists of degrees, and how far two of them are when warped onto each other: compiled.

Loaded on first use by :mod:`unifilter.models._structural`, which says what is computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from unifilter._types import FloatArray, IntArray

PARTS = 256  # of the pairs, for as many threads as there are


@njit(cache=True)
def degree_lists(
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


@njit(cache=True)
def warp(x: FloatArray, y: FloatArray) -> float:
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


@njit(cache=True, parallel=True)
def distances(u: IntArray, v: IntArray, pairs: Any, ends: Any, first: Any, levels: int) -> FloatArray:
    """f_k for every pair and level; infinite where one of the two reaches nobody at distance k.

    Pairs come by degree, and lists are longer around hubs: so a thread takes every so many-th pair.
    """
    f = np.full((u.size, levels + 1), np.inf)
    for part in prange(PARTS):
        for p in range(part, u.size, PARTS):
            total = 0.0
            for k in range(min(first[u[p] + 1] - first[u[p]], first[v[p] + 1] - first[v[p]])):
                a, b = first[u[p]] + k, first[v[p]] + k
                begin_a, begin_b = ends[a - 1] if a else 0, ends[b - 1] if b else 0
                total += warp(pairs[begin_a : ends[a]], pairs[begin_b : ends[b]])
                f[p, k] = total
    return f

"""Who has a neighbourhood like whose: the structural relations that WRGAT adds to a graph.

Two nodes are alike at level k if the degrees found at distances 0, ..., k of them are alike:

    f_k(u, v) = sum_{i <= k} DTW(degrees at distance i of u, of v)

(Ribeiro et al.: struc2vec, KDD 2017). Degrees are compacted to sorted pairs (degree, frequency) and warped
onto each other by FastDTW of radius 1 (Salvador, Chan 2007) with the cost (max d / min d - 1) max(frequency),
1/2 added to each d. A node is compared only with about 2 log2(n) others of the nearest degrees.
"""

from __future__ import annotations

import math
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
    from unifilter.models._warping import degree_lists, distances

    lists = degree_lists(
        A.indptr.astype(np.int64), A.indices.astype(np.int64), rank, values.astype(float), levels
    )
    f = distances(u, v, *lists, levels)
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

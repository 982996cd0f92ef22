"""Warping against exact warping and FastDTW written with sets; distances of pairs against one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unifilter.models._warping import PARTS, degree_lists, distances, warp


def cost(a, b) -> float:
    return ((max(a[0], b[0]) + 0.5) / (min(a[0], b[0]) + 0.5) - 1) * max(a[1], b[1])


def warped(x, y, window=None):
    """Warping within a set of cells: its cost and its path."""
    inside = window or {(i, j) for i in range(len(x)) for j in range(len(y))}
    D = {(-1, -1): (0.0, None)}
    for i, j in sorted(inside):
        before = [(D[c][0], k, c) for k, c in enumerate([(i - 1, j), (i, j - 1), (i - 1, j - 1)]) if c in D]
        best = min(before)
        D[i, j] = (best[0] + cost(x[i], y[j]), best[2])
    path, cell = [], (len(x) - 1, len(y) - 1)
    while cell != (-1, -1):
        path.append(cell)
        cell = D[cell][1]
    return D[len(x) - 1, len(y) - 1][0], path


def fast(x, y, radius=1):
    """FastDTW by its recursion."""
    if min(len(x), len(y)) < radius + 2:
        return warped(x, y)
    halves = [[(s[i] + s[i + 1]) / 2 for i in range(0, len(s) - 1, 2)] for s in (x, y)]
    _, path = fast(*halves, radius)
    reach = range(-radius, radius + 1)
    near = {(i + a, j + b) for i, j in path for a in reach for b in reach}
    window = {
        (2 * i + a, 2 * j + b)
        for i, j in near
        for a in (0, 1)
        for b in (0, 1)
        if 0 <= 2 * i + a < len(x) and 0 <= 2 * j + b < len(y)
    }
    return warped(x, y, window)


def lists(least=1, most=40):
    pair = st.tuples(st.integers(1, 60), st.integers(1, 9))
    return st.lists(pair, min_size=least, max_size=most, unique_by=lambda p: p[0]).map(
        lambda pairs: np.array(sorted(pairs), dtype=float)
    )


def rough(most=30):
    """Neither sorted nor distinct: many equal ways, so that the order of preference shows."""
    pair = st.tuples(st.integers(1, 3), st.just(1))
    return st.lists(pair, min_size=3, max_size=most).map(lambda pairs: np.array(pairs, dtype=float))


@given(st.one_of(st.tuples(lists(), lists()), st.tuples(rough(), rough())))
def test_the_warp_is_fastdtw_of_radius_one(both):
    x, y = both
    found = warp(x, y)
    assert found == pytest.approx(fast(x, y)[0], rel=1e-12, abs=1e-12)
    assert found >= warped(x, y)[0] - 1e-9  # never below the exact distance


@given(lists(most=2), lists())
def test_the_warp_of_a_short_list_is_exact_and_symmetric(x, y):
    assert warp(x, y) == pytest.approx(warped(x, y)[0], rel=1e-12, abs=1e-12)
    assert warp(x, y) == pytest.approx(warp(y, x), rel=1e-12, abs=1e-12)


def test_pairs_that_threads_share_are_those_of_a_pair_at_a_time():
    n, levels = 60, 3
    degree = np.random.default_rng(0).integers(1, 6, n)
    indptr = np.concatenate([[0], np.cumsum(degree)])
    indices = np.random.default_rng(1).integers(0, n, indptr[-1])
    values, rank = np.unique(degree, return_inverse=True)
    found = degree_lists(indptr, indices, rank, values.astype(float), levels)
    u, v = (pairs.ravel() for pairs in np.indices((n, n)))
    assert u.size > 4 * PARTS
    one_by_one = [distances(u[p : p + 1], v[p : p + 1], *found, levels)[0] for p in range(u.size)]
    np.testing.assert_array_equal(distances(u, v, *found, levels), one_by_one)
    assert np.isfinite(one_by_one).any(axis=1).all()

"""Learned entries of a sparse matrix on a CPU, compiled: products at its places, softmax of its rows."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from unifilter.kernels.simd import fma, splat, total, width
from unifilter.kernels.team import Team
from unifilter.kernels.tiles import get


@njit  # called, not inlined: inlining would turn its constant width into a variable
def sampled_rows(indptr, indices, G, X, member, begin, end, out):
    """Rows of ``cpu.sampled``, of one member."""
    W, n, d = width(X), X.shape[1], X.shape[2]
    for i in range(begin, end):
        here = (member * n + i) * d
        for e in range(indptr[i], indptr[i + 1]):
            there = (member * n + np.intp(indices[e])) * d
            dot = splat(X.dtype.type(0))
            for at in range(0, d, W):
                m = min(W, d - at)
                dot = fma(get(G, here + at, m), get(X, there + at, m), dot)
            out[member, e] = total(dot)


@Team
def sampled(indptr, indices, G, X, ranges, out):
    """See ``cpu.sampled``."""
    shares = len(ranges)
    for part in prange(len(X) * shares):
        begin, end = ranges[part % shares, 0], ranges[part % shares, 1]
        sampled_rows(indptr, indices, G, X, part // shares, begin, end, out)


@Team
def softmax(indptr, scores, ranges, out):
    """See ``cpu.softmax``: the largest score is taken away first, so that no exponential overflows."""
    shares = len(ranges)
    for part in prange(len(scores) * shares):
        member, begin, end = part // shares, ranges[part % shares, 0], ranges[part % shares, 1]
        for i in range(begin, end):
            row = range(indptr[i], indptr[i + 1])
            largest, whole = scores.dtype.type(-np.inf), scores.dtype.type(0)
            for e in row:
                largest = max(largest, scores[member, e])
            for e in row:
                out[member, e] = np.exp(scores[member, e] - largest)
                whole += out[member, e]
            for e in row:
                out[member, e] /= whole

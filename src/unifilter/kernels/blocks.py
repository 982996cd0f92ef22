"""Dense blocks on a CPU, compiled: the product with P, the mix of V and its adjoint."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from unifilter.kernels.simd import add, ask_for, fma, load, splat, store, width
from unifilter.kernels.team import Team
from unifilter.kernels.tiles import get, put

ROWS = 32  # rows that are mixed by one thread at a time
PARTS = 16  # shares of the rows that are summed apart
AHEAD = 16  # tiles of V that are asked for before they are used


@njit(inline="always")
def row_sum(indices, weights, scale, X, begin, end, out, start):
    """out[start:] = sum of a_j s_j x_j over some entries of a row; 4 tiles share an index."""
    W, d = width(X), X.shape[1]
    at = 0
    while at + 4 * W <= d:
        p = q = u = z = splat(X.dtype.type(0))
        for e in range(begin, end):
            j = np.intp(indices[e])
            s = splat(scale[j] if weights is None else scale[j] * weights[e])
            p = fma(s, load(X, j * d + at), p)
            q = fma(s, load(X, j * d + at + W), q)
            u = fma(s, load(X, j * d + at + 2 * W), u)
            z = fma(s, load(X, j * d + at + 3 * W), z)
        store(out, start + at, p)
        store(out, start + at + W, q)
        store(out, start + at + 2 * W, u)
        store(out, start + at + 3 * W, z)
        at += 4 * W
    while at < d:
        m = min(W, d - at)
        p = splat(X.dtype.type(0))
        for e in range(begin, end):
            j = np.intp(indices[e])
            s = splat(scale[j] if weights is None else scale[j] * weights[e])
            p = fma(s, get(X, j * d + at, m), p)
        put(out, start + at, m, p)
        at += W


@Team
def spmm(indptr, indices, weights, scale, loop, X, parts, pieces, sums, out):
    """See ``cpu.spmm``."""
    d = X.shape[1]
    for part in prange(len(parts)):
        for i in range(parts[part, 0], parts[part, 1]):
            row_sum(indices, weights, scale, X, indptr[i], indptr[i + 1], out, i * d)
            s = scale[i]
            for t in range(d):
                out[i, t] = s * (out[i, t] + loop * s * X[i, t])
    for p in prange(len(pieces)):
        row_sum(indices, weights, scale, X, pieces[p, 1], pieces[p, 2], sums, p * d)
    for p in range(len(pieces)):
        i = pieces[p, 0]
        if p == 0 or pieces[p - 1, 0] != i:
            out[i] = loop * scale[i] * X[i]
        out[i] += sums[p]
        if p == len(pieces) - 1 or pieces[p + 1, 0] != i:
            out[i] *= scale[i]


@njit(inline="always")
def asked(V, where, m):
    """W entries of V, and those to come are asked for: K+1 streams are more than a processor foresees."""
    ask_for(V, where + AHEAD * width(V))
    return get(V, where, m)


@njit(inline="always")
def mix_tile(V, C, out, i, at, m, block):
    """All K+1 vectors of a row's tile are read before any of its results is written."""
    W, K1, d, J = width(V), V.shape[0], V.shape[2], C.shape[0]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    plane_out, row_out = out.strides[0] // out.itemsize, out.strides[1] // out.itemsize
    for j in range(K1):
        store(block, j * W, asked(V, j * plane + i * row + at, m))
    for k in range(J):
        total = splat(out.dtype.type(0))
        for j in range(K1):
            total = fma(get(C, (k * K1 + j) * d + at, m), load(block, j * W), total)
        put(out, k * plane_out + i * row_out + at, m, total)


@njit  # called, not inlined: inlining would turn its constant width into a variable
def mix_rows(V, C, out, begin, end):
    """Rows of ``cpu.mix``."""
    W, d = width(V), V.shape[2]
    block = np.empty(V.shape[0] * W, out.dtype)
    for i in range(begin, end):
        for at in range(0, d, W):
            mix_tile(V, C, out, i, at, min(W, d - at), block)


@njit(inline="always")
def mix_tile_to_one(V, C, out, i, at, m):
    """The same for a single result: V goes straight from memory into its sum."""
    d, plane, row = V.shape[2], V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    total = splat(out.dtype.type(0))
    for j in range(V.shape[0]):
        total = fma(get(C, j * d + at, m), asked(V, j * plane + i * row + at, m), total)
    put(out, i * (out.strides[1] // out.itemsize) + at, m, total)


@njit
def mix_rows_to_one(V, C, out, begin, end):
    """Rows of ``cpu.mix`` with one result."""
    W, d = width(V), V.shape[2]
    for i in range(begin, end):
        for at in range(0, d, W):
            mix_tile_to_one(V, C, out, i, at, min(W, d - at))


@Team
def mix(V, C, out):
    """See ``cpu.mix``."""
    n = V.shape[1]
    for part in prange(-(-n // ROWS)):
        begin, end = part * ROWS, min(n, part * ROWS + ROWS)
        if C.shape[0] == 1:
            mix_rows_to_one(V, C, out, begin, end)
        else:
            mix_rows(V, C, out, begin, end)


@njit(inline="always")
def correlate_tile(G, V, i, at, m, sums):
    """Add a tile of one row to ``sums``, which lies tile by tile."""
    W, K1, J = width(V), V.shape[0], G.shape[0]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    plane_g, row_g = G.strides[0] // G.itemsize, G.strides[1] // G.itemsize
    for k in range(J):
        g = get(G, k * plane_g + i * row_g + at, m)
        for j in range(K1):
            where, place = at * J * K1 + (k * K1 + j) * W, j * plane + i * row + at
            v = get(V, place, m) if k else asked(V, place, m)
            store(sums, where, fma(g, v, load(sums, where)))


@njit
def correlate_rows(G, V, begin, end, sums):
    """Rows of ``cpu.correlate``."""
    W, d = width(V), V.shape[2]
    for i in range(begin, end):
        for at in range(0, d, W):
            correlate_tile(G, V, i, at, min(W, d - at), sums)


@njit
def gathered(sums, out):
    """The sums of all parts, added in their order, from tiles to (J, K1, d)."""
    pairs, d, W = out.shape[0] * out.shape[1], out.shape[2], width(out)
    size = sums.shape[1]
    for at in range(0, d, W):
        for pair in range(pairs):
            total = splat(out.dtype.type(0))
            for part in range(len(sums)):
                total = add(load(sums, part * size + at * pairs + pair * W), total)
            put(out, pair * d + at, min(W, d - at), total)


@Team
def correlate(G, V, out):
    """See ``cpu.correlate``: rows in parts whose number does not depend on the threads."""
    n = V.shape[1]
    step = max(1, -(-n // PARTS))
    sums = np.empty((PARTS, -(-V.shape[2] // width(V)) * width(V) * G.shape[0] * V.shape[0]), out.dtype)
    for part in prange(PARTS):
        sums[part] = 0
        correlate_rows(G, V, part * step, min(n, part * step + step), sums[part])
    gathered(sums, out)

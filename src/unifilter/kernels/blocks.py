"""Dense blocks on a CPU, compiled: the product with P, the mix of V and its adjoint."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from unifilter.kernels.simd import fma, load, splat, store, width
from unifilter.kernels.tiles import get, put

ROWS = 32  # rows that are mixed by one thread at a time


@njit(inline="always")
def row_sum(indices, weights, scale, X, begin, end, out, start, spare):
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
            p = fma(s, get(X, j * d + at, m, spare), p)
        put(out, start + at, m, p, spare)
        at += W


@njit(parallel=True, cache=True)
def spmm(indptr, indices, weights, scale, loop, X, parts, pieces, sums, out):
    """See ``cpu.spmm``."""
    d = X.shape[1]
    for part in prange(len(parts)):
        spare = np.zeros(width(X), X.dtype)
        for i in range(parts[part, 0], parts[part, 1]):
            row_sum(indices, weights, scale, X, indptr[i], indptr[i + 1], out, i * d, spare)
            s = scale[i]
            for t in range(d):
                out[i, t] = s * (out[i, t] + loop * s * X[i, t])
    for p in prange(len(pieces)):
        spare = np.zeros(width(X), X.dtype)
        row_sum(indices, weights, scale, X, pieces[p, 1], pieces[p, 2], sums, p * d, spare)
    for p in range(len(pieces)):
        i = pieces[p, 0]
        if p == 0 or pieces[p - 1, 0] != i:
            out[i] = loop * scale[i] * X[i]
        out[i] += sums[p]
        if p == len(pieces) - 1 or pieces[p + 1, 0] != i:
            out[i] *= scale[i]


@njit  # called, not inlined: inlining would turn its constant width into a variable
def mix_rows(V, C, out, begin, end):
    """Mix some rows: all K+1 vectors of a row's tile are read before any of its results is written."""
    W, K1, d, J = width(V), V.shape[0], V.shape[2], C.shape[0]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    plane_out, row_out = out.strides[0] // out.itemsize, out.strides[1] // out.itemsize
    spare, block = np.zeros(W, V.dtype), np.empty(K1 * W, V.dtype)
    for i in range(begin, end):
        for at in range(0, d, W):
            m = min(W, d - at)
            for j in range(K1):
                store(block, j * W, get(V, j * plane + i * row + at, m, spare))
            for k in range(J):
                total = splat(V.dtype.type(0))
                for j in range(K1):
                    total = fma(get(C, (k * K1 + j) * d + at, m, spare), load(block, j * W), total)
                put(out, k * plane_out + i * row_out + at, m, total, spare)


@njit(parallel=True, cache=True)
def mix(V, C, out):
    """See ``cpu.mix``."""
    n = V.shape[1]
    for part in prange(-(-n // ROWS)):
        mix_rows(V, C, out, part * ROWS, min(n, part * ROWS + ROWS))


@njit(inline="always")
def correlate_tile(G, V, at, out):
    """Correlate one tile of columns."""
    W, K1, n, d, J = width(V), V.shape[0], V.shape[1], V.shape[2], G.shape[0]
    m = min(W, d - at)
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    plane_g, row_g = G.strides[0] // G.itemsize, G.strides[1] // G.itemsize
    spare, sums = np.zeros(W, V.dtype), np.zeros(J * K1 * W, V.dtype)
    for i in range(n):
        for k in range(J):
            g = get(G, k * plane_g + i * row_g + at, m, spare)
            for j in range(K1):
                where = (k * K1 + j) * W
                v = get(V, j * plane + i * row + at, m, spare)
                store(sums, where, fma(g, v, load(sums, where)))
    for pair in range(J * K1):
        put(out, pair * d + at, m, load(sums, pair * W), spare)


@njit(parallel=True, cache=True)
def correlate(G, V, out):
    """See ``cpu.correlate``."""
    for tile in prange(-(-V.shape[2] // width(V))):
        correlate_tile(G, V, tile * width(V), out)

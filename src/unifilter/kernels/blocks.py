"""Dense blocks on a CPU, compiled: the product with P, the mix of V and its adjoint."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from unifilter.kernels.simd import add, ask_for, drawn, fma, load, mul, splat, store, width
from unifilter.kernels.team import Team
from unifilter.kernels.tiles import get, put

ROWS = 32  # rows that are mixed by one thread at a time
PART = 2**15  # entries that are dropped out at a time
PARTS = 16  # shares of the rows that are summed apart
AHEAD = 16  # tiles of V that are asked for before they are used


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


@Team
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


@njit(inline="always")
def asked(V, where, m, rest):
    """W entries of V, and those to come are asked for: K+1 streams are more than a processor foresees."""
    ask_for(V, where + AHEAD * width(V))
    return get(V, where, m, rest)


@njit(inline="always")
def mix_tile(V, C, out, i, at, m, rest, spare, block):
    """All K+1 vectors of a row's tile are read before any of its results is written."""
    W, K1, d, J = width(V), V.shape[0], V.shape[2], C.shape[0]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    plane_out, row_out = out.strides[0] // out.itemsize, out.strides[1] // out.itemsize
    for j in range(K1):
        store(block, j * W, asked(V, j * plane + i * row + at, m, rest))
    for k in range(J):
        total = splat(out.dtype.type(0))
        for j in range(K1):
            total = fma(get(C, (k * K1 + j) * d + at, m, spare), load(block, j * W), total)
        put(out, k * plane_out + i * row_out + at, m, total, spare)


@njit  # called, not inlined: inlining would turn its constant width into a variable
def mix_rows(V, C, out, begin, end):
    """Mix some rows. The tile at the end of a row is apart: where m is a constant, nothing asks for it."""
    W, d = width(V), V.shape[2]
    rest, spare, block = np.zeros(W, V.dtype), np.zeros(W, out.dtype), np.empty(V.shape[0] * W, out.dtype)
    whole = d - d % W
    for i in range(begin, end):
        for at in range(0, whole, W):
            mix_tile(V, C, out, i, at, W, rest, spare, block)
        if whole < d:
            mix_tile(V, C, out, i, whole, d - whole, rest, spare, block)


@njit(inline="always")
def mix_tile_to_one(V, C, out, i, at, m, rest, spare):
    """The same for a single result: V goes straight from memory into its sum."""
    d, plane, row = V.shape[2], V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    total = splat(out.dtype.type(0))
    for j in range(V.shape[0]):
        total = fma(get(C, j * d + at, m, spare), asked(V, j * plane + i * row + at, m, rest), total)
    put(out, i * (out.strides[1] // out.itemsize) + at, m, total, spare)


@njit
def mix_rows_to_one(V, C, out, begin, end):
    """Rows of ``cpu.mix`` with one result."""
    W, d = width(V), V.shape[2]
    rest, spare = np.zeros(W, V.dtype), np.zeros(W, out.dtype)
    whole = d - d % W
    for i in range(begin, end):
        for at in range(0, whole, W):
            mix_tile_to_one(V, C, out, i, at, W, rest, spare)
        if whole < d:
            mix_tile_to_one(V, C, out, i, whole, d - whole, rest, spare)


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
def correlate_tile(G, V, i, at, m, rest, spare, sums):
    """Add a tile of one row to ``sums``, which lies tile by tile."""
    W, K1, J = width(V), V.shape[0], G.shape[0]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    plane_g, row_g = G.strides[0] // G.itemsize, G.strides[1] // G.itemsize
    for k in range(J):
        g = get(G, k * plane_g + i * row_g + at, m, spare)
        for j in range(K1):
            where, place = at * J * K1 + (k * K1 + j) * W, j * plane + i * row + at
            v = get(V, place, m, rest) if k else asked(V, place, m, rest)
            store(sums, where, fma(g, v, load(sums, where)))


@njit
def correlate_rows(G, V, begin, end, sums):
    """Rows of ``cpu.correlate``."""
    W, d = width(V), V.shape[2]
    rest, spare = np.zeros(W, V.dtype), np.zeros(W, G.dtype)
    whole = d - d % W
    for i in range(begin, end):
        for at in range(0, whole, W):
            correlate_tile(G, V, i, at, W, rest, spare, sums)
        if whole < d:
            correlate_tile(G, V, i, whole, d - whole, rest, spare, sums)


@njit
def gathered(sums, out):
    """The sums of all parts, added in their order, from tiles to (J, K1, d)."""
    pairs, d, W = out.shape[0] * out.shape[1], out.shape[2], width(out)
    size, spare = sums.shape[1], np.zeros(W, out.dtype)
    for at in range(0, d, W):
        for pair in range(pairs):
            total = splat(out.dtype.type(0))
            for part in range(len(sums)):
                total = add(load(sums, part * size + at * pairs + pair * W), total)
            put(out, pair * d + at, min(W, d - at), total, spare)


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


@njit(inline="always")
def scramble(x):
    """See ``reference.scramble``; numba widens every operation, so each is cut back to 32 bits."""
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D))
    x = np.uint32((x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B))
    return np.uint32(x ^ (x >> np.uint32(16)))


@njit(inline="always")
def draw(place, key, at, drop, factor):
    """The mask of one tile of one row and hop, times the factor that keeps the mean."""
    first = scramble(np.uint32(np.uint32(place) * np.uint32(0x9E3779B9) + key))
    return drawn(np.uint32(first + np.uint32(at) * np.uint32(0x9E3779B9)), drop, factor)


@njit(inline="always")
def mix_dropped_tile(V, weights, J, lower, drop, factor, key, out, i, at, m, rest, spare, block):
    """The basis of a tile exists in registers, one hop at a time."""
    W, K1, d = width(V), V.shape[0], V.shape[2]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    for j in range(K1):
        store(block, j * W, asked(V, j * plane + i * row + at, m, rest))
    total = splat(out.dtype.type(0))
    for k in range(J):
        term = splat(out.dtype.type(0))
        where = at * J * K1 + k * K1 * W
        for j in range(k + 1 if lower else K1):
            term = fma(load(weights, where + j * W), load(block, j * W), term)
        total = fma(draw(i * J + k, key, at, drop, factor), term, total)
    put(out, i * d + at, m, total, spare)


@njit
def mix_dropped_rows(V, weights, J, lower, drop, factor, seed, out, begin, end):
    """Rows of ``cpu.mix_dropped``."""
    W, d, key = width(V), V.shape[2], scramble(seed)
    rest, spare, block = np.zeros(W, V.dtype), np.zeros(W, out.dtype), np.empty(V.shape[0] * W, out.dtype)
    whole = d - d % W
    for i in range(begin, end):
        for at in range(0, whole, W):
            mix_dropped_tile(V, weights, J, lower, drop, factor, key, out, i, at, W, rest, spare, block)
        if whole < d:
            m = d - whole
            mix_dropped_tile(V, weights, J, lower, drop, factor, key, out, i, whole, m, rest, spare, block)


@njit
def tiled(C):
    """C tile by tile, in the order in which every row reads it."""
    W, pairs, d = width(C), C.shape[0] * C.shape[1], C.shape[2]
    weights, spare = np.empty(-(-d // W) * W * pairs, C.dtype), np.zeros(W, C.dtype)
    for at in range(0, d, W):
        for pair in range(pairs):
            store(weights, at * pairs + pair * W, get(C, pair * d + at, min(W, d - at), spare))
    return weights


@Team
def mix_dropped(V, C, lower, drop, factor, seed, out):
    """See ``cpu.mix_dropped``."""
    n = V.shape[1]
    weights = tiled(C)
    for part in prange(-(-n // ROWS)):
        begin, end = part * ROWS, min(n, part * ROWS + ROWS)
        mix_dropped_rows(V, weights, C.shape[0], lower, drop, factor, seed, out, begin, end)


@njit(inline="always")
def correlate_dropped_tile(G, V, J, lower, drop, factor, key, i, at, m, rest, spare, block, sums):
    """The same under dropout, with the masks of the forward pass."""
    W, K1, d = width(V), V.shape[0], V.shape[2]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    g = get(G, i * d + at, m, spare)
    for j in range(K1):
        store(block, j * W, asked(V, j * plane + i * row + at, m, rest))
    for k in range(J):
        masked = mul(g, draw(i * J + k, key, at, drop, factor))
        for j in range(k + 1 if lower else K1):
            where = at * J * K1 + (k * K1 + j) * W
            store(sums, where, fma(masked, load(block, j * W), load(sums, where)))


@njit
def correlate_dropped_rows(G, V, J, lower, drop, factor, seed, begin, end, sums):
    """Rows of ``cpu.correlate_dropped``."""
    W, d, key = width(V), V.shape[2], scramble(seed)
    rest, spare, block = np.zeros(W, V.dtype), np.zeros(W, G.dtype), np.empty(V.shape[0] * W, G.dtype)
    whole = d - d % W
    for i in range(begin, end):
        for at in range(0, whole, W):
            correlate_dropped_tile(G, V, J, lower, drop, factor, key, i, at, W, rest, spare, block, sums)
        if whole < d:
            m = d - whole
            correlate_dropped_tile(G, V, J, lower, drop, factor, key, i, whole, m, rest, spare, block, sums)


@Team
def correlate_dropped(G, V, lower, drop, factor, seed, out):
    """See ``cpu.correlate_dropped``."""
    n, J = V.shape[1], out.shape[0]
    step = max(1, -(-n // PARTS))
    sums = np.empty((PARTS, -(-V.shape[2] // width(V)) * width(V) * J * V.shape[0]), out.dtype)
    for part in prange(PARTS):
        sums[part] = 0
        begin, end = part * step, min(n, part * step + step)
        correlate_dropped_rows(G, V, J, lower, drop, factor, seed, begin, end, sums[part])
    gathered(sums, out)


@njit
def dropout_part(x, out, begin, end, drop, factor, key):
    """Entries [begin, end) of ``cpu.dropout``."""
    W = width(x)
    spare, whole = np.zeros(W, x.dtype), end - (end - begin) % W
    for at in range(begin, whole, W):
        mask = drawn(np.uint32(key + np.uint32(at) * np.uint32(0x9E3779B9)), drop, factor)
        store(out, at, mul(mask, load(x, at)))
    if whole < end:
        mask = drawn(np.uint32(key + np.uint32(whole) * np.uint32(0x9E3779B9)), drop, factor)
        put(out, whole, end - whole, mul(mask, get(x, whole, end - whole, spare)), spare)


@Team
def dropout(x, size, drops, factors, seed, out):
    """See ``cpu.dropout``: x is flat, ``size`` entries for each member."""
    parts = -(-size // PART)
    for p in prange(len(drops) * parts):
        member, part = p // parts, p % parts
        begin = member * size + part * PART
        end = min(begin + PART, member * size + size)
        dropout_part(x, out, begin, end, drops[member], factors[member], scramble(seed))

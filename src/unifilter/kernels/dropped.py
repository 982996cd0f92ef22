"""Dropout on a CPU, compiled: of a matrix, and of a basis never written. Masks are hashes of places."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from unifilter.kernels.blocks import PARTS, ROWS, asked, gathered
from unifilter.kernels.simd import drawn, fma, load, mul, splat, store, width
from unifilter.kernels.team import Team
from unifilter.kernels.tiles import get, put

PART = 2**15  # entries that are dropped out at a time


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
def mix_dropped_tile(V, weights, J, lower, drop, factor, key, out, i, at, m, block):
    """The basis of a tile exists in registers, one hop at a time."""
    W, K1, d = width(V), V.shape[0], V.shape[2]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    for j in range(K1):
        store(block, j * W, asked(V, j * plane + i * row + at, m))
    total = splat(out.dtype.type(0))
    for k in range(J):
        term = splat(out.dtype.type(0))
        where = at * J * K1 + k * K1 * W
        for j in range(k + 1 if lower else K1):
            term = fma(load(weights, where + j * W), load(block, j * W), term)
        total = fma(draw(i * J + k, key, at, drop, factor), term, total)
    put(out, i * d + at, m, total)


@njit
def mix_dropped_rows(V, weights, J, lower, drop, factor, seed, out, begin, end):
    """Rows of ``cpu.mix_dropped``."""
    W, d, key = width(V), V.shape[2], scramble(seed)
    block = np.empty(V.shape[0] * W, out.dtype)
    for i in range(begin, end):
        for at in range(0, d, W):
            mix_dropped_tile(V, weights, J, lower, drop, factor, key, out, i, at, min(W, d - at), block)


@njit
def tiled(C):
    """C tile by tile, in the order in which every row reads it."""
    W, pairs, d = width(C), C.shape[0] * C.shape[1], C.shape[2]
    weights = np.empty(-(-d // W) * W * pairs, C.dtype)
    for at in range(0, d, W):
        for pair in range(pairs):
            store(weights, at * pairs + pair * W, get(C, pair * d + at, min(W, d - at)))
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
def correlate_dropped_tile(G, V, J, lower, drop, factor, key, i, at, m, block, sums):
    """The same under dropout, with the masks of the forward pass."""
    W, K1, d = width(V), V.shape[0], V.shape[2]
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    g = get(G, i * d + at, m)
    for j in range(K1):
        store(block, j * W, asked(V, j * plane + i * row + at, m))
    for k in range(J):
        masked = mul(g, draw(i * J + k, key, at, drop, factor))
        for j in range(k + 1 if lower else K1):
            where = at * J * K1 + (k * K1 + j) * W
            store(sums, where, fma(masked, load(block, j * W), load(sums, where)))


@njit
def correlate_dropped_rows(G, V, J, lower, drop, factor, seed, begin, end, sums):
    """Rows of ``cpu.correlate_dropped``."""
    W, d, key = width(V), V.shape[2], scramble(seed)
    block = np.empty(V.shape[0] * W, G.dtype)
    for i in range(begin, end):
        for at in range(0, d, W):
            correlate_dropped_tile(G, V, J, lower, drop, factor, key, i, at, min(W, d - at), block, sums)


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
    for at in range(begin, end, W):
        m = min(W, end - at)
        mask = drawn(np.uint32(key + np.uint32(at) * np.uint32(0x9E3779B9)), drop, factor)
        put(out, at, m, mul(mask, get(x, at, m)))


@Team
def dropout(x, size, drops, factors, seed, out):
    """See ``cpu.dropout``: x is flat, ``size`` entries for each member."""
    parts = -(-size // PART)
    for p in prange(len(drops) * parts):
        member, part = p // parts, p % parts
        begin = member * size + part * PART
        end = min(begin + PART, member * size + size)
        dropout_part(x, out, begin, end, drops[member], factors[member], scramble(seed))

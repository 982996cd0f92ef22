"""Lanczos on a CPU, compiled: the fused three-term recurrence.

A tile of a vector stays in the core's own cache while the gathers of a product run through it, and the
recurrence keeps its tile from the first product to the last: V is written once and nothing else leaves the
cache. The passes over rows are functions that numba inlines into its parallel loops; LLVM then knows that a
thread's buffers do not overlap its arguments, which makes the recurrence twice as fast.
"""

from __future__ import annotations

import numpy as np
from numba import get_thread_id, njit, prange

from unifilter.kernels.simd import fma, load, mul, splat, store, sub, wide_zero, widen, width
from unifilter.kernels.team import Team
from unifilter.kernels.tiles import gather, get, put


@njit(inline="always")
def start_rows(X, r, at, m, begin, end):
    """R = x, and the sums of its squares."""
    W, step = width(X), X.strides[0] // X.itemsize
    total = wide_zero(X)
    for i in range(begin, end):
        x = get(X, i * step + at, m)
        store(r, i * W, x)
        total = fma(widen(x), widen(x), total)
    return total


@njit(inline="always")
def unit_rows(r, inverses, scale, v, y, V, k, at, m, begin, end):
    """V = r / |r|, written to V[k] too, and y = D^-1/2 v."""
    W = width(r)
    plane, row = V.strides[0] // V.itemsize, V.strides[1] // V.itemsize
    inverse = load(inverses, 0)
    for i in range(begin, end):
        unit = mul(load(r, i * W), inverse)
        store(v, i * W, unit)
        store(y, i * W, mul(splat(scale[i]), unit))
        put(V, k * plane + i * row + at, m, unit)


@njit(inline="always")
def product_rows(indptr, indices, weights, scale, loop, y, v, before, betas, r, begin, end):
    """R = P v - beta v_before, and the sums of r v."""
    W, total, b = width(r), wide_zero(r), load(betas, 0)
    for i in range(begin, end):
        z = gather(indices, weights, y, indptr[i], indptr[i + 1])
        z = fma(splat(loop), load(y, i * W), z)
        z = fma(b, load(before, i * W), mul(splat(scale[i]), z))
        store(r, i * W, z)
        total = fma(widen(z), widen(load(v, i * W)), total)
    return total


@njit(inline="always")
def rest_rows(r, v, alphas, begin, end):
    """R = r - alpha v, and the sums of its squares."""
    W, total, a = width(r), wide_zero(r), load(alphas, 0)
    for i in range(begin, end):
        rest = fma(a, load(v, i * W), load(r, i * W))
        store(r, i * W, rest)
        total = fma(widen(rest), widen(rest), total)
    return total


@njit(inline="always")
def inner_rows(past, r, k, begin, end, sums):
    """The inner products of r with v_0 ... v_k, in their precision: the bound for them is far above it."""
    W, plane = width(r), past.shape[1]
    for j in range(k + 1):
        total = splat(r.dtype.type(0))
        for i in range(begin, end):
            total = fma(load(past, j * plane + i * W), load(r, i * W), total)
        store(sums, j * W, total)


@njit(inline="always")
def subtract_rows(past, inner, r, k, begin, end):
    """R = r - sum_j inner_j v_j, and the sums of its squares."""
    W, plane, total = width(r), past.shape[1], wide_zero(r)
    for i in range(begin, end):
        rest = load(r, i * W)
        for j in range(k + 1):
            rest = sub(rest, mul(load(inner, j * W), load(past, j * plane + i * W)))
        store(r, i * W, rest)
        total = fma(widen(rest), widen(rest), total)
    return total


@njit(inline="always")
def is_lost(inner, sums, count, tolerated):
    """Whether any column of the tile has an inner product beyond what is tolerated beside |r|."""
    W = sums.size
    for t in range(W):
        bound = tolerated * np.sqrt(sums[t])
        for j in range(count):
            if abs(inner[j * W + t]) > bound:
                return True
    return False


@njit(inline="always")
def note_norm(sums, norm, at, m, inverses):
    """The norms of the columns, and their reciprocals."""
    for t in range(m):
        norm[at + t] = np.sqrt(sums[t])
    for t in range(sums.size):
        inverses[t] = 1 / np.sqrt(sums[t]) if sums[t] > 0 else 0


@njit(inline="always")
def note_alpha(sums, alpha, at, m, alphas):
    """The diagonal of T, and its negative for the subtraction to come."""
    for t in range(sums.size):
        alphas[t] = -sums[t]
    for t in range(m):
        alpha[at + t] = sums[t]


@njit(inline="always")
def note_beta(sums, beta, at, m, betas, inverses, least, ended):
    """The off-diagonal of T, 0 where it is rounding error and the column has ended; and its reciprocals."""
    for t in range(sums.size):
        size = np.sqrt(sums[t])
        size = size if size * least[t] > ended else 0.0
        least[t] = min(least[t], size)
        betas[t] = -size
        inverses[t] = 1 / size if size > 0 else 0
        if t < m:
            beta[at + t] = size


@Team
def three_term_tiles(indptr, indices, weights, scale, loop, X, V, work, bounds, alpha, beta, norm):
    """See ``cpu.three_term``: a thread takes a tile from the first product to the last."""
    n, d = X.shape
    K = V.shape[0] - 1
    for tile in prange(-(-d // width(X))):
        W = width(X)
        at = tile * W
        m = min(W, d - at)
        own = work[get_thread_id()]
        r, y, past = own[0], own[1], own[2:]  # past[k] = v_k, side by side: a column of V is spread out
        sums, inner = np.zeros(W), np.zeros((K + 1) * W, X.dtype)
        inverses, alphas, betas = np.zeros(W, X.dtype), np.zeros(W, X.dtype), np.zeros(W, X.dtype)
        least = np.ones(W)
        store(sums, 0, start_rows(X, r, at, m, 0, n))
        note_norm(sums, norm, at, m, inverses)
        for k in range(K + 1):
            unit_rows(r, inverses, scale, past[k], y, V, k, at, m, 0, n)
            if k == K:
                break
            v, before = past[k], past[max(k - 1, 0)]
            total = product_rows(indptr, indices, weights, scale, loop, y, v, before, betas, r, 0, n)
            store(sums, 0, total)
            note_alpha(sums, alpha[k], at, m, alphas)
            store(sums, 0, rest_rows(r, v, alphas, 0, n))
            for _ in range(2):
                inner_rows(past, r, k, 0, n, inner)
                if not is_lost(inner, sums, k + 1, bounds[0]):
                    break
                store(sums, 0, subtract_rows(past, inner, r, k, 0, n))
            note_beta(sums, beta[k], at, m, betas, inverses, least, bounds[1])


@Team
def three_term_rows(indptr, indices, weights, scale, loop, X, V, parts, work, bounds, alpha, beta, norm):
    """The same for fewer tiles than threads: all threads share the rows of one tile, step by step."""
    K, W, d = V.shape[0] - 1, width(X), X.shape[1]
    r, y, past = work[0, 0], work[0, 1], work[0, 2:]
    inverses, alphas, betas = np.zeros(W, X.dtype), np.zeros(W, X.dtype), np.zeros(W, X.dtype)
    shares, inners = np.zeros((len(parts), W)), np.zeros((len(parts), (K + 1) * W), X.dtype)
    for at in range(0, d, W):
        m = min(W, d - at)
        betas[:] = 0
        least = np.ones(W)
        for p in prange(len(parts)):
            store(shares[p], 0, start_rows(X, r, at, m, parts[p, 0], parts[p, 1]))
        note_norm(shares.sum(axis=0), norm, at, m, inverses)
        for k in range(K + 1):
            for p in prange(len(parts)):
                unit_rows(r, inverses, scale, past[k], y, V, k, at, m, parts[p, 0], parts[p, 1])
            if k == K:
                break
            v, before = past[k], past[max(k - 1, 0)]  # beta is 0 at first, whatever it multiplies
            for p in prange(len(parts)):
                begin, end = parts[p, 0], parts[p, 1]
                total = product_rows(
                    indptr, indices, weights, scale, loop, y, v, before, betas, r, begin, end
                )
                store(shares[p], 0, total)
            note_alpha(shares.sum(axis=0), alpha[k], at, m, alphas)
            for p in prange(len(parts)):
                store(shares[p], 0, rest_rows(r, v, alphas, parts[p, 0], parts[p, 1]))
            sums = shares.sum(axis=0)
            for _ in range(2):
                for p in prange(len(parts)):
                    inner_rows(past, r, k, parts[p, 0], parts[p, 1], inners[p])
                inner = inners.sum(axis=0)
                if not is_lost(inner, sums, k + 1, bounds[0]):
                    break
                for p in prange(len(parts)):
                    total = subtract_rows(past, inner, r, k, parts[p, 0], parts[p, 1])
                    store(shares[p], 0, total)
                sums = shares.sum(axis=0)
            note_beta(sums, beta[k], at, m, betas, inverses, least, bounds[1])

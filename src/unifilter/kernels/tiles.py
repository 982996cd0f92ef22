"""Tiles: what numba kernels work on, and how one is read, written and gathered.

Columns are independent, so the unit of work is a tile: all rows of W columns, one cache line wide.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unifilter.kernels.simd import add, fma, load, load_some, splat, store, store_some, width


@njit(inline="always")
def get(array, offset, m):
    """W entries of a row, or the m that are left of it and zeros."""
    return load(array, offset) if m == width(array) else load_some(array, offset, m)


@njit(inline="always")
def put(array, offset, m, value):
    """Write back what ``get`` would read."""
    if m == width(array):
        store(array, offset, value)
    else:
        store_some(array, offset, m, value)


@njit(inline="always")
def gather(indices, weights, y, begin, end):
    """The sum of the rows of y that a row of A points to: 2 sums, as one would wait for itself."""
    W = width(y)
    even = odd = splat(y.dtype.type(0))
    for e in range(begin, end - 1, 2):
        a = load(y, np.intp(indices[e]) * W)
        b = load(y, np.intp(indices[e + 1]) * W)
        if weights is None:
            even, odd = add(a, even), add(b, odd)
        else:
            even, odd = fma(splat(weights[e]), a, even), fma(splat(weights[e + 1]), b, odd)
    if (end - begin) % 2:
        a = load(y, np.intp(indices[end - 1]) * W)
        even = add(a, even) if weights is None else fma(splat(weights[end - 1]), a, even)
    return add(even, odd)

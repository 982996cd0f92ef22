import numpy as np
import pytest
from numba import njit

from unifilter.kernels import simd


@njit
def combine(a, b, out):
    x, y = simd.load(a, 3), simd.load(b, 0)
    W = simd.width(a)
    simd.store(out, 0, simd.add(x, y))
    simd.store(out, W, simd.mul(x, y))
    simd.store(out, 2 * W, simd.fma(x, y, simd.splat(a[0])))


@njit
def widened(a, out):
    simd.store(out, 0, simd.add(simd.widen(simd.load(a, 0)), simd.wide_zero(a)))


@njit
def moved(a, out):
    simd.write(out, 5, simd.read(a, 2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_vector_computes_what_its_lanes_would(dtype, generator):
    W = 64 // np.dtype(dtype).itemsize
    a, b = generator.random(W + 3).astype(dtype), generator.random(W).astype(dtype)
    out = np.zeros(3 * W, dtype)
    combine(a, b, out)
    x = a[3:]
    np.testing.assert_allclose(
        out, np.concatenate([x + b, x * b, x * b + a[0]]), rtol=2 * np.finfo(dtype).eps
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_widen_keeps_the_numbers(dtype, generator):
    W = 64 // np.dtype(dtype).itemsize
    a, out = generator.random(W).astype(dtype), np.zeros(W)
    widened(a, out)
    np.testing.assert_array_equal(out, a.astype(np.float64))


def test_read_and_write_move_one_entry(generator):
    a, out = generator.random((2, 4)), np.zeros((3, 3))
    moved(a, out)
    assert out[1, 2] == a[0, 2]
    assert np.count_nonzero(out) == 1

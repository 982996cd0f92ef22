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
def summed(a):
    return simd.total(simd.load(a, 0))


@njit
def shown(a, out, m):
    simd.store(out, 0, simd.load_some(a, 0, m))


@njit
def moved(a, out, m):
    simd.store_some(out, 2, m, simd.load_some(a, 1, m))


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_total_adds_halves_onto_halves(dtype, generator):
    a = generator.random(64 // np.dtype(dtype).itemsize).astype(dtype)
    found = summed(a)
    while a.size > 1:
        a = a[: a.size // 2] + a[a.size // 2 :]
    assert found == a[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [0, 1, 5, 8])
def test_some_lanes_are_read_and_written_and_no_others(m, dtype, generator):
    a, out = generator.random(1 + m).astype(dtype), np.full(12, -1, dtype)  # what lies beyond a is not ours
    moved(a, out, m)
    np.testing.assert_array_equal(out[2 : 2 + m], a[1:])
    assert (out[:2] == -1).all()
    assert (out[2 + m :] == -1).all()


def test_lanes_that_are_not_read_are_zeros():
    a, out = np.arange(1.0, 9.0), np.full(8, -1.0)
    shown(a, out, 3)
    assert out.tolist() == [1, 2, 3, 0, 0, 0, 0, 0]
    bits = np.array([0x3F80, 0x4000, 0x4040], np.uint16)  # 1, 2, 3 in bfloat16
    out = np.full(16, -1.0, np.float32)
    shown(bits, out, 2)
    assert out.tolist() == [1, 2] + [0] * 14


@njit
def asked_for(a, out):
    simd.ask_for(a, 0)
    simd.ask_for(a, 10**9)
    simd.store(out, 0, simd.load(a, 0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint16])
def test_asking_for_a_line_changes_nothing_even_beyond_the_end(dtype):
    a = np.arange(64).astype(dtype)
    W = 16 if dtype == np.uint16 else 64 // np.dtype(dtype).itemsize
    out = np.zeros(W, np.float64 if dtype == np.float64 else np.float32)
    asked_for(a, out)
    expected = (a[:W].astype(np.uint32) << 16).view(np.float32) if dtype == np.uint16 else a[:W]
    np.testing.assert_array_equal(out, expected)
    assert "prefetch" in next(iter(asked_for.inspect_asm().values()))

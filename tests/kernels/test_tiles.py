import platform

import numpy as np
import pytest
from numba import njit

from conftest import GRAPHS
from unifilter.kernels import simd, tiles


@njit
def neighbours(indptr, indices, y, out):
    W = simd.width(y)
    for i in range(indptr.size - 1):
        simd.store(out, i * W, tiles.gather(indices, None, y, indptr[i], indptr[i + 1]))


@pytest.mark.parametrize(("dtype", "suffix"), [(np.float32, "s"), (np.float64, "d")])
def test_the_gathers_are_vectorised(dtype, suffix):
    """Packed additions (``addps``) in the inner loop, none of single numbers (``addss``)."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("reads the names of x86 instructions")
    graph, W = GRAPHS["star"](), 64 // np.dtype(dtype).itemsize
    y, out = np.ones(graph.n * W, dtype), np.zeros(graph.n * W, dtype)
    neighbours(graph.indptr, graph.indices, y, out)
    assert out[0] == graph.n - 1
    text = next(asm for types, asm in neighbours.inspect_asm().items() if types[2].dtype.name == y.dtype.name)
    assert text.count(f"addp{suffix}") > 3
    assert text.count(f"adds{suffix}") == 0


@njit
def moved(source, target, m):
    tiles.put(target, 3, m, tiles.get(source, 5, m))


@pytest.mark.parametrize("m", [1, 7, 8])
def test_a_tile_is_read_and_written_up_to_its_last_column(m):
    source, target = np.arange(20.0), np.full(20, -1.0)
    moved(source, target, m)
    assert target[3 : 3 + m].tolist() == source[5 : 5 + m].tolist()
    assert (np.delete(target, range(3, 3 + m)) == -1).all()

"""Kernels for learned entries, compiled and portable, against the reference."""

import numba
import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.kernels import cpu, portable, reference, spmm, team
from unifilter.kernels.csr import Places, schedule

N = 70


def skewed() -> Places:
    """A row that holds most entries, rows of every length and of none, a place that is named three times."""
    rng = np.random.default_rng(3)
    rows = np.sort(np.concatenate([np.full(150, 5), rng.integers(0, N - 4, 200), [9] * 3]))
    columns = rng.integers(0, N, rows.size)
    columns[rows == 9] = 2
    A = Places.of(torch.from_numpy(rows), torch.from_numpy(columns), N)
    return A._replace(plan=schedule(A.indptr, 64, least=20))


def empty() -> Places:
    nothing = torch.empty(0, dtype=torch.long)
    return Places.of(nothing, nothing, N)


@pytest.fixture(params=[skewed, empty], ids=["skewed", "empty"])
def A(request) -> Places:
    return request.param()


@pytest.fixture(params=[cpu, portable, spmm], ids=["cpu", "portable", "spmm"])
def kernels(request):
    return request.param


def drawn(A: Places, d: int, dtype: torch.dtype):
    """Entries and two blocks of three members; none of them lies in memory as a kernel reads it."""
    values = torch.randn(A.rows.numel(), 3, dtype=dtype).T
    G, X = (torch.randn(3, d, N, dtype=dtype).transpose(1, 2) for _ in range(2))
    return values, G, X


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("d", [1, 2, 8, 17, 75])
def test_products_agree_with_the_reference(A, kernels, d, dtype):
    values, G, X = drawn(A, d, dtype)
    eps = 200 * torch.finfo(dtype).eps
    assert_close(kernels.weighted(A, values, X), reference.weighted(A, values, X), rtol=eps, atol=eps)
    assert_close(kernels.sampled(A, G, X), reference.sampled(A, G, X), rtol=eps, atol=eps)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softmax_agrees_with_the_reference_where_exponentials_would_overflow(A, kernels, dtype):
    scores = 1000 * torch.randn(A.rows.numel(), 2, dtype=dtype).T
    eps = 50 * torch.finfo(dtype).eps
    assert_close(kernels.softmax(A, scores), reference.softmax(A, scores), rtol=eps, atol=eps)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(team, "SMALL", 0)
    A, threads = skewed(), numba.get_num_threads()
    values, G, X = drawn(A, 20, torch.float32)
    found = []
    try:
        for count in (1, threads):
            numba.set_num_threads(count)
            found.append((cpu.weighted(A, values, X), cpu.sampled(A, G, X), cpu.softmax(A, values)))
        monkeypatch.setattr(team, "SMALL", 10**9)
        found.append((cpu.weighted(A, values, X), cpu.sampled(A, G, X), cpu.softmax(A, values)))
    finally:
        numba.set_num_threads(threads)
    for other in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_half_precision_is_refused_on_a_cpu():
    A = skewed()
    with pytest.raises(TypeError, match="float32 or float64"):
        cpu.softmax(A, torch.zeros(1, A.rows.numel(), dtype=torch.float16))

"""Triton's products and recurrence against the reference: on a GPU, or interpreted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter import Graph, propagation
from unifilter.kernels import reference

RNG = np.random.default_rng(3)


def skewed(weighted: bool) -> Graph:
    """A hub whose row is cut into pieces, and isolated nodes."""
    hub = np.stack([np.zeros(40, int), np.arange(1, 41)])
    edges = np.concatenate([hub, RNG.integers(1, 40, (2, 30))], axis=1)
    return Graph.from_edges(edges, n=43, weights=RNG.random(70) if weighted else None)


@pytest.fixture
def gpu(device, monkeypatch):
    from unifilter.kernels import gpu

    if device == "cpu":  # the interpreter is slow: cut early, in small tiles
        monkeypatch.setattr(gpu, "LONG", 16)
    return gpu


def moved(P, device):
    return P.to(device)._csr


@pytest.mark.parametrize("d", [1, 5, 130])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_spmm_agrees_with_the_reference(gpu, device, weighted, d, dtype):
    P = propagation(skewed(weighted), self_loops=weighted, dtype=dtype)
    X = torch.randn(43, d, dtype=dtype)
    A = moved(P, device)
    found = gpu.spmm(A, X.to(device), gpu.pieces(A.indptr, gpu.LONG)).cpu()
    assert_close(found, reference.spmm(P._csr, X))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_summed_in_float32(gpu, device, dtype):
    """The error is that of rounding the input and the result, whatever the degree."""
    P = propagation(skewed(False))
    X = torch.rand(43, 20).to(dtype)
    A = moved(P, device)
    found = gpu.spmm(A, X.to(device), gpu.pieces(A.indptr, gpu.LONG)).cpu()
    assert found.dtype == dtype
    assert_close(
        found.double(), reference.spmm(P._csr, X.float()).double(), rtol=torch.finfo(dtype).eps, atol=0
    )


def test_pieces_cover_long_rows_once(gpu):
    indptr = torch.tensor([0, 5, 40, 41, 41, 75])
    begin, end, first = gpu.pieces(indptr, long=16)
    assert [(int(a), int(b)) for a, b in zip(begin, end, strict=True)] == [
        (5, 21), (21, 37), (37, 40), (41, 57), (57, 73), (73, 75),
    ]  # fmt: skip
    assert first.tolist() == [-1, 0, -1, -1, 3]


@pytest.mark.parametrize("d", [1, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_fused_recurrence_agrees_with_the_reference(gpu, device, d, dtype):
    P = propagation(skewed(True), dtype=dtype)
    X = torch.randn(43, d, dtype=dtype)
    X[:, 0] = 0  # a zero column stays zero
    wanted, found = torch.zeros(6, 43, d, dtype=dtype), torch.zeros(6, 43, d, dtype=dtype, device=device)
    A = moved(P, device)
    first = reference.three_term(P, X, wanted)
    second = gpu.three_term(A, X.to(device), found, gpu.pieces(A.indptr, gpu.LONG))
    tolerance = {"rtol": 0, "atol": 200 * torch.finfo(dtype).eps}
    assert_close(found.cpu(), wanted, **tolerance)
    for name in ("alpha", "beta", "norm"):
        assert_close(getattr(second, name).cpu(), getattr(first, name), **tolerance)


def test_lost_orthogonality_is_restored(gpu, device):
    """A graph of few distinct eigenvalues: without it the Krylov space would not be seen to end."""
    n = 24
    star = Graph.from_edges(np.stack([np.zeros(n - 1, int), np.arange(1, n)]))
    P = propagation(star, dtype=torch.float64)
    V = torch.zeros(7, n, 3, dtype=torch.float64, device=device)
    A = moved(P, device)
    found = gpu.three_term(
        A, torch.randn(n, 3, dtype=torch.float64, device=device), V, gpu.pieces(A.indptr, gpu.LONG)
    )
    assert (found.beta[3:] == 0).all()  # eigenvalues -1, 0, 1: three dimensions
    gram = torch.einsum("knd,jnd->dkj", V[:3], V[:3]).cpu()
    assert_close(gram, torch.eye(3, dtype=torch.float64).expand(3, 3, 3), rtol=0, atol=1e-13)


def test_float32_stays_orthogonal_where_the_recurrence_alone_would_not(gpu, device):
    """An outlying eigenvalue converges after a few hops, and plain Lanczos finds it again and again."""
    n, K = 40, 24
    hub = np.stack([np.zeros(n - 1, int), np.arange(1, n)])
    ring = np.stack([np.arange(1, n - 1), np.arange(2, n)])
    P = propagation(Graph.from_edges(np.concatenate([hub, ring], axis=1)))
    V = torch.zeros(K + 1, n, 2, device=device)
    A = moved(P, device)
    X = torch.randn(n, 2, generator=torch.Generator().manual_seed(0)).to(device)
    gpu.three_term(A, X, V, gpu.pieces(A.indptr, gpu.LONG))
    gram = torch.einsum("knd,jnd->dkj", V, V).cpu()
    ended = torch.diagonal(gram, dim1=1, dim2=2) == 0
    away = gram - torch.diag_embed(torch.where(ended, 0.0, 1.0))
    assert away.abs().max() < 1e-4


def test_the_same_input_gives_the_same_bits(gpu, device):
    A = moved(propagation(skewed(True)), device)
    X, cut = torch.randn(43, 20, device=device), gpu.pieces(A.indptr, gpu.LONG)
    assert torch.equal(gpu.spmm(A, X, cut), gpu.spmm(A, X, cut))

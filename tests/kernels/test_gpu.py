"""Triton's products against the reference: on a GPU, or interpreted."""

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
        monkeypatch.setattr(gpu, "SHORT", 16)
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
    found = gpu.spmm(A, X.to(device), gpu.pieces(A.indptr)).cpu()
    assert_close(found, reference.spmm(P._csr, X))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_summed_in_float32(gpu, device, dtype):
    """The error is that of rounding the input and the result, whatever the degree."""
    P = propagation(skewed(False))
    X = torch.rand(43, 20).to(dtype)
    A = moved(P, device)
    found = gpu.spmm(A, X.to(device), gpu.pieces(A.indptr)).cpu()
    assert found.dtype == dtype
    assert_close(
        found.double(), reference.spmm(P._csr, X.float()).double(), rtol=torch.finfo(dtype).eps, atol=0
    )


def test_a_graph_with_self_loops_keeps_its_own_rows(gpu, device):
    P = propagation(skewed(False), self_loops=True)
    X = torch.randn(43, 20)
    A = moved(P, device)
    found = gpu.spmm(A, X.to(device), gpu.pieces(A.indptr)).cpu()
    assert_close(found, reference.spmm(P._csr, X))


def test_pieces_cover_long_rows_once(gpu):
    indptr = torch.tensor([0, 5, 40, 41, 41, 75])
    begin, end, first, long = gpu.pieces(indptr, long=16)
    assert long == 16
    assert [(int(a), int(b)) for a, b in zip(begin, end, strict=True)] == [
        (5, 21), (21, 37), (37, 40), (41, 57), (57, 73), (73, 75),
    ]  # fmt: skip
    assert first.tolist() == [-1, 0, -1, -1, 3]


def test_the_same_input_gives_the_same_bits(gpu, device):
    A = moved(propagation(skewed(True)), device)
    X, cut = torch.randn(43, 20, device=device), gpu.pieces(A.indptr)
    assert torch.equal(gpu.spmm(A, X, cut), gpu.spmm(A, X, cut))


def test_a_small_graph_is_cut_finer(gpu, monkeypatch):
    indptr = torch.tensor([0, 5, 40])
    assert gpu.pieces(indptr).long == gpu.SHORT
    monkeypatch.setattr(gpu, "FEW", 40)
    assert gpu.pieces(indptr).long == gpu.LONG > gpu.SHORT

"""Triton's way to orthonormal vectors against dense float64: on a GPU, or interpreted."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from helpers import gram_error


@pytest.fixture
def gpu_drift(device, monkeypatch):
    """The module, in small pieces where it is interpreted."""
    from unifilter.kernels import gpu_drift

    if device == "cpu":
        monkeypatch.setattr(gpu_drift, "MEASURED", 16)
    return gpu_drift


def orthonormal(vectors: int, n: int, d: int) -> torch.Tensor:
    """Of shape (vectors, n, d), a basis a column."""
    columns = torch.randn(d, n, vectors, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return torch.linalg.qr(columns).Q.permute(2, 1, 0).contiguous()


@pytest.mark.parametrize("begin", [1, 4])
def test_inner_products_are_those_of_the_new_vectors_with_all_up_to_them(gpu_drift, device, begin):
    V = torch.randn(7, 37, 33, generator=torch.Generator().manual_seed(1))
    G = gpu_drift._gram(V.to(device), begin, 6).cpu()
    wanted = torch.einsum("ind,jnd->ijd", V[begin:].double(), V.double())
    for i in range(7 - begin):
        assert_close(G[i, : begin + i + 1], wanted[i, : begin + i + 1], rtol=0, atol=2e-5)
        assert not G[i, begin + i + 1 :].any()


def test_vectors_that_drifted_are_put_right_and_columns_that_did_not_stay_to_the_bit(gpu_drift, device):
    V = orthonormal(6, 40, 3).float()
    before = V.clone()
    V[4, :, 1] += 1e-3 * V[1, :, 1]
    V[5, :, 1] *= 1.001
    alpha, beta = torch.zeros(5, 3, dtype=torch.float64), torch.ones(5, 3, dtype=torch.float64)
    there = V.to(device)
    assert gpu_drift.settle(there, 0, 5, alpha.to(device), beta.to(device)) == 5
    assert gram_error(there.cpu()).max() < 5e-6
    assert torch.equal(there.cpu()[:, :, [0, 2]], before[:, :, [0, 2]])
    assert torch.equal(there.cpu()[:4], before[:4])


def test_a_copy_of_an_earlier_vector_cannot_be_put_right_and_its_steps_are_repeated(gpu_drift, device):
    V = orthonormal(6, 40, 1).float()
    V[3] = V[1]
    alpha, beta = torch.zeros(5, 1, dtype=torch.float64), torch.ones(5, 1, dtype=torch.float64)
    assert gpu_drift.settle(V.to(device), 0, 5, alpha.to(device), beta.to(device)) < 5

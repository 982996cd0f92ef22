"""Triton's mixes and their adjoints against the reference: on a GPU, or interpreted."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from unifilter.kernels import reference

SHAPES = [(3, 9, 5, 1), (11, 70, 20, 3), (4, 33, 70, 11)]  # K+1, n, d, mixes


@pytest.fixture
def gpu_mix(device, monkeypatch):
    from unifilter.kernels import gpu_mix

    if device == "cpu":  # the interpreter is slow, and reads rows beyond the last too
        monkeypatch.setattr(gpu_mix, "SPAN", 16)
    return gpu_mix


def problem(shape, device, dtype=torch.float64):
    K1, n, d, J = shape
    torch.manual_seed(0)
    V, C = torch.randn(K1, n, d, dtype=dtype), torch.randn(J, K1, d, dtype=dtype)
    G = torch.randn(J, n, d, dtype=dtype)
    return V.to(device), C.to(device), G.to(device)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_mix_agrees_with_the_reference(gpu_mix, device, shape):
    V, C, G = problem(shape, device)
    out = torch.empty_like(G)
    gpu_mix.mix(V, C, out)
    assert_close(out, reference.mix(V, C))


def test_a_mix_may_overwrite_what_it_mixes(gpu_mix, device):
    V, _, _ = problem((5, 20, 10, 1), device)
    C = torch.randn(5, 5, 10, dtype=V.dtype, device=device)
    wanted = reference.mix(V, C)
    gpu_mix.mix(V, C, V)
    assert_close(V, wanted)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("K1", "spans"), [(1, 0), (5, 2), (13, 1), (14, 1)])
def test_a_basis_of_degrees_may_overwrite_what_it_mixes(gpu_mix, device, K1, spans, dtype):
    """Also with 14 vectors, whose coefficients no longer stay in registers."""
    V, _, _ = problem((K1, spans * gpu_mix.SPAN + 3, 35, 1), device)
    C = torch.randn(K1, K1, 35, dtype=V.dtype, device=device)
    C = (C * torch.ones(K1, K1, device=device).tril()[:, :, None]).to(
        torch.promote_types(dtype, torch.float32)
    )
    V = V.to(dtype)
    wanted = reference.mix(V.to(C.dtype), C)
    gpu_mix.mix(V, C, V, lower=True)
    assert_close(V, wanted.to(dtype))


def test_fewer_mixes_in_place_leave_the_other_vectors_alone(gpu_mix, device):
    V, _, _ = problem((5, 20, 10, 1), device)
    C = torch.randn(3, 5, 10, dtype=V.dtype, device=device)
    C = C * torch.ones(3, 5, device=device).tril()[:, :, None]
    wanted = torch.cat([reference.mix(V, C), V[3:]])
    gpu_mix.mix(V, C, V[:3], lower=True)
    assert_close(V, wanted)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_correlate_agrees_with_the_reference(gpu_mix, device, shape):
    V, _, G = problem(shape, device)
    assert_close(gpu_mix.correlate(G, V), reference.correlate(G, V))


def test_correlate_takes_a_slice_of_a_larger_block(gpu_mix, device):
    V, _, _ = problem((4, 9, 5, 1), device)
    G = torch.randn(6, 12, 5, dtype=V.dtype, device=device)[2:5, :9]
    assert_close(gpu_mix.correlate(G, V), reference.correlate(G.contiguous(), V))


@pytest.mark.parametrize("seed", [1, 2**31 + 5])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_dropout_draws_the_mask_of_the_reference(gpu_mix, device, shape, seed):
    """Also for seeds beyond 31 bits; the factor 1 / (1 - p) is a float32."""
    V, C, G = problem(shape, device)
    found = gpu_mix.mix_dropped(V, C, 0.4, seed)
    assert_close(found, reference.mix_dropped(V, C, 0.4, seed, False), rtol=1e-6, atol=1e-6)
    found = gpu_mix.correlate_dropped(G[0], V, shape[3], 0.4, torch.tensor(seed, device=device))
    assert_close(
        found, reference.correlate_dropped(G[0], V, shape[3], 0.4, seed, False), rtol=1e-6, atol=1e-5
    )


def test_half_precision_V_is_mixed_in_float32(gpu_mix, device):
    V, C, _ = problem((4, 9, 5, 2), device, torch.float32)
    half = V.bfloat16()
    out = torch.empty(2, 9, 5, device=device)
    gpu_mix.mix(half, C, out)
    assert_close(out, reference.mix(half.float(), C))

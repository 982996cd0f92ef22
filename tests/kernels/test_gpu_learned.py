"""Triton's kernels for learned entries against the reference: on a GPU, or interpreted."""

import pytest
import torch
from test_learned import drawn, empty, skewed
from torch.testing import assert_close

from unifilter.kernels import reference


@pytest.fixture
def gpu(device):
    from unifilter.kernels import gpu_learned

    return gpu_learned


@pytest.mark.parametrize("places", [skewed, empty])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("d", [1, 17, 130])
def test_products_agree_with_the_reference(gpu, device, places, d, dtype):
    A = places()
    values, G, X = drawn(A, d, dtype)
    eps, there = 200 * torch.finfo(dtype).eps, A.to(device)
    product = gpu.weighted(there, values.to(device), X.to(device)).cpu()
    assert_close(product, reference.weighted(A, values, X), rtol=eps, atol=eps)
    dots = gpu.sampled(there, G.to(device), X.to(device)).cpu()
    assert_close(dots, reference.sampled(A, G, X), rtol=eps, atol=eps)


@pytest.mark.parametrize("places", [skewed, empty])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softmax_agrees_with_the_reference_where_exponentials_would_overflow(gpu, device, places, dtype):
    A = places()
    scores = 1000 * torch.randn(A.rows.numel(), 2, dtype=dtype).T
    eps = 50 * torch.finfo(dtype).eps
    found = gpu.softmax(A.to(device), scores.to(device)).cpu()
    assert_close(found, reference.softmax(A, scores), rtol=eps, atol=eps)


def test_half_precision_is_summed_in_float32(gpu, device):
    A = skewed()
    values, _, X = drawn(A, 20, torch.bfloat16)
    found = gpu.weighted(A.to(device), values.to(device), X.to(device)).cpu()
    assert found.dtype == torch.bfloat16
    wanted = reference.weighted(A, values.float(), X.float())
    assert_close(found.float(), wanted, rtol=torch.finfo(torch.bfloat16).eps, atol=1e-3)

"""Triton's dropout, Adam and keep against torch's: on a GPU, or interpreted."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from unifilter.kernels import portable

BETAS, EPS = (0.9, 0.999), 1e-8


@pytest.fixture
def gpu_train(device):
    from unifilter.kernels import gpu_train

    return gpu_train


def test_adam_agrees_with_the_portable_one(gpu_train, device):
    torch.manual_seed(0)
    value = torch.randn(3, 7, 5, device=device)
    lr, decay = torch.tensor([0.1, 0.01, 0.3], device=device), torch.tensor([0.0, 0.1, 0.5], device=device)
    ours, theirs = value.clone(), value.clone()
    moments = [[torch.zeros_like(value) for _ in range(2)] for _ in range(2)]
    for t in range(1, 5):
        grad, step = torch.randn(3, 7, 5, device=device), torch.tensor(t, device=device)
        gpu_train.adam(ours, grad, moments[0], lr, decay, BETAS, EPS, step)
        portable.adam(theirs, grad, moments[1], lr, decay, BETAS, EPS, step)
    assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_dropout_has_the_rate_of_each_member_and_keeps_the_mean(gpu_train, device):
    x, rates = torch.ones(3, 120, 100, device=device), torch.tensor([0.0, 0.3, 0.9], device=device)
    seed = torch.tensor(2**31 + 7, device=device)
    out = gpu_train.dropout(x, rates, seed)
    assert torch.equal(out[0], x[0])
    assert_close((out == 0).float().mean(dim=(1, 2)), rates, rtol=0, atol=0.02)
    assert_close(out.mean(dim=(1, 2)), torch.ones(3, device=device), rtol=0, atol=0.1)
    assert torch.equal(out, gpu_train.dropout(x, rates, seed))
    assert not torch.equal(out, gpu_train.dropout(x, rates, seed + 1))


def test_only_those_who_are_better_are_kept(gpu_train, device):
    best, value = torch.zeros(3, 40, device=device), torch.randn(3, 40, device=device)
    gpu_train.keep(best, value, torch.tensor([True, False, True], device=device))
    assert torch.equal(best[[0, 2]], value[[0, 2]])
    assert (best[1] == 0).all()

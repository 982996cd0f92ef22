"""What a step of many models needs on a GPU beside matrix products, in Triton: dropout, Adam, keeping the best.

Written as torch operations each would pass over the data five times or more. Seeds and steps are read from
memory, so that an epoch can be recorded once and replayed.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter.kernels.gpu_mix import _scramble

BLOCK = 1024


def dropout(x: Tensor, rates: Tensor, seed: Tensor) -> Tensor:
    """See ``portable.dropout``: the mask is a hash of the seed and of each entry's place."""
    x = x.contiguous()
    out = torch.empty_like(x)
    M, size = x.shape[0], x[0].numel()
    if M and size:
        _dropout[(M, triton.cdiv(size, BLOCK))](x, out, rates, size, seed, BLOCK)
    return out


def adam(
    value: Tensor,
    grad: Tensor,
    moments: list[Tensor],
    lr: Tensor,
    decay: Tensor,
    betas: tuple[float, float],
    eps: float,
    t: Tensor,
) -> None:
    """See ``portable.adam``, in one pass."""
    M, size = value.shape[0], value[0].numel()
    if M and size:
        _adam[(M, triton.cdiv(size, BLOCK))](
            value, grad.contiguous(), *moments, lr, decay, t, *betas, eps, size, BLOCK,
        )  # fmt: skip


def keep(best: Tensor, value: Tensor, better: Tensor) -> None:
    """See ``portable.keep``: members that are no better cost nothing."""
    M, size = value.shape[0], value[0].numel()
    if M and size:
        _keep[(M, triton.cdiv(size, BLOCK))](best, value, better, size, BLOCK)


@triton.jit
def _keep(best, value, better, size, BLOCK: tl.constexpr):
    member = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    if tl.load(better + member):
        inside = at < size
        tl.store(best + member * size + at, tl.load(value + member * size + at, mask=inside), mask=inside)


@triton.jit
def _dropout(x, out, rates, size, seed, BLOCK: tl.constexpr):
    member = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    rate = tl.load(rates + member)
    golden = tl.full((), 0x9E3779B9, tl.uint32)
    key = _scramble(_scramble(tl.load(seed).to(tl.uint32)) + member.to(tl.uint32) * golden)
    hashed = _scramble(at.to(tl.uint32) * golden + key)
    kept = (hashed >> 8).to(tl.float32) * (1.0 / 16777216) >= rate
    value = tl.load(x + member * size + at, mask=at < size, other=0.0).to(tl.float32)
    value = tl.where(kept, value / (1 - rate), 0.0)
    tl.store(out + member * size + at, value.to(out.dtype.element_ty), mask=at < size)


@triton.jit
def _adam(value, grad, first, second, lr, decay, t, b1, b2, eps, size, BLOCK: tl.constexpr):
    member = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    at += member * size
    p = tl.load(value + at, mask=inside, other=0.0)
    g = tl.load(grad + at, mask=inside, other=0.0).to(tl.float32) + tl.load(decay + member) * p
    m = tl.load(first + at, mask=inside, other=0.0)
    v = tl.load(second + at, mask=inside, other=0.0)
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    steps = tl.load(t).to(tl.float32)
    c1 = 1 - tl.exp2(steps * tl.log2(b1))
    c2 = tl.sqrt(1 - tl.exp2(steps * tl.log2(b2)))
    p -= tl.load(lr + member) / c1 * m / (tl.sqrt(v) / c2 + eps)
    tl.store(value + at, p, mask=inside)
    tl.store(first + at, m, mask=inside)
    tl.store(second + at, v, mask=inside)

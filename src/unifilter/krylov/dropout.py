"""Dropout whose mask is a hash: one pass, nothing kept for the way back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from unifilter.kernels import spmm as kernels


def dropout(x: Tensor, rates: Tensor, seed: Tensor) -> Tensor:
    """Dropout on x (M, ...) with a rate for each of the M; the same seed draws the same mask.

    torch draws its masks one number at a time and keeps them; these are computed, forward and backward.

    Examples
    --------
    >>> x = torch.ones(1, 4, 1000)
    >>> out = dropout(x, torch.tensor([0.25]), torch.tensor(7))
    >>> sorted(set(out.flatten().tolist())) == [0.0, float(torch.tensor(1 / 0.75))]
    True
    """
    out: Tensor = _Dropout.apply(x, rates, seed)  # type: ignore[no-untyped-call]
    return out


def dropped(x: Tensor, p: float) -> Tensor:
    """Dropout on all of x at one rate, from a seed that torch's generator draws.

    Examples
    --------
    >>> sorted(set(dropped(torch.ones(1000), 0.5).tolist()))
    [0.0, 2.0]
    """
    if p == 1:
        return 0 * x
    rate = torch.full((1,), p, device=x.device)
    return dropout(x[None], rate, torch.randint(2**32, (), device=x.device)).squeeze(0)


class _Dropout(torch.autograd.Function):
    """Its backward draws the same mask again."""

    @staticmethod
    def forward(x: Tensor, rates: Tensor, seed: Tensor) -> Tensor:
        return kernels.dropout(x, rates, seed)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor], output: Any) -> None:
        ctx.save_for_backward(inputs[1])
        ctx.seed = inputs[2]

    @staticmethod
    def backward(ctx: Any, G: Tensor) -> tuple[Tensor, None, None]:
        return kernels.dropout(G, ctx.saved_tensors[0], ctx.seed), None, None

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Tensor, rates: Tensor, seed: Tensor) -> tuple[Tensor, int]:
        """One seed for all: masks are hashes of the place, which differs from member to member."""
        size = info.batch_size
        x = x.expand(size, *x.shape) if in_dims[0] is None else x.movedim(in_dims[0], 0)
        rates = rates.expand(size, *rates.shape) if in_dims[1] is None else rates.movedim(in_dims[1], 0)
        seed = seed if in_dims[2] is None else seed.select(in_dims[2], 0)
        flat = x.contiguous().view(-1, *x.shape[2:])
        return _Dropout.apply(flat, rates.reshape(-1), seed).view(x.shape), 0  # type: ignore[no-untyped-call]

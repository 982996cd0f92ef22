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


class _Dropout(torch.autograd.Function):
    """Its backward draws the same mask again."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rates: Tensor, seed: Tensor) -> Tensor:
        ctx.save_for_backward(rates)
        ctx.seed = seed
        return kernels.dropout(x, rates, seed)

    @staticmethod
    def backward(ctx: Any, G: Tensor) -> tuple[Tensor, None, None]:
        return kernels.dropout(G, ctx.saved_tensors[0], ctx.seed), None, None

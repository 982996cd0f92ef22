"""Kernels in torch's own operations, for any device."""

from __future__ import annotations

import torch
from torch import Tensor

from unifilter._math import csr_tensor
from unifilter.kernels.csr import CSR, Places


def spmm(A: CSR, X: Tensor) -> Tensor:
    """See ``reference.spmm``."""
    n = X.shape[0]
    ones = A.weights if A.weights is not None else X.new_ones(A.indices.shape[0])
    matrix = csr_tensor(A.indptr, A.indices, ones, (n, n))
    Y = A.scale[:, None] * X
    return A.scale[:, None] * (matrix @ Y + A.loop * Y)


def weighted(A: Places, values: Tensor, X: Tensor) -> Tensor:
    """See ``reference.weighted``."""
    terms = values[:, :, None] * X.index_select(1, A.indices)
    return torch.zeros_like(X).index_add_(1, A.rows, terms)


def sampled(A: Places, G: Tensor, X: Tensor) -> Tensor:
    """See ``reference.sampled``."""
    return (G.index_select(1, A.rows) * X.index_select(1, A.indices)).sum(dim=2)


def softmax(A: Places, scores: Tensor) -> Tensor:
    """See ``reference.softmax``."""
    shape, rows = (scores.shape[0], A.indptr.numel() - 1), A.rows.expand(scores.shape)
    largest = scores.new_full(shape, -torch.inf).scatter_reduce_(1, rows, scores, "amax")
    share = (scores - largest.index_select(1, A.rows)).exp()
    whole = scores.new_zeros(shape).index_add_(1, A.rows, share)
    return share / whole.index_select(1, A.rows)


def dropout(x: Tensor, rates: Tensor, seed: Tensor) -> Tensor:
    """Dropout on x (M, ...), with a rate for each of the M; the same seed draws the same mask."""
    generator = torch.Generator(device=x.device).manual_seed(int(seed))
    rates = rates.to(x.dtype).reshape(-1, *[1] * (x.dim() - 1))
    drawn = torch.rand(x.shape, generator=generator, dtype=x.dtype, device=x.device)
    return x * (drawn >= rates) / (1 - rates)


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
    """Step t of Adam on value (M, ...), in place, with a learning rate and a decay for each of the M."""
    lr, decay = (r.reshape(-1, *[1] * (value.dim() - 1)) for r in (lr, decay))
    grad = grad.to(value.dtype) + decay * value
    first, second = moments
    first.lerp_(grad, 1 - betas[0])
    second.mul_(betas[1]).addcmul_(grad, grad, value=1 - betas[1])
    size = second.sqrt().div_((1 - betas[1] ** int(t)) ** 0.5).add_(eps)
    value.sub_(lr / (1 - betas[0] ** int(t)) * first / size)


def keep(best: Tensor, value: Tensor, better: Tensor) -> None:
    """Where a member is better, keep its value: best (M, ...), in place."""
    best[better] = value[better]

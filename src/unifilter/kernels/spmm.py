"""The one place that picks a kernel by device."""

from __future__ import annotations

import torch
from torch import Tensor

from unifilter._types import Recurrence
from unifilter.kernels import reference
from unifilter.kernels.csr import CSR, Schedule


def spmm(A: CSR, X: Tensor, plan: Schedule) -> Tensor:
    """S (A + loop I) S X for a block X of shape (n, d)."""
    if X.is_cpu:
        from unifilter.kernels import cpu

        return cpu.spmm(A, X, plan)
    from unifilter.kernels import gpu

    return gpu.spmm(A, X)


def three_term(A: CSR, X: Tensor, V: Tensor, plan: Schedule) -> Recurrence | None:
    """The whole Lanczos recurrence in one kernel, or None where this device has no such kernel."""
    if X.is_cpu:
        from unifilter.kernels import cpu

        return cpu.three_term(A, X, V, plan)
    return None


def mix(V: Tensor, C: Tensor, out: Tensor | None = None) -> Tensor:
    """``out[k] = sum_j C[k, j] V[j]``, column by column."""
    C = C.to(V.dtype).contiguous()
    if out is None:
        out = V.new_empty(C.shape[0], *V.shape[1:])
    if V.is_cpu:
        from unifilter.kernels import cpu

        cpu.mix(V, C, out)
    else:
        out.copy_(reference.mix(V, C))
    return out


def correlate(G: Tensor, V: Tensor) -> Tensor:
    """``out[k, j] = sum_n G[k, n] V[j, n]``, column by column."""
    if V.is_cpu:
        from unifilter.kernels import cpu

        return cpu.correlate(G.contiguous(), V)
    return torch.stack([torch.einsum("nd,jnd->jd", g, V) for g in G])


def mix_dropped(V: Tensor, C: Tensor, p: float, seed: int, lower: bool) -> Tensor:
    """``sum_k m_k sum_j C[k, j] V[j] / (1 - p)``, column by column, m a mask drawn from the seed."""
    C = C.to(V.dtype).contiguous()
    if V.is_cpu:
        from unifilter.kernels import cpu

        return cpu.mix_dropped(V, C, p, seed, lower)
    return reference.mix_dropped(V, C, p, seed, lower)


def correlate_dropped(G: Tensor, V: Tensor, J: int, p: float, seed: int, lower: bool) -> Tensor:
    """``out[k, j] = sum_n m_k G V[j] / (1 - p)``, column by column, with the same masks."""
    if V.is_cpu:
        from unifilter.kernels import cpu

        return cpu.correlate_dropped(G.contiguous(), V, J, p, seed, lower)
    return reference.correlate_dropped(G, V, J, p, seed, lower)

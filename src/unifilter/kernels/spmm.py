"""The one place that picks a kernel by device: numba on a CPU, Triton on CUDA, torch's own elsewhere."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from unifilter._types import Recurrence
from unifilter.kernels import portable, reference
from unifilter.kernels.csr import CSR, Places, schedule


def warm_up(device: torch.device) -> None:
    """Compile what is compiled on first use, where that takes long and can be done ahead."""
    if device.type == "cpu":
        from unifilter.kernels import cpu

        cpu.warm_up()


def plan(A: CSR) -> Any:
    """How the entries of A are shared out, computed once for all products."""
    if A.indptr.is_cpu:
        return schedule(A.indptr)
    if _has_triton(A.indptr):
        from unifilter.kernels import gpu

        return gpu.pieces(A.indptr)
    return None


def spmm(A: CSR, X: Tensor, plan: Any) -> Tensor:
    """S (A + loop I) S X for a block X of shape (n, d)."""
    if X.is_cpu:
        from unifilter.kernels import cpu

        return cpu.spmm(A, X, plan)
    if _has_triton(X):
        from unifilter.kernels import gpu

        return gpu.spmm(A, X, plan)
    return portable.spmm(A, X)


def weighted(A: Places, values: Tensor, X: Tensor) -> Tensor:
    """``out[b, i] = sum_e values[b, e] X[b, j]`` over the entries e = (i, j), for every member b."""
    if X.is_cpu:
        from unifilter.kernels import cpu

        return cpu.weighted(A, values, X)
    if _has_triton(X):
        from unifilter.kernels import gpu_learned

        return gpu_learned.weighted(A, values, X)
    return portable.weighted(A, values, X)


def sampled(A: Places, G: Tensor, X: Tensor) -> Tensor:
    """``out[b, e] = <G[b, i], X[b, j]>`` at the entries e = (i, j), for every member b."""
    if X.is_cpu:
        from unifilter.kernels import cpu

        return cpu.sampled(A, G, X)
    if _has_triton(X):
        from unifilter.kernels import gpu_learned

        return gpu_learned.sampled(A, G, X)
    return portable.sampled(A, G, X)


def softmax(A: Places, scores: Tensor) -> Tensor:
    """``exp(scores)`` over its sum in a row of A, for every member."""
    if scores.is_cpu:
        from unifilter.kernels import cpu

        return cpu.softmax(A, scores)
    if _has_triton(scores):
        from unifilter.kernels import gpu_learned

        return gpu_learned.softmax(A, scores)
    return portable.softmax(A, scores)


def three_term(A: CSR, X: Tensor, V: Tensor, plan: Any) -> Recurrence | None:
    """The whole Lanczos recurrence in one kernel, or None where this device has no such kernel."""
    if X.is_cpu:
        from unifilter.kernels import cpu

        return cpu.three_term(A, X, V, plan)
    if _has_triton(X) and X.dtype in (torch.float32, torch.float64):
        from unifilter.kernels import gpu_lanczos

        return gpu_lanczos.three_term(A, X, V, plan)
    return None


def mix(V: Tensor, C: Tensor, out: Tensor | None = None, lower: bool = False) -> Tensor:
    """``out[k] = sum_j C[k, j] V[j]``, column by column; ``lower`` promises that C[k, j] = 0 for j > k."""
    V, C = _in_line(V), C.to(_sum_type(V)).contiguous()
    if out is not None and out.stride(-1) != 1:
        return out.copy_(mix(V, C))
    shape = (C.shape[0], *V.shape[1:])
    if V.is_cpu:
        from unifilter.kernels import cpu

        out = cpu.empty(shape, V.dtype) if out is None else out
        cpu.mix(V, C, out)
        return out
    out = V.new_empty(shape) if out is None else out
    if _fits_triton(V):
        from unifilter.kernels import gpu_mix

        gpu_mix.mix(V, C, out, lower)
    else:
        out.copy_(reference.mix(V, C))
    return out


def correlate(G: Tensor, V: Tensor) -> Tensor:
    """``out[k, j] = sum_n G[k, n] V[j, n]``, column by column."""
    G, V = _in_line(G), _in_line(V)
    if V.is_cpu:
        from unifilter.kernels import cpu

        return cpu.correlate(G, V)
    if _fits_triton(V):
        from unifilter.kernels import gpu_mix

        return gpu_mix.correlate(G, V)
    return reference.correlate(G, V)


def mix_dropped(V: Tensor, C: Tensor, p: float, seed: int | Tensor, lower: bool) -> Tensor:
    """``sum_k m_k sum_j C[k, j] V[j] / (1 - p)``, column by column, m a mask drawn from the seed."""
    V, C = _in_line(V), C.to(_sum_type(V)).contiguous()
    if V.is_cpu:
        from unifilter.kernels import cpu

        return cpu.mix_dropped(V, C, p, int(seed), lower)
    if _fits_triton(V):
        from unifilter.kernels import gpu_mix

        return gpu_mix.mix_dropped(V, C, p, seed)
    return reference.mix_dropped(V, C, p, int(seed), lower)


def correlate_dropped(G: Tensor, V: Tensor, J: int, p: float, seed: int | Tensor, lower: bool) -> Tensor:
    """``out[k, j] = sum_n m_k G V[j] / (1 - p)``, column by column, with the same masks."""
    V = _in_line(V)
    if V.is_cpu:
        from unifilter.kernels import cpu

        return cpu.correlate_dropped(G.contiguous(), V, J, p, int(seed), lower)
    if _fits_triton(V):
        from unifilter.kernels import gpu_mix

        return gpu_mix.correlate_dropped(G, V, J, p, seed)
    return reference.correlate_dropped(G, V, J, p, int(seed), lower)


def dropout(x: Tensor, rates: Tensor, seed: Tensor) -> Tensor:
    """Dropout on x (M, ...), with a rate for each of the M; the same seed draws the same mask."""
    if _has_triton(x):
        from unifilter.kernels import gpu_train

        return gpu_train.dropout(x, rates, seed)
    if x.is_cpu:
        from unifilter.kernels import cpu

        return cpu.dropout(x.to(_sum_type(x)), rates.cpu(), int(seed)).to(x.dtype)
    return portable.dropout(x, rates, seed)


def adam(value: Tensor, grad: Tensor, moments: list[Tensor], lr: Tensor, decay: Tensor, t: Tensor) -> None:
    """Step t of Adam on value (M, ...), in place, with a learning rate and a decay for each of the M."""
    betas, eps = (0.9, 0.999), 1e-8  # torch's
    if _has_triton(value):
        from unifilter.kernels import gpu_train

        gpu_train.adam(value, grad, moments, lr, decay, betas, eps, t)
    else:
        portable.adam(value, grad, moments, lr, decay, betas, eps, t)


def keep(best: Tensor, value: Tensor, better: Tensor) -> None:
    """Where a member is better, keep its value: best (M, ...), in place."""
    if _has_triton(value):
        from unifilter.kernels import gpu_train

        gpu_train.keep(best, value, better)
    else:
        portable.keep(best, value, better)


def _in_line(x: Tensor) -> Tensor:
    """Kernels read entries of a row one after the other; rows and planes may lie anywhere."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _sum_type(V: Tensor) -> torch.dtype:
    """Half-precision V is mixed in float32 on a GPU."""
    return torch.float64 if V.dtype == torch.float64 else torch.float32


def _fits_triton(V: Tensor) -> bool:
    """Triton's mixes hold all hops in registers."""
    return V.shape[0] <= 64 and _has_triton(V)


def _has_triton(x: Tensor) -> bool:
    return x.is_cuda and _triton_is_installed()


@lru_cache
def _triton_is_installed() -> bool:
    return importlib.util.find_spec("triton") is not None

"""The kernels on a CPU, compiled by numba on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numba import get_num_threads
from numpy.typing import NDArray
from torch import Tensor

from unifilter._types import Recurrence
from unifilter.kernels import blocks, dropped, learned, recurrence, reference, team
from unifilter.kernels.csr import CSR, Places, Schedule, schedule

WORKSPACE = 2**30  # bytes that all threads together may take for tiles of their own


def empty(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Room for a result, allocated by NumPy, which asks for huge pages.

    Fresh memory is given page by page as it is written: with small pages that takes longer than a product.
    """
    if dtype == torch.bfloat16:
        return torch.from_numpy(np.empty(shape, np.uint16)).view(dtype)
    return torch.from_numpy(np.empty(shape, _numpy(torch.empty(0, dtype=dtype)).dtype))


def spmm(A: CSR, X: Tensor, plan: Schedule) -> Tensor:
    """See ``reference.spmm``. Long rows are summed in pieces, the pieces in their order."""
    _check(X.dtype)
    out = empty(X.shape, X.dtype)
    pieces = np.empty((plan.pieces.shape[0], X.shape[1]), dtype=_numpy(out).dtype)
    shares = _numpy(plan.parts), _numpy(plan.pieces)
    work = A.indices.shape[0] * X.shape[1]
    blocks.spmm.doing(work)(*_arrays(A), _numpy(X.contiguous()), *shares, pieces, _numpy(out))
    return out


def weighted(A: Places, values: Tensor, X: Tensor) -> Tensor:
    """See ``reference.weighted``: the product with every member's matrix, in turn."""
    scale = X.new_ones(X.shape[1])
    products = [
        spmm(CSR(A.indptr, A.indices, v, scale, 0.0), x, A.plan)
        for v, x in zip(values.contiguous(), X, strict=True)
    ]
    return products[0][None] if len(products) == 1 else torch.stack(products)


def sampled(A: Places, G: Tensor, X: Tensor) -> Tensor:
    """See ``reference.sampled``. Nothing as large as (entries, columns) is written."""
    _check(X.dtype)
    out = empty((X.shape[0], A.indices.shape[0]), X.dtype)
    given = (A.indptr, A.indices, G.contiguous(), X.contiguous(), A.plan.ranges, out)
    learned.sampled.doing(out.numel() * X.shape[2])(*map(_numpy, given))
    return out


def softmax(A: Places, scores: Tensor) -> Tensor:
    """See ``reference.softmax``."""
    _check(scores.dtype)
    out = empty(scores.shape, scores.dtype)
    given = (A.indptr, scores.contiguous(), A.plan.ranges, out)
    learned.softmax.doing(16 * out.numel())(*map(_numpy, given))  # an exponential is many multiplications
    return out


def three_term(A: CSR, X: Tensor, V: Tensor, plan: Schedule) -> Recurrence:
    """See ``reference.three_term``. Threads share out the tiles, or the rows of a tile if there are few."""
    _check(X.dtype)
    K, d = V.shape[0] - 1, X.shape[1]
    alpha, beta, norm = np.empty((K, d)), np.empty((K, d)), np.empty(d)
    W, threads = 64 // X.element_size(), get_num_threads()
    team = -(-d // W) < threads or threads * (K + 3) * X.shape[0] * 64 > WORKSPACE
    work = np.empty((1 if team else threads, K + 3, X.shape[0] * W), _numpy(X).dtype)
    bounds = np.array([reference.tolerated(X.dtype), reference.ended(X.dtype)])
    found = (work, bounds, alpha, beta, norm)
    size = K * (A.indices.shape[0] + K * X.shape[0]) * d
    if team:
        recurrence.three_term_rows.doing(size)(*_arrays(A), _numpy(X), _numpy(V), _numpy(plan.ranges), *found)
    else:
        recurrence.three_term_tiles.doing(size)(*_arrays(A), _numpy(X), _numpy(V), *found)
    return Recurrence(*(torch.from_numpy(a) for a in (alpha, beta, norm)))


def mix(V: Tensor, C: Tensor, out: Tensor) -> None:
    """See ``reference.mix``. ``out`` may be V itself: a tile is read before it is written.

    V may be bfloat16: its halves are widened in registers, and sums are float32.
    """
    _check(C.dtype)
    target = out if out.dtype == C.dtype else torch.empty_like(out, dtype=C.dtype)
    blocks.mix.doing(C.shape[0] * V.numel())(_stored(V), _numpy(C), _numpy(target))
    if target is not out:
        out.copy_(target)


def correlate(G: Tensor, V: Tensor) -> Tensor:
    """See ``reference.correlate``. G and V are read once."""
    kind = _sum(V)
    out = torch.empty(G.shape[0], V.shape[0], V.shape[2], dtype=kind)
    blocks.correlate.doing(G.shape[0] * V.numel())(_numpy(G.to(kind)), _stored(V), _numpy(out))
    return out


def mix_dropped(V: Tensor, C: Tensor, p: float, seed: int, lower: bool) -> Tensor:
    """See ``reference.mix_dropped``. Neither the basis nor its mask is ever written to memory."""
    _check(C.dtype)
    out = empty(V.shape[1:], C.dtype)
    mixed = dropped.mix_dropped.doing(C.shape[0] * V.numel())
    mixed(_stored(V), _numpy(C.contiguous()), lower, *_dropout(C.dtype, p, seed), _numpy(out))
    return out


def correlate_dropped(G: Tensor, V: Tensor, J: int, p: float, seed: int, lower: bool) -> Tensor:
    """See ``reference.correlate_dropped``."""
    kind = _sum(V)
    out = torch.empty(J, V.shape[0], V.shape[2], dtype=kind)
    dropped.correlate_dropped.doing(J * V.numel())(
        _numpy(G.to(kind)), _stored(V), lower, *_dropout(kind, p, seed), _numpy(out)
    )
    return out


def dropout(x: Tensor, rates: Tensor, seed: int) -> Tensor:
    """See ``portable.dropout``; the mask is a hash of the seed and of each entry's place, in one pass."""
    _check(x.dtype)
    x, rates = x.contiguous(), rates.expand(x.shape[0])
    out = empty(x.shape, x.dtype)
    drops = np.array([reference.threshold(p) for p in rates.tolist()], np.uint32)
    factors = (1 / (1 - rates.double())).to(x.dtype).numpy()
    size = x.numel() // max(1, x.shape[0])
    flat = _numpy(x).reshape(-1)
    dropped.dropout.doing(8 * x.numel())(
        flat, size, drops, factors, np.uint32(seed % 2**32), _numpy(out).reshape(-1)
    )
    return out


def warm_up() -> None:
    """Compile what float32 training uses, in both forms, so that no clock runs while the compiler does."""
    A = CSR(
        torch.tensor([0, 1, 2], dtype=torch.int32),
        torch.tensor([1, 0], dtype=torch.int32),
        None,
        torch.ones(2),
        0.0,
    )
    X, V, C = torch.ones(2, 20), torch.zeros(3, 2, 20), torch.ones(1, 3, 20)
    plan, out = schedule(A.indptr), torch.empty(1, 2, 20)
    small = team.SMALL
    try:
        for team.SMALL in (0, small):
            three_term(A, X, V, plan)
            mix(V, C, out)
            correlate(out, V)
            dropout(out, torch.tensor([0.5]), 1)
    finally:
        team.SMALL = small


def _dropout(dtype: torch.dtype, p: float, seed: int) -> tuple[Any, Any, Any]:
    factor = torch.empty((), dtype=dtype).numpy().dtype.type(1 / (1 - p))
    return np.uint32(reference.threshold(p)), factor, np.uint32(seed % 2**32)


def _numpy(x: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = x.detach().numpy()
    return array


def _stored(V: Tensor) -> NDArray[Any]:
    """V as it lies in memory: bfloat16, which NumPy does not know, as the bits of uint16; float16 widened."""
    if V.dtype == torch.float16:
        V = V.float()
    if V.dtype == torch.bfloat16:
        return _numpy(V.view(torch.int16)).view(np.uint16)
    _check(V.dtype)
    return _numpy(V)


def _sum(V: Tensor) -> torch.dtype:
    return torch.float64 if V.dtype == torch.float64 else torch.float32


def _arrays(A: CSR) -> tuple[Any, ...]:
    weights = None if A.weights is None else _numpy(A.weights)
    scale = _numpy(A.scale)
    return _numpy(A.indptr), _numpy(A.indices), weights, scale, scale.dtype.type(A.loop)


def _check(dtype: torch.dtype) -> None:
    if dtype not in (torch.float32, torch.float64):
        raise TypeError(f"the CPU kernels compute in float32 or float64, not {dtype}; convert X and P first.")

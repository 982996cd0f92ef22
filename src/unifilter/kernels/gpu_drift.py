"""Lanczos vectors made orthonormal on a GPU, in Triton: all inner products in one pass, corrected in another.

``drift`` has the formulas.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter.kernels import drift, gpu
from unifilter.kernels.gpu import long
from unifilter.kernels.reference import ended

MEASURED = 1024  # rows over which inner products are summed in the vectors' own precision
ROWS = 4  # that are read at a time
HELD = 12  # vectors of which a warp holds all inner products in its registers
FINE = 16  # rounding errors that an inner product may be away from 0 or 1: below, nothing is done


def settle(V: Tensor, steady: int, k: int, alpha: Tensor, beta: Tensor) -> int:
    """Make V[steady+1] ... V[k] orthonormal; up to where that could be done in one go (then steps are repeated)."""
    for _ in range(3):
        G = _gram(V, steady + 1, k)
        lost = drift.distance(G) > FINE * torch.finfo(V.dtype).eps
        if not bool(lost.any()):
            break
        fine = int(lost.any(dim=1).int().argmax())  # vectors before the first that is lost stay as they are
        steady, G, lost = steady + fine, G[fine:], lost.any(dim=0)
        count = drift.sound(G)
        k = steady + count
        G = G[:count, : k + 1]
        rows = [torch.cat([torch.zeros_like(t[:1]), t])[steady : k + 1] for t in (alpha, beta)]
        least = torch.cat([torch.ones_like(beta[:1]), beta[:steady]]).amin(dim=0)
        found = drift.correction(G, lost, *rows, least, ended(V.dtype))
        _corrected(V, steady + 1, found.C)
        alpha[steady:k], beta[steady:k] = found.alpha, found.beta
        if count > 1 or bool((G[0, :-1].abs().sum(dim=0) <= 0.5).all()):
            break
    return k


def _gram(V: Tensor, begin: int, end: int) -> Tensor:
    """Inner products of V[begin] ... V[end] with V[0] ... V[end], in float64; 0 above the diagonal."""
    n, d = V.shape[1:]
    new, count = end - begin + 1, end + 1
    if begin <= 1 and count <= HELD:
        return _triangle(V, count)[begin:]
    groups, chunks = triton.cdiv(new, 4), triton.cdiv(n, MEASURED)
    hops, width = min(16, triton.next_power_of_2(count)), min(32, gpu.column_width(d))
    shares = torch.empty(chunks, new, count, d, dtype=V.dtype, device=V.device)
    _gram_kernel[(chunks * groups, triton.cdiv(d, width), triton.cdiv(count, hops))](
        V, V.stride(0), V.stride(1), begin, shares, new, count, n, d, groups, MEASURED, hops, width,
        gpu.is_wide(V), num_warps=4,
    )  # fmt: skip
    G = shares.sum(dim=0, dtype=torch.float64)
    below = torch.ones(new, count, device=V.device).tril(begin)
    return G * below[:, :, None]


def _triangle(V: Tensor, count: int) -> Tensor:
    """Inner products of the first vectors, in float64; 0 above the diagonal."""
    n, d = V.shape[1:]
    chunks, pairs = triton.cdiv(n, MEASURED), count * (count + 1) // 2
    shares = torch.empty(chunks, pairs, d, dtype=V.dtype, device=V.device)
    _triangle_kernel[(chunks, triton.cdiv(d, 32))](
        V, V.stride(0), V.stride(1), shares, n, d, MEASURED, ROWS, count, 32, gpu.is_wide(V), num_warps=1
    )
    G = torch.zeros(count, count, d, dtype=torch.float64, device=V.device)
    i, j = torch.tril_indices(count, count, device=V.device)
    G[i, j] = shares.sum(dim=0, dtype=torch.float64)
    return G


def _corrected(V: Tensor, begin: int, C: Tensor) -> None:
    """``V[begin + i] = sum_j C[i, j] V[j]``, in place: the last ones first, since they need those before."""
    n, d = V.shape[1:]
    width = gpu.column_width(d)
    C = C.to(V.dtype).contiguous()
    for first in range((C.shape[0] - 1) // 4 * 4, -1, -4):
        some = min(4, C.shape[0] - first)
        _correct_kernel[(triton.cdiv(n, 4), triton.cdiv(d, width))](
            V, V.stride(0), V.stride(1), begin + first, C[first], some, begin + first + some, C.shape[1], n, d,
            triton.next_power_of_2(some), 4, width, num_warps=4,
        )  # fmt: skip


@triton.jit
def _gram_kernel(V, plane, step, begin, shares, new, count, n, d, groups, MEASURED: tl.constexpr, HOPS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """These rows' products of four new vectors with HOPS of those before them and themselves.

    Each new vector is read in the shape of all HOPS: that costs the nearest cache only, and nothing has to move
    between threads.
    """
    first = (
        tl.program_id(0) % groups
    ) * 4  # groups of the same rows run side by side and find V in the cache
    chunk = (tl.program_id(0) // groups).to(tl.int64)
    cols = (tl.program_id(1) * WIDTH + tl.arange(0, WIDTH))[None, :]
    hops = (tl.program_id(2) * HOPS + tl.arange(0, HOPS))[:, None]
    those = (hops < begin + first + 4) & (hops < count) & (cols < d)
    planes = hops.to(tl.int64) * plane + cols
    base = V + (begin + first).to(tl.int64) * plane + 0 * planes + cols
    kind = tl.float64 if WIDE else tl.float32
    t0 = tl.zeros([HOPS, WIDTH], kind)
    t1 = tl.zeros([HOPS, WIDTH], kind)
    t2 = tl.zeros([HOPS, WIDTH], kind)
    t3 = tl.zeros([HOPS, WIDTH], kind)
    for row in range(0, MEASURED, 2):
        for u in tl.static_range(2):  # unrolled: the loads of two rows are under way at once
            at = (chunk * MEASURED + row + u) * step
            here = those & (0 * hops + chunk * MEASURED + row + u < n)
            v = tl.load(V + planes + at, mask=here, other=0.0)
            t0 += v * tl.load(base + at, mask=here, other=0.0)
            t1 += v * tl.load(base + plane + at, mask=here & (0 * hops + first + 1 < new), other=0.0)
            t2 += v * tl.load(base + 2 * plane + at, mask=here & (0 * hops + first + 2 < new), other=0.0)
            t3 += v * tl.load(base + 3 * plane + at, mask=here & (0 * hops + first + 3 < new), other=0.0)
    at = shares + ((chunk * new + first) * count + hops) * d + cols
    there = (hops < count) & (cols < d)
    tl.store(at, t0, mask=there)
    tl.store(at + count * d, t1, mask=there & (0 * hops + first + 1 < new))
    tl.store(at + 2 * count * d, t2, mask=there & (0 * hops + first + 2 < new))
    tl.store(at + 3 * count * d, t3, mask=there & (0 * hops + first + 3 < new))


@triton.jit
def _triangle_kernel(V, plane, step, shares, n, d, MEASURED: tl.constexpr, ROWS: tl.constexpr, COUNT: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """These rows' products of all vectors. One warp: a thread has its own column, and every number is read once."""
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    chunk = tl.program_id(0).to(tl.int64)
    totals = ()
    for _ in tl.static_range(COUNT * (COUNT + 1) // 2):
        totals = totals + (tl.zeros([WIDTH], tl.float64 if WIDE else tl.float32),)
    for first in range(0, MEASURED, ROWS):
        seen = ()
        for u in tl.static_range(ROWS):  # unrolled: the loads of several rows are under way at once
            row = chunk * MEASURED + first + u
            for j in tl.static_range(COUNT):
                at = V + long(j) * plane + row * step + cols
                seen = seen + (tl.load(at, mask=(cols < d) & (row < n), other=0.0),)
        sums = ()
        for i in tl.static_range(COUNT):
            for j in tl.static_range(i + 1):
                total = totals[i * (i + 1) // 2 + j]
                for u in tl.static_range(ROWS):
                    total += seen[u * COUNT + i] * seen[u * COUNT + j]
                sums = sums + (total,)
        totals = sums
    at = shares + chunk * (COUNT * (COUNT + 1) // 2) * d + cols
    for i in tl.static_range(COUNT * (COUNT + 1) // 2):
        tl.store(at + i * d, totals[i], mask=cols < d)


@triton.jit
def _correct_kernel(V, plane, step, begin, C, new, count, all_of, n, d, NEW: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    """Some rows of the new vectors: all of V is read before they are written over."""
    rows = (tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE))[None, :, None]
    cols = (tl.program_id(1) * WIDTH + tl.arange(0, WIDTH))[None, None, :]
    which = tl.arange(0, NEW)[:, None, None]
    there, some = (rows < n) & (cols < d), (which < new) & (cols < d)
    total = tl.zeros([NEW, TILE, WIDTH], C.dtype.element_ty)
    at = rows * step + cols
    for j in range(0, count, 4):
        for u in tl.static_range(4):  # unrolled: the loads of several hops are under way at once
            hop = 0 * cols + j + u
            v = tl.load(V + hop.to(tl.int64) * plane + at, mask=there & (hop < count), other=0.0)
            c = tl.load(C + (which * all_of + hop) * d + cols, mask=some & (hop < count), other=0.0)
            total += c * v
    tl.debug_barrier()
    tl.store(V + (begin + which).to(tl.int64) * plane + at, total, mask=(which < new) & there)

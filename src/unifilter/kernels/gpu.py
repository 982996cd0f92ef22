"""The kernels on a GPU, in Triton: products with P and the fused Lanczos recurrence.

A product is bound by memory: every entry of P fetches a row of X. One warp takes a row and 8 neighbours at a
time, so that some kilobytes are under way per warp. Long rows would hold up the launch; they are cut into
pieces that are summed by programs of their own and added up in order. No atomics: the same input gives the same
bits.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter._types import Recurrence
from unifilter.kernels.csr import CSR
from unifilter.kernels.reference import ended, tolerated

LONG = 1024  # entries from which a row is cut
NEIGHBOURS = 8  # rows of X that a warp fetches at a time, twice as many where they are half as long
ROWS = 32  # rows that one program of the recurrence takes in turn
CHUNK = 64  # rows whose inner products with V are taken while they are in the first-level cache


class Pieces(NamedTuple):
    """Bits of long rows: entries [begin, end) of each, and for each row where its bits begin (-1: not long)."""

    begin: Tensor
    end: Tensor
    first: Tensor  # (n,): the row's first piece, or -1


def pieces(indptr: Tensor, long: int = LONG) -> Pieces:
    """Cut rows of more than ``long`` entries."""
    degree = indptr.diff().long()
    rows = torch.nonzero(degree > long).flatten()
    count = (degree[rows] + long - 1) // long
    start = torch.cumsum(count, 0) - count
    owner = torch.repeat_interleave(torch.arange(rows.numel(), device=indptr.device), count)
    within = torch.arange(owner.numel(), device=indptr.device) - start[owner]
    begin = indptr[rows].long()[owner] + within * long
    end = torch.minimum(begin + long, indptr[rows + 1].long()[owner])
    first = torch.full((degree.numel(),), -1, dtype=torch.int32, device=indptr.device)
    first[rows] = start.to(torch.int32)
    return Pieces(begin, end, first)


def spmm(A: CSR, X: Tensor, cut: Pieces) -> Tensor:
    """See ``reference.spmm``; float32, bfloat16 and float16 are accumulated in float32."""
    X = X.contiguous()
    out = torch.empty_like(X)
    n, d = X.shape
    if n == 0 or d == 0:
        return out
    width = _width(d)
    blocks = triton.cdiv(d, width)
    sums = _piece_sums(A, X, cut, width)
    _spmm[(n, blocks)](
        A.indptr, A.indices, *_weights(A), A.scale, A.loop, X, out, cut.first, sums, d,
        LONG, _neighbours(X), width, _wide(X.dtype), num_warps=1,
    )  # fmt: skip
    return out


def three_term(A: CSR, X: Tensor, V: Tensor, cut: Pieces) -> Recurrence:
    """See ``reference.three_term``: two temporaries of n x d, V written once."""
    n, d = X.shape
    K = V.shape[0] - 1
    double = {"dtype": torch.float64, "device": X.device}
    alpha, beta = torch.zeros(K, d, **double), torch.zeros(K, d, **double)
    r, w = X.contiguous().clone(), torch.empty_like(X, memory_format=torch.contiguous_format)
    norm = size = (r.double() ** 2).sum(dim=0).sqrt()
    width = _width(d)
    programs = (triton.cdiv(n, ROWS), triton.cdiv(d, width))
    chunks = (triton.cdiv(n, CHUNK), triton.cdiv(d, width))
    shares = torch.empty(programs[0], d, **double)
    wide = _wide(X.dtype)
    strides = V.stride(0), V.stride(1)
    for k in range(K):
        inverse = torch.where(size > 0, 1 / size, 0).to(X.dtype)
        before = (beta[k - 1] if k else 0 * size).to(X.dtype)
        sums = _piece_sums(A, r, cut, width)
        _product[programs](
            A.indptr, A.indices, *_weights(A), A.scale, A.loop, r, w, V, *strides, k, inverse, before, cut.first,
            sums, shares, n, d, LONG, ROWS, NEIGHBOURS, width, wide, num_warps=1,
        )  # fmt: skip
        alpha[k] = shares.sum(dim=0)
        norms = torch.empty(chunks[0], d, **double)
        inner = torch.empty(chunks[0], k + 1, d, dtype=X.dtype, device=X.device)
        _rest[chunks](
            w,
            V,
            *strides,
            k,
            alpha[k].to(X.dtype),
            r,
            norms,
            inner,
            n,
            d,
            CHUNK,
            16,
            width,
            wide,
            num_warps=4,
        )
        size = norms.sum(dim=0).sqrt()
        size = _restored(V, r, inner.sum(dim=0), size, k, width, wide)
        size = torch.where(size > ended(X.dtype), size, 0)
        beta[k] = size
    V[K] = r * torch.where(size > 0, 1 / size, 0).to(X.dtype)
    return Recurrence(alpha, beta, norm)


def _restored(V: Tensor, r: Tensor, inner: Tensor, size: Tensor, k: int, width: int, wide: bool) -> Tensor:
    """Subtract what r has of v_0 ... v_k in the columns that lost orthogonality; the norms after it."""
    n, d = r.shape
    chunks = (triton.cdiv(n, CHUNK), triton.cdiv(d, width))
    for _ in range(2):
        lost = inner.double().abs().amax(dim=0) > tolerated(V.dtype) * size
        if not bool(lost.any()):
            break
        norms = torch.empty(chunks[0], d, dtype=torch.float64, device=r.device)
        again = torch.empty(chunks[0], k + 1, d, dtype=r.dtype, device=r.device)
        _subtract[chunks](
            r, V, V.stride(0), V.stride(1), k, torch.where(lost, inner, 0), norms, again, n, d, CHUNK, 16, width,
            wide, num_warps=4,
        )  # fmt: skip
        size = torch.where(lost, norms.sum(dim=0).sqrt(), size)
        inner = torch.where(lost, again.sum(dim=0), 0)
    return size


def _piece_sums(A: CSR, X: Tensor, cut: Pieces, width: int) -> Tensor:
    """The sum over each piece of a long row."""
    count, d = cut.begin.shape[0], X.shape[1]
    wide = torch.float64 if X.dtype == torch.float64 else torch.float32
    sums = torch.empty(max(1, count), d, dtype=wide, device=X.device)
    if count:
        _pieces[(count, triton.cdiv(d, width))](
            cut.begin, cut.end, A.indices, *_weights(A), A.scale, X, sums, d, _neighbours(X), width,
            _wide(X.dtype), num_warps=1,
        )  # fmt: skip
    return sums


def _neighbours(X: Tensor) -> int:
    return NEIGHBOURS * 2 if X.element_size() == 2 else NEIGHBOURS


def _width(d: int) -> int:
    return min(128, triton.next_power_of_2(max(16, d)))


def _wide(dtype: torch.dtype) -> bool:
    return dtype == torch.float64


def _weights(A: CSR) -> tuple[Tensor, bool]:
    return (A.scale, False) if A.weights is None else (A.weights, True)


@triton.jit
def _long(x):
    """A 64-bit number, also of a loop's variable, which the interpreter has as Python's own."""
    return tl.full((), 0, tl.int64) + x


@triton.jit
def _gather(indices, weights, WEIGHTED, scale, X, d, begin, end, cols, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """The sum of a_ij s_j x_j over the entries [begin, end) of a row."""
    kind = tl.float64 if WIDE else tl.float32
    total = tl.zeros([WIDTH], kind)
    inside = cols < d
    for e in range(begin, end, NEIGHBOURS):
        at = e + tl.arange(0, NEIGHBOURS)
        there = at < end
        j = tl.load(indices + at, mask=there, other=0).to(tl.int64)
        s = tl.load(scale + j, mask=there, other=0.0).to(kind)
        if WEIGHTED:
            s *= tl.load(weights + at, mask=there, other=0.0).to(kind)
        x = tl.load(X + j[:, None] * d + cols[None, :], mask=there[:, None] & inside[None, :], other=0.0)
        total += tl.sum(x.to(kind) * s[:, None], axis=0)
    return total


@triton.jit
def _row(indptr, indices, weights, WEIGHTED, scale, X, first, sums, row, d, cols, LONG: tl.constexpr, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """The same for a whole row; of a long one, the sums of its pieces in their order."""
    begin = tl.load(indptr + row).to(tl.int64)
    end = tl.load(indptr + row + 1).to(tl.int64)
    if end - begin > LONG:
        total = tl.zeros([WIDTH], tl.float64 if WIDE else tl.float32)
        piece = tl.load(first + row).to(tl.int64)
        for p in range(piece, piece + (end - begin + LONG - 1) // LONG):
            total += tl.load(sums + p * d + cols, mask=cols < d, other=0.0)
    else:
        total = _gather(indices, weights, WEIGHTED, scale, X, d, begin, end, cols, NEIGHBOURS, WIDTH, WIDE)
    return total


@triton.jit
def _pieces(begin, end, indices, weights, WEIGHTED: tl.constexpr, scale, X, sums, d, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """One piece of a long row."""
    p = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    total = _gather(
        indices,
        weights,
        WEIGHTED,
        scale,
        X,
        d,
        tl.load(begin + p),
        tl.load(end + p),
        cols,
        NEIGHBOURS,
        WIDTH,
        WIDE,
    )
    tl.store(sums + p * d + cols, total, mask=cols < d)


@triton.jit
def _spmm(indptr, indices, weights, WEIGHTED: tl.constexpr, scale, loop, X, out, first, sums, d, LONG: tl.constexpr, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """One row of the product."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    total = _row(
        indptr, indices, weights, WEIGHTED, scale, X, first, sums, row, d, cols, LONG, NEIGHBOURS, WIDTH, WIDE
    )
    s = tl.load(scale + row).to(total.dtype)
    own = tl.load(X + row * d + cols, mask=inside, other=0.0).to(total.dtype)
    total = s * (total + loop * s * own)
    tl.store(out + row * d + cols, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _product(indptr, indices, weights, WEIGHTED: tl.constexpr, scale, loop, r, w, V, plane, step, k, inverse, before, first, sums, shares, n, d, LONG: tl.constexpr, ROWS: tl.constexpr, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """v_k = r / |r| into V, w = P v_k - beta v_{k-1}, and this program's share of the sums of w v_k."""
    program = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    unit = tl.load(inverse + cols, mask=inside, other=0.0)
    b = tl.load(before + cols, mask=inside, other=0.0)
    share = tl.zeros([WIDTH], tl.float64)
    for row in range(program * ROWS, tl.minimum(program * ROWS + ROWS, n)):
        total = _row(
            indptr,
            indices,
            weights,
            WEIGHTED,
            scale,
            r,
            first,
            sums,
            row,
            d,
            cols,
            LONG,
            NEIGHBOURS,
            WIDTH,
            WIDE,
        )
        s = tl.load(scale + row)
        v = unit * tl.load(r + row * d + cols, mask=inside, other=0.0)
        z = s * (unit * total + loop * s * v)
        if k > 0:
            z -= b * tl.load(V + _long(k - 1) * plane + row * step + cols, mask=inside, other=0.0)
        tl.store(V + _long(k) * plane + row * step + cols, v, mask=inside)
        tl.store(w + row * d + cols, z, mask=inside)
        share += z.to(tl.float64) * v.to(tl.float64)
    tl.store(shares + program * d + cols, share, mask=inside)


@triton.jit
def _rest(w, V, plane, step, k, alpha, r, norms, inner, n, d, CHUNK: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """R = w - alpha v_k; this chunk's sums of squares, and of its products with v_0 ... v_k."""
    chunk = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    a = tl.load(alpha + cols, mask=inside, other=0.0)
    share = tl.zeros([WIDTH], tl.float64)
    for tile in range(0, CHUNK, TILE):
        rows = chunk * CHUNK + tile + tl.arange(0, TILE)
        there = (rows < n)[:, None] & inside[None, :]
        at = rows[:, None] * d + cols[None, :]
        v = tl.load(V + _long(k) * plane + rows[:, None] * step + cols[None, :], mask=there, other=0.0)
        rest = tl.load(w + at, mask=there, other=0.0) - a[None, :] * v
        tl.store(r + at, rest, mask=there)
        wide = rest.to(tl.float64)
        share += tl.sum(wide * wide, axis=0)
    tl.store(norms + chunk * d + cols, share, mask=inside)
    _inner(r, V, plane, step, k, inner, chunk, cols, n, d, CHUNK, TILE, WIDTH, WIDE)


@triton.jit
def _inner(r, V, plane, step, k, inner, chunk, cols, n, d, CHUNK: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """This chunk's products of r with v_0 ... v_k; r was just written and is still near."""
    inside = cols < d
    tl.debug_barrier()
    for j in range(k + 1):
        total = tl.zeros([WIDTH], tl.float64 if WIDE else tl.float32)
        for tile in range(0, CHUNK, TILE):
            rows = chunk * CHUNK + tile + tl.arange(0, TILE)
            there = (rows < n)[:, None] & inside[None, :]
            v = tl.load(V + _long(j) * plane + rows[:, None] * step + cols[None, :], mask=there, other=0.0)
            total += tl.sum(v * tl.load(r + rows[:, None] * d + cols[None, :], mask=there, other=0.0), axis=0)
        tl.store(inner + (chunk * (k + 1) + j) * d + cols, total, mask=inside)


@triton.jit
def _subtract(r, V, plane, step, k, found, norms, inner, n, d, CHUNK: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """R = r - sum_j found_j v_j; this chunk's sums of squares and of its products with v_0 ... v_k."""
    chunk = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    share = tl.zeros([WIDTH], tl.float64)
    for tile in range(0, CHUNK, TILE):
        rows = chunk * CHUNK + tile + tl.arange(0, TILE)
        there = (rows < n)[:, None] & inside[None, :]
        at = rows[:, None] * d + cols[None, :]
        rest = tl.load(r + at, mask=there, other=0.0)
        for j in range(k + 1):
            h = tl.load(found + j * d + cols, mask=inside, other=0.0)
            v = tl.load(V + _long(j) * plane + rows[:, None] * step + cols[None, :], mask=there, other=0.0)
            rest -= h[None, :] * v
        tl.store(r + at, rest, mask=there)
        wide = rest.to(tl.float64)
        share += tl.sum(wide * wide, axis=0)
    tl.store(norms + chunk * d + cols, share, mask=inside)
    _inner(r, V, plane, step, k, inner, chunk, cols, n, d, CHUNK, TILE, WIDTH, WIDE)

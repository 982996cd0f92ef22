"""Products with P on a GPU, in Triton.

A product is bound by memory: every entry of P fetches a row of X. One warp takes a row and 8 neighbours at a
time, so that some kilobytes are under way per warp. Long rows would hold up the launch; they are cut into pieces that are summed by programs of their own and
added up in order. No atomics: the same input gives the same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter.kernels.csr import CSR

LONG = 1024  # entries from which a row is cut
SHORT = 128  # the same on a graph with few entries, where the longest piece is what everyone waits for
FEW = 2**23
NEIGHBOURS = 8  # rows of X that a warp fetches at a time, twice as many where they are half as long
WIDTH = 128  # columns that a program takes


class Pieces(NamedTuple):
    """Bits of long rows: entries [begin, end) of each, and for each row where its bits begin (-1: not long)."""

    begin: Tensor
    end: Tensor
    first: Tensor  # (n,): the row's first piece, or -1
    long: int  # entries of a whole piece


def pieces(indptr: Tensor, long: int | None = None) -> Pieces:
    """Cut rows of more than ``long`` entries; by default as many as suit a graph of this size."""
    if long is None:
        long = SHORT if int(indptr[-1]) < FEW else LONG
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
    return Pieces(begin, end, first, long)


def spmm(A: CSR, X: Tensor, cut: Pieces) -> Tensor:
    """See ``reference.spmm``; float32, bfloat16 and float16 are accumulated in float32."""
    X = X.contiguous()
    out = torch.empty_like(X)
    n, d = X.shape
    if n == 0 or d == 0:
        return out
    width = column_width(d)
    sums = piece_sums(A, X, d, cut, width)
    _spmm[(n, triton.cdiv(d, width))](
        A.indptr, A.indices, *weights_of(A), A.scale, A.loop, A.loop != 0, X, out, cut.first, sums, d, cut.long,
        neighbours(X), width, is_wide(X), num_warps=1,
    )  # fmt: skip
    return out


def piece_sums(A: CSR, X: Tensor, step: int, cut: Pieces, width: int) -> Tensor:
    """The sum over each piece of a long row; rows of X are ``step`` numbers apart."""
    count, d = cut.begin.shape[0], X.shape[1]
    wide = torch.float64 if is_wide(X) else torch.float32
    sums = torch.empty(max(1, count), d, dtype=wide, device=X.device)
    if count:
        _pieces[(count, triton.cdiv(d, width))](
            cut.begin, cut.end, A.indices, *weights_of(A), A.scale, X, step, sums, d, neighbours(X), width,
            is_wide(X), num_warps=1,
        )  # fmt: skip
    return sums


def neighbours(X: Tensor) -> int:
    """How many rows of X a warp fetches at a time."""
    return NEIGHBOURS * 2 if X.element_size() == 2 else NEIGHBOURS


def column_width(d: int) -> int:
    """How many columns a program takes."""
    return min(WIDTH, triton.next_power_of_2(max(16, d)))


def is_wide(X: Tensor) -> bool:
    """Whether sums are taken in float64."""
    return X.dtype == torch.float64


def weights_of(A: CSR) -> tuple[Tensor, bool]:
    """The weights, or anything and False."""
    return (A.scale, False) if A.weights is None else (A.weights, True)


@triton.jit
def long(x):
    """A 64-bit number, also of a loop's variable, which the interpreter has as Python's own."""
    return tl.full((), 0, tl.int64) + x


@triton.jit
def _gather(indices, weights, WEIGHTED: tl.constexpr, scale, X, step, d, begin, end, cols, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
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
        x = tl.load(X + j[:, None] * step + cols[None, :], mask=there[:, None] & inside[None, :], other=0.0)
        total += tl.sum(x.to(kind) * s[:, None], axis=0)
    return total


@triton.jit
def row_sum(indptr, indices, weights, WEIGHTED: tl.constexpr, scale, X, step, first, sums, row, d, cols, LONG: tl.constexpr, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """The same for a whole row; of a long one, the sums of its pieces in their order."""
    begin = tl.load(indptr + row).to(tl.int64)
    end = tl.load(indptr + row + 1).to(tl.int64)
    if end - begin > LONG:
        total = tl.zeros([WIDTH], tl.float64 if WIDE else tl.float32)
        piece = tl.load(first + row).to(tl.int64)
        for p in range(piece, piece + (end - begin + LONG - 1) // LONG):
            total += tl.load(sums + p * d + cols, mask=cols < d, other=0.0)
    else:
        total = _gather(
            indices, weights, WEIGHTED, scale, X, step, d, begin, end, cols, NEIGHBOURS, WIDTH, WIDE
        )  # fmt: skip
    return total


@triton.jit
def _pieces(begin, end, indices, weights, WEIGHTED: tl.constexpr, scale, X, step, sums, d, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """One piece of a long row."""
    p = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    a, b = tl.load(begin + p), tl.load(end + p)
    total = _gather(
        indices, weights, WEIGHTED, scale, X, step, d, a, b, cols, NEIGHBOURS, WIDTH, WIDE
    )  # fmt: skip
    tl.store(sums + p * d + cols, total, mask=cols < d)


@triton.jit
def _spmm(indptr, indices, weights, WEIGHTED: tl.constexpr, scale, loop, LOOPED: tl.constexpr, X, out, first, sums, d, LONG: tl.constexpr, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """One row of the product."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    total = row_sum(
        indptr, indices, weights, WEIGHTED, scale, X, d, first, sums, row, d, cols, LONG, NEIGHBOURS, WIDTH, WIDE,
    )  # fmt: skip
    s = tl.load(scale + row).to(total.dtype)
    if LOOPED:
        total += loop * s * tl.load(X + row * d + cols, mask=inside, other=0.0).to(total.dtype)
    tl.store(out + row * d + cols, (s * total).to(out.dtype.element_ty), mask=inside)

"""Learned entries of a sparse matrix on a GPU, in Triton: products at its places, softmax of its rows.

What attention costs is memory: written out, the terms of a product are (members, entries, columns), many times
what goes in and comes out. Here a program takes one row of one member, holds its sum, and fetches a few
neighbours at a time; nothing as long as the entries is as wide as the columns. No atomics: the same input
gives the same bits.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter.kernels.csr import Places
from unifilter.kernels.gpu import NEIGHBOURS, column_width, is_wide

TOGETHER = 64  # entries of a row whose softmax is taken at a time


def weighted(A: Places, values: Tensor, X: Tensor) -> Tensor:
    """See ``reference.weighted``; float32, bfloat16 and float16 are accumulated in float32."""
    values, X = values.contiguous(), X.contiguous()
    out = torch.empty_like(X)
    members, n, d = X.shape
    if out.numel():
        width = column_width(d)
        _weighted[(n, members, triton.cdiv(d, width))](
            A.indptr, A.indices, values, X, out, n, A.indices.numel(), d, NEIGHBOURS, width, is_wide(X),
            num_warps=1,
        )  # fmt: skip
    return out


def sampled(A: Places, G: Tensor, X: Tensor) -> Tensor:
    """See ``reference.sampled``."""
    G, X = G.contiguous(), X.contiguous()
    members, n, d = X.shape
    out = X.new_empty(members, A.indices.numel())
    if out.numel():
        _sampled[(n, members)](
            A.indptr, A.indices, G, X, out, n, A.indices.numel(), d, NEIGHBOURS, column_width(d), is_wide(X),
            num_warps=1,
        )  # fmt: skip
    return out


def softmax(A: Places, scores: Tensor) -> Tensor:
    """See ``reference.softmax``."""
    scores = scores.contiguous()
    out = torch.empty_like(scores)
    if out.numel():
        _softmax[(A.indptr.numel() - 1, scores.shape[0])](
            A.indptr, scores, out, A.indices.numel(), TOGETHER, is_wide(scores), num_warps=1
        )
    return out


@triton.jit
def _weighted(indptr, indices, values, X, out, n, entries, d, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """One row of one member's product."""
    kind = tl.float64 if WIDE else tl.float32
    row, member = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    cols = tl.program_id(2) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    begin, end = tl.load(indptr + row).to(tl.int64), tl.load(indptr + row + 1).to(tl.int64)
    total = tl.zeros([WIDTH], kind)
    for e in range(begin, end, NEIGHBOURS):
        at = e + tl.arange(0, NEIGHBOURS)
        there = at < end
        j = tl.load(indices + at, mask=there, other=0).to(tl.int64)
        a = tl.load(values + member * entries + at, mask=there, other=0.0).to(kind)
        x = tl.load(
            X + (member * n + j[:, None]) * d + cols[None, :],
            mask=there[:, None] & inside[None, :],
            other=0.0,
        )
        total += tl.sum(x.to(kind) * a[:, None], axis=0)
    tl.store(out + (member * n + row) * d + cols, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _sampled(indptr, indices, G, X, out, n, entries, d, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """The dot products of one row of one member."""
    kind = tl.float64 if WIDE else tl.float32
    row, member = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    begin, end = tl.load(indptr + row).to(tl.int64), tl.load(indptr + row + 1).to(tl.int64)
    for e in range(begin, end, NEIGHBOURS):
        at = e + tl.arange(0, NEIGHBOURS)
        there = at < end
        j = tl.load(indices + at, mask=there, other=0).to(tl.int64)
        dot = tl.zeros([NEIGHBOURS], kind)
        for begun in range(0, d, WIDTH):
            cols = begun + tl.arange(0, WIDTH)
            inside = cols < d
            g = tl.load(G + (member * n + row) * d + cols, mask=inside, other=0.0).to(kind)
            x = tl.load(
                X + (member * n + j[:, None]) * d + cols[None, :],
                mask=there[:, None] & inside[None, :],
                other=0.0,
            )
            dot += tl.sum(x.to(kind) * g[None, :], axis=1)
        tl.store(out + member * entries + at, dot.to(out.dtype.element_ty), mask=there)


@triton.jit
def _softmax(indptr, scores, out, entries, TOGETHER: tl.constexpr, WIDE: tl.constexpr):
    """The shares of one row of one member: the largest score is taken away, so that no exponential overflows."""
    kind = tl.float64 if WIDE else tl.float32
    row, member = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    begin, end = tl.load(indptr + row).to(tl.int64), tl.load(indptr + row + 1).to(tl.int64)
    first = member * entries
    largest, whole = tl.full([TOGETHER], float("-inf"), kind), tl.zeros([TOGETHER], kind)
    for e in range(begin, end, TOGETHER):
        at = e + tl.arange(0, TOGETHER)
        largest = tl.maximum(
            largest, tl.load(scores + first + at, mask=at < end, other=float("-inf")).to(kind)
        )
    top = tl.max(largest, axis=0)
    for e in range(begin, end, TOGETHER):
        at = e + tl.arange(0, TOGETHER)
        whole += tl.exp(tl.load(scores + first + at, mask=at < end, other=float("-inf")).to(kind) - top)
    total = tl.sum(whole, axis=0)
    for e in range(begin, end, TOGETHER):
        at = e + tl.arange(0, TOGETHER)
        share = (
            tl.exp(tl.load(scores + first + at, mask=at < end, other=float("-inf")).to(kind) - top) / total
        )
        tl.store(out + first + at, share.to(out.dtype.element_ty), mask=at < end)

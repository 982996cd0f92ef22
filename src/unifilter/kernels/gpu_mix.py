"""Mixes of V on a GPU, in Triton, with and without dropout on the basis; and their adjoints.

A program holds the sums of several mixes (or members of a population) in registers while the hops run past, and
programs with the same tile of V are neighbours in time: V comes from memory once, whatever the number of mixes.
The adjoints sum over rows: each program takes a chunk of them, and the chunks are added up in order.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter.kernels.gpu import long
from unifilter.kernels.reference import threshold

THREADS = 128
HELD = 4096  # sums that a program holds: 32 in the registers of each thread
KEPT = 96  # coefficients that every thread of a mix in place can keep for all its rows,
SPAN = 128  # so many, of which it reads
ROWS = 2  # before it writes


def mix(V: Tensor, C: Tensor, out: Tensor, lower: bool = False) -> None:
    """See ``reference.mix``; ``out`` may be V itself; ``lower`` promises that C[k, j] = 0 for j > k."""
    (K1, n, d), J = V.shape, C.shape[0]
    if not (n and d and J):
        return
    in_place = out.data_ptr() == V.data_ptr()
    if in_place and lower and J == K1 and J * (J + 1) // 2 <= KEPT:
        _mix_rows[(triton.cdiv(n, SPAN), triton.cdiv(d, 32))](
            V, V.stride(0), V.stride(1), C, n, d, K1, SPAN, ROWS, 32, num_warps=1
        )
        return
    # Programs that share a tile of V run side by side and find it in the cache. In place there is only one.
    members = triton.next_power_of_2(J) if in_place else min(8, triton.next_power_of_2(J))
    width = 64
    tile = max(1, min(16, HELD // (members * width)))
    teams = triton.cdiv(J, members)
    _mix[(triton.cdiv(n, tile) * teams, triton.cdiv(d, width))](
        V, V.stride(0), V.stride(1), C, out, out.stride(0), out.stride(1), J, n, d, teams, K1, members, tile, width,
        num_warps=THREADS // 32,
    )  # fmt: skip


def correlate(G: Tensor, V: Tensor) -> Tensor:
    """See ``reference.correlate``; G may be a slice of a larger block."""
    (K1, n, d), J = V.shape, G.shape[0]
    hops = triton.next_power_of_2(K1)
    members = min(8, triton.next_power_of_2(max(1, J)))
    width = max(16, min(64, HELD // (members * hops)))
    chunk = _chunk(n)
    chunks = max(1, triton.cdiv(n, chunk))
    shares = torch.zeros(chunks, J, K1, d, dtype=_sum(V), device=V.device)
    if n and d and J:
        _correlate[(triton.cdiv(J, members), chunks, triton.cdiv(d, width))](
            G, G.stride(0), G.stride(1), V, V.stride(0), V.stride(1), shares, J, n, d, K1, chunk, members, hops,
            width, num_warps=THREADS // 32,
        )  # fmt: skip
    return shares.sum(dim=0)


def mix_dropped(V: Tensor, C: Tensor, p: float, seed: int | Tensor) -> Tensor:
    """See ``reference.mix_dropped``."""
    (K1, n, d), J = V.shape, C.shape[0]
    out = V.new_empty(n, d)
    if n and d:
        basis, width = triton.next_power_of_2(J), 64
        tile = max(1, HELD // (basis * width))
        _mix_dropped[(triton.cdiv(n, tile), triton.cdiv(d, width))](
            V, V.stride(0), V.stride(1), C, out, J, n, d, K1, _signed(threshold(p)), 1 / (1 - p),
            _seed(seed, V), basis, tile, width, num_warps=THREADS // 32,
        )  # fmt: skip
    return out


def correlate_dropped(G: Tensor, V: Tensor, J: int, p: float, seed: int | Tensor) -> Tensor:
    """See ``reference.correlate_dropped``."""
    K1, n, d = V.shape
    basis, hops = triton.next_power_of_2(J), triton.next_power_of_2(K1)
    width = max(16, HELD // (basis * hops))
    chunk = _chunk(n)
    chunks = max(1, triton.cdiv(n, chunk))
    shares = torch.zeros(chunks, J, K1, d, dtype=_sum(V), device=V.device)
    if n and d:
        _correlate_dropped[(chunks, triton.cdiv(d, width))](
            G.contiguous(), V, V.stride(0), V.stride(1), shares, J, n, d, K1, _signed(threshold(p)), 1 / (1 - p),
            _seed(seed, V), chunk, basis, hops, width, num_warps=THREADS // 32,
        )  # fmt: skip
    return shares.sum(dim=0)


def _chunk(n: int) -> int:
    """Rows that a program of an adjoint sums over: few enough for many programs, whatever n."""
    return max(64, triton.cdiv(n, 64))


def _seed(seed: int | Tensor, like: Tensor) -> Tensor:
    """The kernels read the seed from memory, so that a recorded launch can draw another mask each time."""
    if isinstance(seed, Tensor):
        return seed
    return torch.full((), seed, dtype=torch.int64, device=like.device)


def _sum(V: Tensor) -> torch.dtype:
    return torch.float64 if V.dtype == torch.float64 else torch.float32


def _signed(value: int) -> int:
    """32 bits as Triton takes them; the kernels read them as unsigned again."""
    return value - 2**32 if value >= 2**31 else value


@triton.jit
def _scramble(x):
    """See ``reference.scramble``, on unsigned 32 bits."""
    x = (x ^ (x >> 16)) * tl.full((), 0x7FEB352D, tl.uint32)
    x = (x ^ (x >> 15)) * tl.full((), 0x846CA68B, tl.uint32)
    return x ^ (x >> 16)


@triton.jit
def _kept(place, cols, key):
    """The hash of each entry's place, (..., columns): see ``reference.keep``."""
    golden = tl.full((), 0x9E3779B9, tl.uint32)
    first = _scramble(place.to(tl.uint32) * golden + key)
    return _scramble(tl.expand_dims(first, -1) + cols.to(tl.uint32) * golden)


@triton.jit
def _mixed(V, plane, step, C, which, J, rows, cols, n, d, K1: tl.constexpr, BASIS: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    """Mixes ``which`` of some rows and columns, (BASIS, TILE, WIDTH)."""
    total = tl.zeros([BASIS, TILE, WIDTH], C.dtype.element_ty)
    there = (rows < n)[:, None] & (cols < d)[None, :]
    asked = (which < J)[:, None] & (cols < d)[None, :]
    for j in tl.static_range(K1):  # unrolled: the loads of several hops are under way at once
        v = tl.load(V + long(j) * plane + rows[:, None] * step + cols[None, :], mask=there, other=0.0)
        c = tl.load(C + (which * K1 + j)[:, None] * d + cols[None, :], mask=asked, other=0.0)
        total += c[:, None, :] * v.to(C.dtype.element_ty)[None, :, :]
    return total


@triton.jit
def _mix(V, plane, step, C, out, out_plane, out_step, J, n, d, teams, K1: tl.constexpr, MEMBERS: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    # Only the first dimension of a grid may be long.
    which = (tl.program_id(0) % teams).to(tl.int64) * MEMBERS + tl.arange(0, MEMBERS)
    rows = (tl.program_id(0) // teams).to(tl.int64) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    total = _mixed(V, plane, step, C, which, J, rows, cols, n, d, K1, MEMBERS, TILE, WIDTH)
    at = which[:, None, None] * out_plane + rows[None, :, None] * out_step + cols[None, None, :]
    there = (which < J)[:, None, None] & (rows < n)[None, :, None] & (cols < d)[None, None, :]
    tl.store(out + at, total.to(out.dtype.element_ty), mask=there)


@triton.jit
def _mix_rows(V, plane, step, C, n, d, K1: tl.constexpr, SPAN, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """V = C V for some rows and columns, C lower triangular. One warp: what it has read it may write over."""
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    first = tl.program_id(0).to(tl.int64) * SPAN
    kept = ()
    for k in tl.static_range(K1):
        for j in tl.static_range(k + 1):
            kept = kept + (tl.load(C + (k * K1 + j) * d + cols, mask=cols < d, other=0.0),)
    for tile in range(0, SPAN, ROWS):
        seen = ()
        for u in tl.static_range(ROWS):  # unrolled: the loads of several rows are under way at once
            row = first + tile + u
            for j in tl.static_range(K1):
                at = V + long(j) * plane + row * step + cols
                seen = seen + (tl.load(at, mask=(cols < d) & (row < n), other=0.0).to(C.dtype.element_ty),)
        for u in tl.static_range(ROWS):
            row = first + tile + u
            for k in tl.static_range(K1):
                z = kept[k * (k + 1) // 2] * seen[u * K1]
                for j in tl.static_range(1, k + 1):
                    z += kept[k * (k + 1) // 2 + j] * seen[u * K1 + j]
                at = V + long(k) * plane + row * step + cols
                tl.store(at, z.to(V.dtype.element_ty), mask=(cols < d) & (row < n))


@triton.jit
def _mix_dropped(V, plane, step, C, out, J, n, d, K1: tl.constexpr, drop, factor, seed, BASIS: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    which = tl.arange(0, BASIS).to(tl.int64)
    rows = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    total = _mixed(V, plane, step, C, which, J, rows, cols, n, d, K1, BASIS, TILE, WIDTH)
    key = _scramble(tl.load(seed).to(tl.uint32))
    kept = _kept(rows[None, :] * J + which[:, None], cols, key) >= long(drop).to(tl.uint32)
    z = tl.sum(tl.where(kept, factor * total, 0.0), axis=0)
    at = rows[:, None] * d + cols[None, :]
    tl.store(out + at, z.to(out.dtype.element_ty), mask=(rows < n)[:, None] & (cols < d)[None, :])


@triton.jit
def _row_of(V, plane, step, row, cols, d, K1, HOPS: tl.constexpr):
    """All hops of one row, (HOPS, columns)."""
    hops = tl.arange(0, HOPS)
    at = hops.to(tl.int64)[:, None] * plane + row * step + cols[None, :]
    return tl.load(V + at, mask=(hops < K1)[:, None] & (cols < d)[None, :], other=0.0)


@triton.jit
def _keep_shares(shares, total, chunk, which, cols, J, d, K1, HOPS: tl.constexpr):
    """Store what a chunk summed, (members, HOPS, columns)."""
    hops = tl.arange(0, HOPS)
    at = ((chunk * J + which)[:, None] * K1 + hops[None, :])[:, :, None] * d + cols[None, None, :]
    there = (which < J)[:, None, None] & (hops < K1)[None, :, None] & (cols < d)[None, None, :]
    tl.store(shares + at, total, mask=there)


@triton.jit
def _correlate(G, g_plane, g_step, V, plane, step, shares, J, n, d, K1, CHUNK, MEMBERS: tl.constexpr, HOPS: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    which = tl.program_id(0).to(tl.int64) * MEMBERS + tl.arange(0, MEMBERS)
    chunk = tl.program_id(1).to(tl.int64)
    cols = tl.program_id(2) * WIDTH + tl.arange(0, WIDTH)
    kind = shares.dtype.element_ty
    asked = (which < J)[:, None] & (cols < d)[None, :]
    total = tl.zeros([MEMBERS, HOPS, WIDTH], kind)
    for row in range(chunk * CHUNK, tl.minimum(chunk * CHUNK + CHUNK, n)):
        g = tl.load(G + which[:, None] * g_plane + row * g_step + cols[None, :], mask=asked, other=0.0).to(
            kind
        )
        v = _row_of(V, plane, step, row, cols, d, K1, HOPS).to(kind)
        total += g[:, None, :] * v[None, :, :]
    _keep_shares(shares, total, chunk, which, cols, J, d, K1, HOPS)


@triton.jit
def _correlate_dropped(G, V, plane, step, shares, J, n, d, K1, drop, factor, seed, CHUNK, BASIS: tl.constexpr, HOPS: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    chunk = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    which = tl.arange(0, BASIS).to(tl.int64)
    kind = shares.dtype.element_ty
    key = _scramble(tl.load(seed).to(tl.uint32))
    total = tl.zeros([BASIS, HOPS, WIDTH], kind)
    for row in range(chunk * CHUNK, tl.minimum(chunk * CHUNK + CHUNK, n)):
        g = tl.load(G + row * d + cols, mask=cols < d, other=0.0).to(kind)
        kept = _kept(long(row) * J + which, cols, key) >= long(drop).to(tl.uint32)
        g = tl.where(kept, factor * g[None, :], 0.0).to(kind)
        v = _row_of(V, plane, step, row, cols, d, K1, HOPS).to(kind)
        total += g[:, None, :] * v[None, :, :]
    _keep_shares(shares, total, chunk, which, cols, J, d, K1, HOPS)

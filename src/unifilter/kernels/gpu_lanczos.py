"""The Lanczos recurrence on a GPU, in Triton: a product and one more pass a step, no temporary of n x d.

The product writes w = P v_k - beta v_{k-1} where v_{k+1} will stand and sums w v_k and w w; the pass makes
v_{k+1} = (w - alpha v_k) / beta of it. Both coefficients come as two numbers, the rounded one and the rest: an
error common to all rows of a column would be the first to spoil orthogonality. That is left alone until the
recurrence of the rounding errors says that it may be lost (see ``drift``), and is always measured in the end.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter._types import Recurrence
from unifilter.kernels import drift, gpu
from unifilter.kernels.csr import CSR
from unifilter.kernels.gpu import Pieces, long, row_sum
from unifilter.kernels.reference import ended

ROWS = 16  # rows that one program of the product takes in turn
CHUNK = 64  # rows of the pass, and
TILE = 16  # how many of them at a time
MEASURED = 1024  # rows over which inner products are summed in the vectors' own precision
BLOCK = 12  # vectors between two measurements, at most
FINE = 16  # rounding errors that an inner product may be away from 0 or 1: below, nothing is done
EXPECTED = 0.01  # the expected drift at which it is measured


def three_term(A: CSR, X: Tensor, V: Tensor, cut: Pieces) -> Recurrence:
    """See ``reference.three_term``."""
    K, d = V.shape[0] - 1, X.shape[1]
    double = {"dtype": torch.float64, "device": X.device}
    alpha, beta = torch.zeros(K, d, **double), torch.zeros(K, d, **double)
    if not X.numel():
        return Recurrence(alpha, beta, torch.zeros(d, **double))
    X = X.contiguous()
    norm = _squares(X).sqrt()
    _scaled(X, V[0], torch.where(norm > 0, 1 / norm, 0))
    noise = torch.finfo(X.dtype).eps / 2
    square, steady, k = (norm > 0).double(), 0, 0
    before, now = torch.zeros(0, d, **double), torch.ones(1, d, **double)
    while k < K:
        square = _step(A, V, k, alpha, beta, square, cut)
        before, now = now, drift.expected(before, now, alpha[: k + 1], beta[: k + 1], noise)
        k += 1
        if k == K or k - steady == BLOCK or float(now[:k].abs().max()) > EXPECTED:
            k = steady = _settle(V, steady, k, alpha, beta)
            before, now = torch.full((k, d), noise, **double), torch.full((k + 1, d), noise, **double)
            before[-1], now[-1] = 1, 1
            square = (beta[k - 1] > 0).double()
    return Recurrence(alpha, beta, norm)


def _step(A: CSR, V: Tensor, k: int, alpha: Tensor, beta: Tensor, square: Tensor, cut: Pieces) -> Tensor:
    """V[k+1], alpha[k] and beta[k]; given the sum of squares of V[k], those of V[k+1]."""
    n, d = V.shape[1:]
    width, step = gpu.column_width(d), V.stride(1)
    programs = (triton.cdiv(n, ROWS), triton.cdiv(d, width))
    sums = gpu.piece_sums(A, V[k], step, cut, width)
    shares = torch.empty(programs[0], 2, d, dtype=torch.float64, device=V.device)
    previous = beta[k - 1] if k else torch.zeros_like(square)
    _product[programs](
        A.indptr, A.indices, *gpu.weights_of(A), A.scale, A.loop, A.loop != 0, V[k], V[max(k - 1, 0)], V[k + 1],
        step, k, _two(previous, V), cut.first, sums, shares, n, d, cut.long, ROWS, gpu.neighbours(V), width,
        gpu.is_wide(V), num_warps=1, **_registers(V),
    )  # fmt: skip
    a, ww = shares.sum(dim=0)
    least = ended(V.dtype)
    # The sum of squares of w - a v_k. Where it cancels, the quotient below is not 1 and says by how much.
    size = (ww - a * a * (2 - square)).clamp_min(least**2).sqrt()
    alive = square > 0
    square = _rest(V, k, a, torch.where(alive, 1 / size, 0))
    beta[k] = torch.where(alive, size, 0)
    away = (square - 1).abs() > 64 * torch.finfo(V.dtype).eps
    if bool((away & alive).any()):
        factor = torch.where(away, square.sqrt(), 1)
        beta[k] *= factor
        beta[k] = torch.where(beta[k] > least, beta[k], 0)
        _scaled(V[k + 1], V[k + 1], torch.where(beta[k] > 0, 1 / factor, 0))
        square = torch.where(away, (beta[k] > 0).double(), square)
    alpha[k] = a
    return square


def _settle(V: Tensor, steady: int, k: int, alpha: Tensor, beta: Tensor) -> int:
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
        found = drift.correction(G, lost, *rows, ended(V.dtype))
        _corrected(V, steady + 1, found.C)
        alpha[steady:k], beta[steady:k] = found.alpha, found.beta
        if count > 1 or bool((G[0, :-1].abs().sum(dim=0) <= 0.5).all()):
            break
    return k


def _registers(V: Tensor) -> dict[str, int]:
    """Beyond 64 registers fewer warps would run at once; AMD's compiler has no such setting."""
    return {} if gpu.is_wide(V) or torch.version.hip else {"maxnreg": 64}


def _two(a: Tensor, like: Tensor) -> Tensor:
    """A float64 row as the rounded numbers and what is missing to them."""
    rounded = a.to(like.dtype)
    return torch.stack([rounded, (a - rounded.double()).to(like.dtype)])


def _squares(X: Tensor) -> Tensor:
    """The sum of squares of every column, in float64."""
    n, d = X.shape
    width, chunk = gpu.column_width(d), max(CHUNK, triton.cdiv(n, 4096))
    grid = (triton.cdiv(n, chunk), triton.cdiv(d, width))
    shares = torch.empty(grid[0], d, dtype=torch.float64, device=X.device)
    _square_kernel[grid](X, shares, n, d, chunk, TILE, width, num_warps=4)
    return shares.sum(dim=0)


def _scaled(X: Tensor, out: Tensor, factor: Tensor) -> None:
    """``out = factor X``; the factor, in float64, may be beyond what X's precision holds."""
    n, d = X.shape
    width = gpu.column_width(d)
    _scale_kernel[(triton.cdiv(n, TILE), triton.cdiv(d, width))](
        X, X.stride(0), out, out.stride(0), factor, n, d, TILE, width, num_warps=4
    )


def _rest(V: Tensor, k: int, a: Tensor, unit: Tensor) -> Tensor:
    """``V[k+1] = unit (V[k+1] - a V[k])``, and its sums of squares."""
    n, d = V.shape[1:]
    width = gpu.column_width(d)
    grid = (triton.cdiv(n, CHUNK), triton.cdiv(d, width))
    shares = torch.empty(grid[0], d, dtype=torch.float64, device=V.device)
    _rest_kernel[grid](
        V[k], V[k + 1], V.stride(1), _two(a, V), _two(unit, V), shares, n, d, CHUNK, TILE, width, num_warps=4
    )
    return shares.sum(dim=0)


def _gram(V: Tensor, begin: int, end: int) -> Tensor:
    """Inner products of V[begin] ... V[end] with V[0] ... V[end], in float64; 0 above the diagonal."""
    n, d = V.shape[1:]
    new, count = end - begin + 1, end + 1
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
def _product(indptr, indices, weights, WEIGHTED: tl.constexpr, scale, loop, LOOPED: tl.constexpr, now, before, after, step, k, b, first, sums, shares, n, d, LONG: tl.constexpr, ROWS: tl.constexpr, NEIGHBOURS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr):  # fmt: skip
    """After = w = P v_k - b v_{k-1}, and the sums of w v_k and w w over these few rows, in their own precision."""
    program = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    along = tl.zeros([WIDTH], now.dtype.element_ty)
    square = tl.zeros([WIDTH], now.dtype.element_ty)
    for row in range(program * ROWS, tl.minimum(program * ROWS + ROWS, n)):
        at = long(row) * step + cols
        w = row_sum(
            indptr, indices, weights, WEIGHTED, scale, now, step, first, sums, row, d, cols, LONG, NEIGHBOURS,
            WIDTH, WIDE,
        )  # fmt: skip
        s = tl.load(scale + row)
        v = tl.load(now + at, mask=inside, other=0.0)
        if LOOPED:
            w += loop * s * v
        w *= s
        if k > 0:
            past = tl.load(before + at, mask=inside, other=0.0)
            w -= tl.load(b + cols, mask=inside, other=0.0) * past
            w -= tl.load(b + d + cols, mask=inside, other=0.0) * past
        tl.store(after + at, w, mask=inside)
        along += w * v
        square += w * w
    tl.store(shares + program * 2 * d + cols, along.to(tl.float64), mask=inside)
    tl.store(shares + program * 2 * d + d + cols, square.to(tl.float64), mask=inside)


@triton.jit
def _rest_kernel(now, after, step, a, unit, shares, n, d, CHUNK: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    """After = unit (after - a now), and this chunk's sums of squares."""
    chunk = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    a0 = tl.load(a + cols, mask=inside, other=0.0)[None, :]
    a1 = tl.load(a + d + cols, mask=inside, other=0.0)[None, :]
    u0 = tl.load(unit + cols, mask=inside, other=0.0)[None, :]
    u1 = tl.load(unit + d + cols, mask=inside, other=0.0)[None, :]
    share = tl.zeros([TILE, WIDTH], tl.float64)
    for tile in range(0, CHUNK, TILE):
        rows = chunk * CHUNK + tile + tl.arange(0, TILE)
        there = (rows < n)[:, None] & inside[None, :]
        at = rows[:, None] * step + cols[None, :]
        v = tl.load(now + at, mask=there, other=0.0)
        w = tl.load(after + at, mask=there, other=0.0)
        w = w - a0 * v - a1 * v
        w = u0 * w + u1 * w
        tl.store(after + at, w, mask=there)
        share += w.to(tl.float64) * w.to(tl.float64)
    tl.store(shares + chunk * d + cols, tl.sum(share, axis=0), mask=inside)


@triton.jit
def _square_kernel(X, shares, n, d, CHUNK, TILE: tl.constexpr, WIDTH: tl.constexpr):
    """This chunk's sums of squares; squares are taken in float64, which holds those of any float32."""
    chunk = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < d
    share = tl.zeros([TILE, WIDTH], tl.float64)
    for tile in range(0, CHUNK, TILE):
        rows = chunk * CHUNK + tile + tl.arange(0, TILE)
        there = ((rows < n) & (tile + tl.arange(0, TILE) < CHUNK))[:, None] & inside[None, :]
        x = tl.load(X + rows[:, None] * d + cols[None, :], mask=there, other=0.0).to(tl.float64)
        share += x * x
    tl.store(shares + chunk * d + cols, tl.sum(share, axis=0), mask=inside)


@triton.jit
def _scale_kernel(X, step, out, out_step, factor, n, d, TILE: tl.constexpr, WIDTH: tl.constexpr):
    """Some rows of the scaled X."""
    rows = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    there = (rows < n)[:, None] & (cols < d)[None, :]
    f = tl.load(factor + cols, mask=cols < d, other=0.0)
    x = tl.load(X + rows[:, None] * step + cols[None, :], mask=there, other=0.0).to(tl.float64) * f[None, :]
    tl.store(out + rows[:, None] * out_step + cols[None, :], x.to(out.dtype.element_ty), mask=there)


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

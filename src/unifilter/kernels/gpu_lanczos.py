"""The Lanczos recurrence on a GPU, in Triton: a product and one more pass a step, no temporary of n x d.

The product writes w = P v_k - beta v_{k-1} where v_{k+1} will stand and sums w v_k and w w; the pass makes
v_{k+1} = (w - alpha v_k) / beta of it. Both coefficients come as two numbers, the rounded one and the rest: an
error common to all rows of a column would be the first to spoil orthogonality. That is left alone until the
recurrence of the rounding errors says that it may be lost (see ``drift``), and is always measured in the end.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl
from torch import Tensor

from unifilter._types import Recurrence
from unifilter.kernels import drift, gpu
from unifilter.kernels.csr import CSR
from unifilter.kernels.gpu import Pieces, long, row_sum
from unifilter.kernels.gpu_drift import settle
from unifilter.kernels.reference import ended

ROWS = 16  # rows that one program of the product takes in turn
CHUNK = 64  # rows of the pass, and
TILE = 16  # how many of them at a time
BLOCK = 12  # vectors between two measurements, at most
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
    shares = None
    while k < K:
        shares = _multiplied(A, V, k, beta, cut) if shares is None else shares
        square, away = _normalised(V, k, alpha, beta, square, shares)
        found = drift.expected(before, now, alpha[: k + 1], beta[: k + 1], noise)
        seen = _seen_later(away.any(), found[: k + 1].abs().max())
        k += 1
        full = k == K or k - steady == BLOCK
        # The next product is under way while the host looks at this step; if the step must change, it is redone.
        shares = None if full else _multiplied(A, V, k, beta, cut)
        uneven, drifted = seen()
        if uneven:
            square, shares = _evened(V, k - 1, beta, square, away), None
            found = drift.expected(before, now, alpha[:k], beta[:k], noise)
            drifted = float(found[:k].abs().max())
        before, now = now, found
        if full or drifted > EXPECTED:
            k = steady = settle(V, steady, k, alpha, beta)
            before, now = torch.full((k, d), noise, **double), torch.full((k + 1, d), noise, **double)
            before[-1], now[-1] = 1, 1
            square, shares = (beta[k - 1] > 0).double(), None
    return Recurrence(alpha, beta, norm)


def _multiplied(A: CSR, V: Tensor, k: int, beta: Tensor, cut: Pieces) -> Tensor:
    """Queue V[k+1] = w = P V[k] - beta V[k-1]; a share of the sums of w v_k and w w from every program."""
    n, d = V.shape[1:]
    width, step = gpu.column_width(d), V.stride(1)
    programs = (triton.cdiv(n, ROWS), triton.cdiv(d, width))
    sums = gpu.piece_sums(A, V[k], step, cut, width)
    shares = torch.empty(programs[0], 2, d, dtype=torch.float64, device=V.device)
    previous = beta[k - 1] if k else torch.zeros_like(beta[0])
    _product[programs](
        A.indptr, A.indices, *gpu.weights_of(A), A.scale, A.loop, A.loop != 0, V[k], V[max(k - 1, 0)], V[k + 1],
        step, k, _two(previous, V), cut.first, sums, shares, n, d, cut.long, ROWS, gpu.neighbours(V), width,
        gpu.is_wide(V), num_warps=1, **_registers(V),
    )  # fmt: skip
    return shares


def _normalised(
    V: Tensor, k: int, alpha: Tensor, beta: Tensor, square: Tensor, shares: Tensor
) -> tuple[Tensor, Tensor]:
    """Queue V[k+1], alpha[k], beta[k]; given the sum of squares of V[k], those of V[k+1], and where it is not 1."""
    a, ww = shares.sum(dim=0)
    # The sum of squares of w - a v_k. Where it cancels, the quotient below is not 1 and says by how much.
    size = torch.maximum((ww - a * a * (2 - square)).clamp_min(0).sqrt(), _least(beta, k, V.dtype))
    alive = square > 0
    square = _rest(V, k, a, torch.where(alive, 1 / size, 0))
    alpha[k], beta[k] = a, torch.where(alive, size, 0)
    away = (square - 1).abs() > 64 * torch.finfo(V.dtype).eps
    return square, away & alive


def _evened(V: Tensor, k: int, beta: Tensor, square: Tensor, away: Tensor) -> Tensor:
    """Give V[k+1] norm 1 where it is away from it, or end the column; the new sums of squares."""
    factor = torch.where(away, square.sqrt(), 1)
    beta[k] *= factor
    beta[k] = torch.where(beta[k] > _least(beta, k, V.dtype), beta[k], 0)
    _scaled(V[k + 1], V[k + 1], torch.where(beta[k] > 0, 1 / factor, 0))
    return torch.where(away, (beta[k] > 0).double(), square)


def _least(beta: Tensor, k: int, dtype: torch.dtype) -> Tensor:
    """The beta[k] of every column that it ends with, see ``reference.ended``; infinite where it has ended."""
    before = beta[:k].amin(dim=0).clamp(max=1) if k else torch.ones_like(beta[0])
    return ended(dtype) / before


def _seen_later(*numbers: Tensor) -> Callable[[], list[float]]:
    """Numbers for the host, which will wait for them alone and not for what is queued after them."""
    found = torch.stack([number.double() for number in numbers])
    if not found.is_cuda:
        return found.tolist
    host = torch.empty(found.shape, dtype=found.dtype, pin_memory=True)
    host.copy_(found, non_blocking=True)
    there = torch.cuda.Event()
    there.record()

    def read() -> list[float]:
        there.synchronize()
        return host.tolist()  # type: ignore[no-any-return]

    return read


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

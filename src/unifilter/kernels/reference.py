"""Slow and obvious: what every other kernel must agree with."""

from __future__ import annotations

import torch
from torch import Tensor

from unifilter._math import column_dot, column_norm, reciprocal
from unifilter._types import Matmul, Recurrence
from unifilter.kernels.csr import CSR, Places


def spmm(A: CSR, X: Tensor) -> Tensor:
    """``out[i] = s_i (sum_j a_ij s_j x_j + loop s_i x_i)``, one row at a time."""
    Y = A.scale[:, None] * X
    out = A.loop * Y
    indptr = A.indptr.tolist()
    for i in range(X.shape[0]):
        row = slice(indptr[i], indptr[i + 1])
        terms = Y[A.indices[row].long()]
        if A.weights is not None:
            terms = A.weights[row, None] * terms
        out[i] += terms.sum(dim=0)
    return A.scale[:, None] * out


def weighted(A: Places, values: Tensor, X: Tensor) -> Tensor:
    """``out[b, i] = sum_e values[b, e] X[b, j]`` over the entries e = (i, j), one at a time."""
    out = torch.zeros_like(X)
    for e, (i, j) in enumerate(zip(A.rows.tolist(), A.indices.tolist(), strict=True)):
        out[:, i] += values[:, e, None] * X[:, j]
    return out


def sampled(A: Places, G: Tensor, X: Tensor) -> Tensor:
    """``out[b, e] = <G[b, i], X[b, j]>`` at the entries e = (i, j): the adjoint of ``weighted`` in values."""
    out = X.new_zeros(X.shape[0], A.rows.numel())
    for e, (i, j) in enumerate(zip(A.rows.tolist(), A.indices.tolist(), strict=True)):
        out[:, e] = (G[:, i] * X[:, j]).sum(dim=1)
    return out


def softmax(A: Places, scores: Tensor) -> Tensor:
    """``out[b, e] = exp(scores[b, e]) / sum of the same over the row of e``, one row at a time."""
    out = torch.empty_like(scores)
    for i in range(A.indptr.numel() - 1):
        row = slice(int(A.indptr[i]), int(A.indptr[i + 1]))
        out[:, row] = torch.softmax(scores[:, row], dim=1)
    return out


def three_term(A: Matmul, X: Tensor, V: Tensor) -> Recurrence:
    """Lanczos on every column, for anything with ``@``; writes ``V[k] = v_k``.

    The three-term recurrence in Paige's order, inner products in float64. Each new vector is measured against
    all before it, and columns that lost orthogonality have it restored, before the loss can grow. A column
    ends (v_k = 0, beta = 0 from there on) where beta is rounding error, see ``ended``, beside the norm of A:
    ``A.bound`` where A has one, as P does, or else the largest ||A v|| that the column has seen.
    """
    K = V.shape[0] - 1
    r, size = X, column_norm(X)
    norm, largest = size, torch.full_like(size, getattr(A, "bound", 0.0))
    alpha, beta = norm.new_zeros(K, X.shape[1]), norm.new_zeros(K, X.shape[1])
    least = torch.ones_like(size)
    for k in range(K + 1):
        V[k] = r * reciprocal(size).to(X.dtype)
        if k == K:
            break
        w = A @ V[k]
        if k:
            w = w - beta[k - 1].to(X.dtype) * V[k - 1]
        alpha[k] = column_dot(w, V[k])
        r = w - alpha[k].to(X.dtype) * V[k]
        size = column_norm(r)
        before = beta[k - 1] if k else 0 * size
        largest = torch.maximum(largest, (alpha[k] ** 2 + before**2 + size**2).sqrt())
        r, size = reorthogonalise(V[: k + 1], r, size)
        beta[k], least = judged(size, least, largest, X.dtype)
        size = beta[k]
    return Recurrence(alpha, beta, norm)


def reorthogonalise(V: Tensor, r: Tensor, size: Tensor) -> tuple[Tensor, Tensor]:
    """Subtract from r what it has of V, in columns where that is more than ``tolerated``; twice is enough."""
    for _ in range(2):
        inner = torch.stack([(v * r).sum(dim=0) for v in V])
        lost = torch.nonzero(inner.abs().amax(dim=0) > tolerated(V.dtype) * size).flatten()
        if not lost.numel():
            break
        some = r[:, lost]
        for v, h in zip(V, inner, strict=True):
            some = some - h[lost] * v[:, lost]
        r, size = r.index_copy(1, lost, some), size.index_copy(0, lost, column_norm(some))
    return r, size


def tolerated(dtype: torch.dtype) -> float:
    """The inner product of two basis vectors that is let pass: a fifth of what the library promises."""
    return 2e-13 if dtype == torch.float64 else 2e-5


def judged(size: Tensor, least: Tensor, largest: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """A beta, 0 where the column ends; and the least share of the norm of A that it or one before it was."""
    beta = torch.where(size * least > ended(dtype) * largest, size, 0)
    return beta, torch.minimum(least, beta.detach() / torch.where(largest > 0, largest, 1))


def ended(dtype: torch.dtype) -> float:
    """Where a column ends: its beta, times the least one before it if that is below 1, is not above this.

    As shares of the norm of A. A beta of b leaves a vector of which eps / b is rounding error, and so is what
    remains of the next ones beside that. Powers of A lose nothing but rounding errors by it: their share of
    v_k is the product of all betas before.
    """
    return 64 * torch.finfo(dtype).eps


def mix(V: Tensor, C: Tensor) -> Tensor:
    """``out[k] = sum_j C[k, j] V[j]``, column by column; C has shape (J, K+1, d)."""
    return torch.stack([sum((c[j] * V[j] for j in range(1, V.shape[0])), c[0] * V[0]) for c in C])


def correlate(G: Tensor, V: Tensor) -> Tensor:
    """``out[k, j] = sum_n G[k, n] V[j, n]``, column by column: the adjoint of ``mix`` in C."""
    return torch.stack([torch.stack([(g * v).sum(dim=0) for v in V]) for g in G])


def keep(seed: int, shape: tuple[int, int, int], p: float, device: torch.device) -> Tensor:
    """Which entries of (K+1, n, d) survive dropout with rate p: a hash of their place and the seed.

    A function of the place, so that the backward pass draws the same mask again instead of storing it, and a
    different kernel draws the same mask as this one.
    """
    K1, n, d = shape
    place = torch.arange(n, device=device)[:, None] * K1 + torch.arange(K1, device=device)
    key = scramble(torch.tensor(seed, device=device))
    first = scramble(place * 0x9E3779B9 + key)[:, :, None]
    second = scramble(first + torch.arange(d, device=device) * 0x9E3779B9)
    return (second >= threshold(p)).transpose(0, 1)


def scramble(x: Tensor) -> Tensor:
    """32 bits to 32 bits, each output bit depending on every input bit (the finaliser "lowbias32")."""
    x = x & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def threshold(p: float) -> int:
    """Of 2^32 values, those below it are dropped."""
    return min(2**32 - 1, round(p * 2**32))


def mix_dropped(V: Tensor, C: Tensor, p: float, seed: int, lower: bool) -> Tensor:
    """``sum_k m_k sum_j C[k, j] V[j] / (1 - p)`` with m = ``keep``: dropout on the basis, then its sum.

    ``lower`` promises that C[k, j] = 0 for j > k, which the fast kernels then do not read.
    """
    mask = keep(seed, (C.shape[0], *V.shape[1:]), p, V.device)
    return (mix(V, C) * mask).sum(dim=0) / (1 - p)


def correlate_dropped(G: Tensor, V: Tensor, J: int, p: float, seed: int, lower: bool) -> Tensor:
    """``out[k, j] = sum_n m_k G V[j] / (1 - p)``: the adjoint of ``mix_dropped`` in C."""
    mask = keep(seed, (J, *V.shape[1:]), p, V.device)
    out = correlate(mask * G, V) / (1 - p)
    return out * torch.tril(out.new_ones(out.shape[:2]))[:, :, None] if lower else out

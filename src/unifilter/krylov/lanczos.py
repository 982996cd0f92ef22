"""Lanczos on every feature column: the only propagation in the library."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from unifilter._checks import check_count, check_finite, check_signal
from unifilter._math import peaks
from unifilter._types import FusedMatmul, Matmul, Recurrence
from unifilter.kernels import reference
from unifilter.krylov.tridiagonal import Tridiagonal

WORKSPACE = 2**28  # bytes of V that a block of columns may hold outside the result


class Krylov(NamedTuple):
    """V (K+1, n, d), orthonormal for every column; T, tridiagonal; norm (d,), that of every column of X."""

    V: Tensor
    T: Tridiagonal
    norm: Tensor


def lanczos(
    P: Matmul,
    X: Tensor,
    K: int,
    *,
    columns: int | None = None,
    keep_rows: Tensor | None = None,
    out: Tensor | None = None,
) -> Krylov:
    r"""Factorise P on the Krylov space of every column x of X.

    .. math:: P V_{:K} = V T_{:, :K}, \qquad V^T V = I, \qquad v_0 = x / \|x\|

    so that every polynomial p of degree <= K is p(P) x = ||x|| V p(T) e1.

    Parameters
    ----------
    P : anything with ``@``
        Symmetric, n rows. With :func:`unifilter.propagation` the recurrence runs in one fused kernel.
    X : Tensor of shape (n, d) or (n,)
        Signals. dtype and device of the result are its.
    K : int
        Hops: V gets K + 1 vectors.
    columns : int, optional
        Columns to work on at a time; by default as many as keep the memory beside the result bounded.
    keep_rows : Tensor of indices, or of n truth values, optional
        Nodes whose rows of V are kept, for instance the labelled ones of a huge graph. T needs them all and
        is the same.
    out : Tensor of shape (K+1, rows, d), optional
        Where V is written, for instance a memory map.

    Returns
    -------
    Krylov(V, T, norm). Where X requires gradients (a layer on learned features), they flow through the
    recurrence, not fused and in the precision of X.

    Notes
    -----
    Cost: K products with P on (n, d), and K^2/2 inner products of n numbers for each column.

    Orthogonality is measured, not hoped for: every new vector against all before it. Columns that lost it
    (next to a breakdown, or after many hops) have it restored at once, others pay nothing more. So
    ``max |V^T V - I|`` stays below 1e-4 in float32 and 1e-12 in float64, for any K. Alpha, beta and norms are
    accumulated in float64.

    A zero column has V = 0, T = 0 and norm 0. A column whose Krylov space is exhausted after j < K hops (its
    next beta, on the scale of the normalised column, is rounding error) has v_k = 0 and T = 0 from there on,
    and every polynomial of it is still exact. n <= K is such a case.

    Examples
    --------
    >>> from unifilter import Graph, propagation
    >>> P = propagation(Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]]), dtype=torch.float64)
    >>> x = torch.tensor([[3.0], [4.0], [0.0], [0.0]], dtype=torch.float64)
    >>> V, T, norm = lanczos(P, x, K=2)
    >>> V.shape, norm
    (torch.Size([3, 4, 1]), tensor([5.], dtype=torch.float64))
    >>> torch.allclose(norm * (V[0] * T.alpha[0] + V[1] * T.beta[0]), P @ x)
    True
    """
    K = check_count(K, "K")
    if all(hasattr(P, name) for name in ("shape", "dtype", "device")):  # the fused kernel trusts its caller
        check_signal(X, P.shape[0], P.dtype, P.device)  # type: ignore[attr-defined]
    X = X[:, None] if X.dim() == 1 else X
    if keep_rows is not None:
        keep_rows = torch.as_tensor(keep_rows, device=X.device)
        keep_rows = torch.arange(X.shape[0], device=X.device)[keep_rows]  # of a mask, where it is true
    if X.requires_grad and torch.is_grad_enabled():
        if out is not None:
            raise ValueError("out has no gradients: leave it out where X requires them, or detach X.")
        return _differentiable(P, X, K, keep_rows)
    X = X.contiguous()  # the fused kernels read rows as they lie in memory
    n, d = X.shape
    rows = n if keep_rows is None else keep_rows.numel()
    shape = (K + 1, rows, d)
    if out is not None and (out.shape != shape or out.dtype != X.dtype):
        raise ValueError(
            f"out must have shape {shape} and dtype {X.dtype}, not {tuple(out.shape)} and {out.dtype}."
        )
    V = out if out is not None and (d < 2 or out.stride(2) == 1) else X.new_empty(shape)
    if columns is not None:
        columns = check_count(columns, "columns", least=1)
    else:
        bounded = max(16, WORKSPACE // max(1, (K + 1) * n * X.element_size()))
        columns = d if keep_rows is None and isinstance(P, FusedMatmul) else bounded
    alpha, beta, norm = X.new_zeros(K, d), X.new_zeros(K, d), X.new_zeros(d)
    with torch.no_grad():
        for at in range(0, d, columns or 1):
            block = slice(at, at + columns)
            Vb = V[:, :, block] if keep_rows is None else X.new_empty(K + 1, n, X[:, block].shape[1])
            found = _block(P, X[:, block], Vb)
            alpha[:, block], beta[:, block] = found.alpha.to(X.dtype), found.beta.to(X.dtype)
            norm[block] = found.norm.to(X.dtype)
            if keep_rows is not None:
                V[:, :, block] = Vb[:, keep_rows]
    if out is not None and V is not out:
        V = out.copy_(V)
    return Krylov(V, Tridiagonal(alpha, beta), norm)


def _block(P: Matmul, X: Tensor, V: Tensor) -> Recurrence:
    """Lanczos; once more for columns so long or short that float64 cannot hold the square of their norm."""
    found = _factorise(P, X, V)
    if not torch.isfinite(found.norm).all():
        check_finite(X, "X")
    least = max(1e-140, 4 / torch.finfo(X.dtype).max)  # what divides by less overflows
    extreme = torch.nonzero(~((found.norm > least) & (found.norm < 1e140))).flatten()
    if extreme.numel():
        some = X[:, extreme]
        peak = peaks(some)
        Vs = V.new_empty(*V.shape[:2], extreme.numel())
        again = _factorise(P, some / peak, Vs)
        V[:, :, extreme] = Vs
        found.alpha[:, extreme], found.beta[:, extreme] = again.alpha, again.beta
        found.norm[extreme] = peak.double() * again.norm
    return found


def _factorise(P: Matmul, X: Tensor, V: Tensor) -> Recurrence:
    return P.three_term(X, V) if isinstance(P, FusedMatmul) else reference.three_term(P, X, V)


def _differentiable(P: Matmul, X: Tensor, K: int, keep_rows: Tensor | None) -> Krylov:
    """The recurrence of ``reference.three_term`` with gradients; orthogonality is restored as there."""
    check_finite(X, "X")
    r, size = X, _norm(X)
    norm, vectors, alphas, betas = size, list[Tensor](), list[Tensor](), list[Tensor]()
    largest, least = torch.full_like(size, getattr(P, "bound", 0.0)).detach(), torch.ones_like(size).detach()
    for k in range(K + 1):
        alive = size > 0  # an exhausted column stays 0
        vectors.append(torch.where(alive, r / torch.where(alive, size, 1), 0))
        if k == K:
            break
        w = P @ vectors[-1]
        if k:
            w = w - size * vectors[-2]
        alpha = (w * vectors[-1]).sum(dim=0)
        r = w - alpha * vectors[-1]
        with torch.no_grad():
            before = size if k else 0 * size
            largest = torch.maximum(largest, (alpha**2 + before**2 + _norm(r) ** 2).sqrt())
        r = _restored(vectors, r)
        size = _norm(r)
        size, least = reference.judged(size, least, largest, X.dtype)
        alphas.append(alpha)
        betas.append(size)
    V = torch.stack(vectors)
    T = Tridiagonal(*(torch.stack(a) if K else X.new_zeros(0, X.shape[1]) for a in (alphas, betas)))
    return Krylov(V if keep_rows is None else V[:, keep_rows], T, norm)


def _restored(vectors: list[Tensor], r: Tensor) -> Tensor:
    """Without what r has of earlier vectors, in columns where that is too much; to measure needs no graph."""
    for _ in range(2):
        with torch.no_grad():
            inner = torch.stack([(v * r).sum(dim=0) for v in vectors]).abs().amax(dim=0)
            lost = inner > reference.tolerated(r.dtype) * _norm(r)
        if not bool(lost.any()):
            break
        for v in vectors:
            r = r - torch.where(lost, (v * r).sum(dim=0), 0) * v
    return r


def _norm(r: Tensor) -> Tensor:
    """Norm of every column, 0 with gradient 0 where the column is; no square of it is too large or small."""
    peak = peaks(r)
    square = ((r / peak) ** 2).sum(dim=0)
    alive = square > 0
    return peak * torch.where(alive, torch.where(alive, square, 1).sqrt(), 0)

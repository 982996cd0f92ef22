"""How far Lanczos vectors drift from orthogonality, and what puts them right afterwards.

Rounding errors grow from step to step by a recurrence of their own (Simon, 1984) that needs alpha and beta
only: it says when to look. Looking gives the inner products G = V^T V; with G = R^T R, R upper triangular,
V R^-1 is orthonormal, and P V = V T becomes P (V R^-1) = (V R^-1) (R T R^-1). That matrix is tridiagonal,
up to rounding errors, because P is symmetric. So a drift of a few per cent is put right exactly, for many
vectors in one pass. All in float64, column by column.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


def expected(before: Tensor, now: Tensor, alpha: Tensor, beta: Tensor, noise: float) -> Tensor:
    """Inner products of v_{k+1} with v_0 ... v_{k+1}, of shape (k+2, d), as the recurrence expects them.

    Parameters
    ----------
    before, now : Tensors of shape (k, d) and (k+1, d)
        Those of v_{k-1} and of v_k, the last one 1.
    alpha, beta : Tensors of shape (k+1, d)
        Of T so far.
    noise : float
        Rounding error of one step, added in the direction that does harm.
    """
    k = alpha.shape[0] - 1
    found = torch.cat([now.new_zeros(k, now.shape[1]), noise * torch.ones_like(now[:1]), now[-1:]])
    if k:
        found[:k] = beta[:k] * now[1:] + (alpha[:k] - alpha[k]) * now[:k] - beta[k - 1] * before
        found[1:k] += beta[: k - 1] * now[: k - 1]
        found[:k] += torch.where(found[:k] < 0, -noise, noise)
    found[: k + 1] *= torch.where(beta[k] > 0, 1 / beta[k], 0)
    return found


class Correction(NamedTuple):
    """``V'[i] = sum_j C[i, j] V[j]`` for the new vectors, and their alpha and beta."""

    C: Tensor
    alpha: Tensor
    beta: Tensor


def correction(
    G: Tensor, lost: Tensor, alpha: Tensor, beta: Tensor, least: Tensor, ended: float
) -> Correction:
    """What makes some new vectors orthonormal, among themselves and to the old ones, which are already.

    Parameters
    ----------
    G : Tensor of shape (new, old + new, d)
        Inner products of the new vectors with all; what stands above the diagonal is not read.
    lost : Tensor of shape (d,)
        Columns to be put right; others stay as they are, to the bit.
    alpha, beta : Tensors of shape (new + 1, d)
        Rows k-1 ... of T, where the first new vector is v_{k+1}; the first row is 0 if k = 0.
    least : Tensor of shape (d,)
        Of all betas before the new vectors, at most 1.
    ended : float
        A column ends where a beta, times the least before it, is not above this.
    """
    new = G.shape[0]
    old = G.shape[1] - new
    B = torch.where(lost, G[:, :old], 0)
    S = G[:, old:] - torch.einsum("aid,bid->abd", B, B)
    one = torch.eye(new, dtype=G.dtype, device=G.device)[:, :, None]
    S = torch.where(lost, S + one * (S == 0), one)  # the vectors of a column that has ended are 0
    if new == 1:
        S = S.clamp_min(1e-4)  # nothing left beside rounding errors: look again
    L = torch.linalg.cholesky_ex(S.permute(2, 0, 1)).L
    back = torch.linalg.solve_triangular(L, one[:, :, 0].expand_as(L), upper=False).permute(1, 2, 0)
    L = L.permute(1, 2, 0)
    C = torch.cat([-torch.einsum("iad,aod->iod", back, B), back], dim=1)
    diagonal = torch.cat([torch.ones_like(B[:1, 0]), *(L[i, i][None] for i in range(new))])
    above = torch.stack([B[0, -1], *(L[i + 1, i] for i in range(new - 1))]) / diagonal[:-1]
    gained = beta * torch.cat([torch.zeros_like(above[:1]), above])
    ratio = diagonal[1:] / diagonal[:-1]
    later = beta[1:] * ratio
    before = torch.cat([least[None], later[:-1]]).cummin(dim=0).values
    alive = torch.cumprod((later * before > ended).to(G.dtype), dim=0)
    held = torch.cat([torch.ones_like(alive[:1]), alive[:-1]])
    return Correction(C * alive[:, None], (alpha[1:] + gained[1:] - gained[:-1]) * held, later * alive)


def sound(G: Tensor) -> int:
    """How many of the new vectors can be put right together: those whose inner products leave G definite."""
    new = G.shape[0]
    old = G.shape[1] - new
    size = G.abs()
    size[:, old:] += torch.tril(size[:, old:].permute(2, 0, 1), -1).permute(2, 1, 0)
    for count in range(new, 1, -1):
        block = size[:count, : old + count].sum(dim=1) - torch.stack([size[i, old + i] for i in range(count)])
        if bool((block <= 0.5).all()):
            return count
    return 1


def distance(G: Tensor) -> Tensor:
    """The largest distance from orthonormality of every new vector and column, 0 vectors not counted."""
    new = G.shape[0]
    away = G.clone()
    for i in range(new):
        away[i, i - new] -= (G[i, i - new] > 0).to(G.dtype)
    return away.abs().amax(dim=1)

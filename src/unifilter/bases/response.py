"""What a filter does to each frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.bases.polynomial import monomial


@dataclass(frozen=True)
class Diagonal:
    """A diagonal matrix: a basis of it is the basis as a function of its entries ``t``, shape (q,).

    Examples
    --------
    >>> Diagonal(torch.tensor([0.5, -1.0])) @ torch.ones(2, 1)
    tensor([[ 0.5000],
            [-1.0000]])
    """

    t: Tensor

    def __matmul__(self, x: Tensor) -> Tensor:
        return self.t.reshape(-1, *[1] * (x.dim() - 1)) * x


def response(
    coefficients: Tensor, lam: Tensor, basis: Callable[[Matmul, Tensor, int], Tensor] = monomial
) -> Tensor:
    r"""Frequency response of a filter.

    .. math:: g(\lambda) = \sum_k w_k\, p_k(1 - \lambda)

    Parameters
    ----------
    coefficients : Tensor of shape (K+1,) or (K+1, d)
        Weights of the basis, one set for all columns or one for each.
    lam : Tensor of shape (q,)
        Frequencies in [0, 2], the eigenvalues of L = I - P.
    basis : basis(A, x, K)
        ``monomial``, ``chebyshev``, ... with weights of that basis; ``orthonormal(T, norm)`` with
        coefficients in V, which is what UniBasis, the heterophily and the released basis come as.

    Returns
    -------
    Tensor of shape (q,), or (q, d) where the coefficients or the basis differ from column to column.
    Differentiable in the coefficients.

    Examples
    --------
    >>> response(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0, 2.0]))  # P itself: low-pass
    tensor([ 1.,  0., -1.])
    """
    K = coefficients.shape[0] - 1
    weights = coefficients if coefficients.dim() == 2 else coefficients[:, None]
    lam = lam if lam.is_floating_point() else lam.to(coefficients.dtype)
    ones = torch.ones(lam.shape[0], weights.shape[1], dtype=lam.dtype, device=lam.device)
    p = basis(Diagonal(1 - lam), ones, K)
    g = torch.einsum("kd,kqd->qd", weights.to(p.dtype).expand(-1, p.shape[2]), p)
    return g if coefficients.dim() == 2 or g.shape[1] > 1 else g[:, 0]

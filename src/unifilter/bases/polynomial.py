"""Polynomial bases, each a recurrence that does not know what it runs on."""

from __future__ import annotations

import torch
from torch import Tensor

from unifilter._checks import check_count
from unifilter._types import Matmul


def monomial(A: Matmul, x: Tensor, K: int) -> Tensor:
    r"""Powers, stacked: ``out[k] = A^k x``; with A = P the paper's homophily basis.

    .. math:: p_k(t) = t^k

    Cost: K products with A. Result ``(K+1, *x.shape)``.

    Examples
    --------
    >>> from unifilter.bases import Diagonal
    >>> monomial(Diagonal(torch.tensor([0.5])), torch.ones(1), K=3).flatten()
    tensor([1.0000, 0.5000, 0.2500, 0.1250])
    """
    _reach(A, K)
    p = [x]
    while len(p) <= K:
        p.append(A @ p[-1])
    return torch.stack(p)


def chebyshev(A: Matmul, x: Tensor, K: int) -> Tensor:
    r"""Chebyshev polynomials of the first kind, stacked: ``out[k] = T_k(A) x``.

    .. math:: T_0(t) = 1, \quad T_1(t) = t, \quad T_{k+1}(t) = 2t\,T_k(t) - T_{k-1}(t)

    ``A`` has its spectrum in [-1, 1]. Cost: K products with A. Result ``(K+1, *x.shape)``.

    Examples
    --------
    >>> from unifilter.bases import Diagonal
    >>> chebyshev(Diagonal(torch.tensor([0.5])), torch.ones(1), K=3).flatten()
    tensor([ 1.0000,  0.5000, -0.5000, -1.0000])
    """
    _reach(A, K)
    p = [x] if K == 0 else [x, A @ x]
    while len(p) <= K:
        p.append(2 * (A @ p[-1]) - p[-2])
    return torch.stack(p)


def legendre(A: Matmul, x: Tensor, K: int) -> Tensor:
    r"""Legendre polynomials, stacked: ``out[k] = P_k(A) x``.

    .. math:: (k+1) P_{k+1}(t) = (2k+1)\, t\, P_k(t) - k P_{k-1}(t)

    ``A`` has its spectrum in [-1, 1]. Cost: K products with A. Result ``(K+1, *x.shape)``.

    Examples
    --------
    >>> from unifilter.bases import Diagonal
    >>> legendre(Diagonal(torch.tensor([0.5])), torch.ones(1), K=2).flatten()
    tensor([ 1.0000,  0.5000, -0.1250])
    """
    return jacobi(A, x, K, a=0.0, b=0.0)


def jacobi(A: Matmul, x: Tensor, K: int, a: float = 1.0, b: float = 1.0) -> Tensor:
    r"""Jacobi polynomials, stacked: ``out[k] = P_k^{(a,b)}(A) x``.

    .. math::
        P_1(t) &= \tfrac{a-b}{2} + \tfrac{a+b+2}{2} t \\
        P_k(t) &= (\theta_k t + \theta'_k) P_{k-1}(t) - \theta''_k P_{k-2}(t)

    with, for c = 2k + a + b,

    .. math::
        \theta_k = \tfrac{c(c-1)}{2k(k+a+b)}, \quad
        \theta'_k = \tfrac{(c-1)(a^2-b^2)}{2k(k+a+b)(c-2)}, \quad
        \theta''_k = \tfrac{(k+a-1)(k+b-1)c}{k(k+a+b)(c-2)}

    Orthogonal on [-1, 1] for the weight (1-t)^a (1+t)^b with a, b > -1. Cost: K products with A.
    Result ``(K+1, *x.shape)``.

    Examples
    --------
    >>> from unifilter.bases import Diagonal
    >>> jacobi(Diagonal(torch.tensor([1.0])), torch.ones(1), K=2, a=1.0, b=0.0).flatten()
    tensor([1., 2., 3.])
    """
    _reach(A, K)
    p = [x] if K == 0 else [x, (a - b) / 2 * x + (a + b + 2) / 2 * (A @ x)]
    for k in range(2, K + 1):
        c = 2 * k + a + b
        scale = 2 * k * (k + a + b)
        first = c * (c - 1) / scale
        second = (c - 1) * (a**2 - b**2) / (scale * (c - 2))
        third = 2 * (k + a - 1) * (k + b - 1) * c / (scale * (c - 2))
        p.append(first * (A @ p[-1]) + second * p[-1] - third * p[-2])
    return torch.stack(p)


def bernstein(A: Matmul, x: Tensor, K: int) -> Tensor:
    r"""Bernstein polynomials of lambda = 1 - t, stacked: ``out[k]`` peaks at the frequency lambda = 2k/K.

    .. math:: b_k(t) = \binom{K}{k} \Bigl(\frac{1+t}{2}\Bigr)^{K-k} \Bigl(\frac{1-t}{2}\Bigr)^{k}
              = 2^{-K} \binom{K}{k} (2-\lambda)^{K-k} \lambda^k

    They are non-negative on [-1, 1] and add up to 1. Result ``(K+1, *x.shape)``.

    Cost: K(K+1)/2 products with A, as every one of them has degree K; nothing on the small side. All terms
    are means of terms, so no digit is lost, whatever K. The weighted sum of all needs only 2K products, see
    the model BernNet.

    Examples
    --------
    >>> from unifilter.bases import Diagonal
    >>> bernstein(Diagonal(torch.tensor([0.5])), torch.ones(1), K=2).flatten()
    tensor([0.5625, 0.3750, 0.0625])
    """
    _reach(A, K)
    p = [x]
    for _ in range(K):  # from degree n to n + 1: every one is lowered by N and raised by M
        q = [torch.zeros_like(x)] * (len(p) + 1)
        for k, y in enumerate(p):
            Ay = A @ y
            q[k], q[k + 1] = q[k] + (y + Ay) / 2, q[k + 1] + (y - Ay) / 2
        p = q
    return torch.stack(p)


def _reach(A: Matmul, K: int) -> None:
    """A degree; the small matrix of K hops stands for P up to degree K, and for nothing beyond."""
    check_count(K, "K")
    hops = getattr(A, "K", K)
    if hops < K:
        raise ValueError(f"T has {hops} hops, so it reaches polynomials of that degree, but K is {K}.")

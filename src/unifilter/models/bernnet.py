"""BernNet. He et al.: Learning Arbitrary Graph Spectral Filters via Bernstein Approximation, NeurIPS 2021.

Filters H, 2K products a step: sum_k relu(w_k) b_k(P) MLP(X), b_k the Bernstein polynomials of degree K, P
without self-loops. The authors' code and ``bases.bernstein`` take K + K(K+1)/2 products for the same sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.models._filtering import Decoupled, Options
from unifilter.models._registry import Card, register


@dataclass(frozen=True)
class Config(Options):
    """Options of BernNet: those of :class:`unifilter.models._filtering.Options`."""


CARD = Card(
    "BernNet",
    "He et al.: BernNet: Learning Arbitrary Graph Spectral Filters via Bernstein Approximation, NeurIPS",
    2021,
    "polynomial filter",
    "H, 2K products a step",
    "n d h + 2 K m c",
)


@register("bernnet", Config, CARD)
class BernNet(Decoupled):
    """A non-negative filter, close to ``relu(w[k])`` at lambda = 2k/K, on the output of an MLP.

    It starts as the identity, w = 1. A value that training drives below 0 stays 0: relu has no slope there.
    """

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__(config, d, classes, torch.ones(config.K + 1))

    def filter(self, A: Matmul, H: Tensor) -> Tensor:
        """The sum of relu(w_k) b_k(A) H."""
        return bernstein_sum(A, H, torch.relu(self.w))


def bernstein_sum(A: Matmul, x: Tensor, w: Tensor) -> Tensor:
    r"""A weighted sum of Bernstein polynomials in 2K products, none of the K+1 terms written out.

    .. math:: \sum_{k=0}^{K} w_k \binom{K}{k} N^{K-k} M^k x, \qquad
              M = \frac{I - A}{2}, \quad N = \frac{I + A}{2}

    M and N commute, so Horner's rule in N can take up the powers of M as they come:

    .. math:: u_k = M u_{k-1}, \qquad y_k = N y_{k-1} + w_k \tbinom{K}{k} u_k

    from u_0 = x, y_0 = w_0 x; the sum is y_K. Result of the shape of x. Binomials meet small vectors: beyond
    K = 20 or so, float32 loses digits that :func:`unifilter.bases.bernstein` keeps.

    Examples
    --------
    >>> from unifilter.bases import Diagonal
    >>> bernstein_sum(Diagonal(torch.tensor([0.5])), torch.ones(1), torch.tensor([1.0, 0.0, 4.0]))
    tensor([0.8125])
    """
    K = w.shape[0] - 1
    w = w.to(x.dtype)
    u, y = x, w[0] * x
    for k in range(1, K + 1):
        u = (u - A @ u) / 2
        y = (y + A @ y) / 2 + math.comb(K, k) * w[k] * u
    return y

"""The paper's heterophily basis, in closed form."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def heterophily(K: int, h: float | Tensor) -> Tensor:
    r"""Coefficients in V of the heterophily basis: unit vectors that all meet at the angle theta.

    .. math::
        u_0 = v_0, \qquad
        u_k = \frac{c}{1+(k-1)c} \sum_{i<k} u_i + \sqrt{\frac{(1-c)(1+kc)}{1+(k-1)c}}\, v_k,
        \qquad c = \cos\theta, \quad \theta = \tfrac{\pi}{2}(1-h)

    What Algorithm 1 of the paper computes from 2K products is U = V L^T with L the Cholesky factor of the
    Gram matrix (1-c) I + c 11^T. The closed form has no division by c and no square root of a difference:
    h = 0 gives u_k = v_k, h = 1 gives u_k = u_0, and it is differentiable in h on all of [0, 1].

    Parameters
    ----------
    K : int
        Hops.
    h : float or Tensor
        Homophily ratio in [0, 1]; a tensor may hold one per column.

    Returns
    -------
    Tensor of shape (K+1, K+1, *h.shape), lower triangular: ``out[k, j]`` weighs v_j in u_k. No product with
    P.

    Notes
    -----
    All angles are theta as long as the v_k exist: from where a column's Krylov space is exhausted, v_k = 0
    and u_k is shorter than 1.

    Examples
    --------
    >>> L = heterophily(2, 1 / 3)
    >>> torch.round(L @ L.T, decimals=4)
    tensor([[1.0000, 0.5000, 0.5000],
            [0.5000, 1.0000, 0.5000],
            [0.5000, 0.5000, 1.0000]])
    """
    h = torch.as_tensor(h, dtype=None if isinstance(h, Tensor) else torch.get_default_dtype())
    theta = math.pi / 2 * (1 - h)
    c = torch.cos(theta)
    root = math.sqrt(2) * torch.sin(theta / 2)  # sqrt(1 - c), smooth where 1 - c is 0
    zero = torch.zeros_like(c)
    u = [torch.stack([torch.ones_like(c)] + [zero] * K)]
    total = u[0]
    for k in range(1, K + 1):
        below = 1 + (k - 1) * c
        new = root * torch.sqrt((1 + k * c) / below)
        unit = torch.stack([new if j == k else zero for j in range(K + 1)])
        u.append(c / below * total + unit)
        total = total + u[-1]
    return torch.stack(u)

"""The paper's heterophily basis, in closed form."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from unifilter._checks import check_count, check_ratio


def heterophily(K: int, h: float | Tensor) -> Tensor:
    r"""Coefficients in V of the heterophily basis: unit vectors that all meet at the angle theta.

    .. math::
        u_0 = v_0, \qquad
        u_k = \frac{c}{1+(k-1)c} \sum_{i<k} u_i + \sqrt{\frac{(1-c)(1+kc)}{1+(k-1)c}}\, v_k,
        \qquad c = \cos\theta, \quad \theta = \tfrac{\pi}{2}(1-h)

    What Algorithm 1 of the paper computes from 2K products is U = V L^T with L the Cholesky factor of the
    Gram matrix (1-c) I + c 11^T. Below its diagonal, each column of L holds one number:

    .. math:: L_{kk} = \sqrt{\frac{(1-c)(1+kc)}{1+(k-1)c}}, \qquad
              L_{kj} = c \sqrt{\frac{1-c}{(1+(j-1)c)(1+jc)}} \quad (k > j)

    There is no division by c and no root of a difference: h = 0 gives u_k = v_k, h = 1 gives u_k = u_0, and L
    is differentiable in h on all of [0, 1].

    Parameters
    ----------
    K : int
        Hops.
    h : float or Tensor
        Homophily ratio in [0, 1]; a tensor may hold one per column.

    Returns
    -------
    Tensor of shape ``(K+1, K+1, *h.shape)``, lower triangular: ``out[k, j]`` weighs v_j in u_k. No product
    with P.

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
    check_count(K, "K")
    check_ratio(h)
    h = torch.as_tensor(h, dtype=None if isinstance(h, Tensor) else torch.get_default_dtype())
    theta = math.pi / 2 * (1 - h)
    c = torch.cos(theta)
    root = math.sqrt(2) * torch.sin(theta / 2)  # sqrt(1 - c), smooth where 1 - c is 0
    k = torch.arange(1, K + 1, dtype=h.dtype, device=h.device).reshape(-1, *[1] * h.dim())
    low, high = 1 + (k - 1) * c, 1 + k * c
    diagonal = torch.cat([torch.ones_like(c)[None], root * torch.sqrt(high / low)])
    below = torch.cat([c[None], c * root / torch.sqrt(low * high)])
    row, column = torch.tril_indices(K + 1, K + 1, -1, device=h.device)
    L = torch.diag_embed(diagonal.movedim(0, -1)).movedim((-2, -1), (0, 1))
    return L.index_put((row, column), below[column])

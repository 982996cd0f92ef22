"""What the paper's released code computes, kept apart from what the paper defines."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from unifilter._types import SmallMatrix
from unifilter.bases.polynomial import monomial


def released(
    T: SmallMatrix, norm: Tensor, tau: float | Tensor, h: float | Tensor, K: int | None = None
) -> Tensor:
    r"""Coefficients in V of the basis in the released code, which is not Algorithm 1.

    .. math:: b_0 = x, \qquad b_k = \tau P^k x + (1-\tau)\, u_k, \qquad
              u_k \propto \frac{s_{k-1}}{k} + t_k v_k, \qquad
              t_k^2 = \Bigl(\frac{s_{k-1} \cdot b_{k-1}}{k \cos\theta}\Bigr)^2 - \frac{(k-1)\cos\theta+1}{k}

    It departs from the paper in three places: t_k is taken against the mixed vector b_{k-1} where Eq. 4 has
    u_{k-1}; a root of a negative number is 0; and the first vector is x, neither normalised nor mixed. The
    u_k are unit vectors but do not meet at theta: Theorem 4 fails (``tests/bases/test_released.py``). The
    published numbers come from it, and its hyperparameters were tuned for it.

    Parameters and result as :func:`unibasis`. No product with P; differentiable in tau and h.

    Examples
    --------
    >>> from unifilter import Graph, lanczos, propagation
    >>> P = propagation(Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 1]]), dtype=torch.float64)
    >>> X = 2 * torch.eye(4, dtype=torch.float64)[:, :2]
    >>> V, T, norm = lanczos(P, X, K=2)
    >>> released(T, norm, tau=0.5, h=0.2)[0]
    tensor([[2., 2.],
            [0., 0.],
            [0., 0.]], dtype=torch.float64)
    """
    K = T.beta.shape[0] if K is None else K
    T = T.truncate(K)
    c = torch.cos(math.pi / 2 * (1 - torch.as_tensor(h, dtype=norm.dtype, device=norm.device)))
    powers = monomial(T, norm * T.e1, K)
    b = [powers[0]]
    total = T.e1 * (norm > 0)
    for k in range(1, K + 1):
        square = ((total * b[-1]).sum(dim=0) / (k * c)) ** 2 - ((k - 1) * c + 1) / k
        t = torch.where(square > 0, torch.where(square > 0, square, 1).sqrt(), 0)
        alive = T.beta[k - 1] > 0  # v_k = 0 past the end of a Krylov space
        u = total / k
        u = torch.cat([u[:k], (u[k] + t * alive)[None], u[k + 1 :]])
        u = u / torch.linalg.vector_norm(u, dim=0).clamp_min(1e-8)
        b.append(tau * powers[k] + (1 - tau) * u)
        total = total + u
    return torch.stack(b)

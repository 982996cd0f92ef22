"""The orthonormal basis as what it is: polynomials, which can be frozen and applied elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from unifilter._math import reciprocal
from unifilter._types import Matmul, SmallMatrix


def orthonormal(T: SmallMatrix, norm: Tensor) -> Callable[[Matmul, Tensor, int], Tensor]:
    r"""The Lanczos polynomials of a factorisation, as a basis(A, x, K).

    .. math:: q_0 = 1/\|x\|, \qquad \beta_{k+1} q_{k+1}(t) = (t - \alpha_k)\, q_k(t) - \beta_k\, q_{k-1}(t)

    with alpha, beta and the norm frozen as they were found: q_k(P) x = v_k. Applied to a diagonal of
    frequencies they give the response of any filter on V; applied to P of a grown graph, the filter as it
    was trained. A polynomial beyond the end of a Krylov space (beta = 0) is 0, like its v_k.

    Cost of the basis: K products with A. Result (K+1, n, d), d the number of columns of T.

    Examples
    --------
    >>> from unifilter import Graph, lanczos, propagation
    >>> P = propagation(Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 1]]), dtype=torch.float64)
    >>> X = torch.eye(4, dtype=torch.float64)[:, :2]
    >>> V, T, norm = lanczos(P, X, K=2)
    >>> torch.allclose(orthonormal(T, norm)(P, X, 2), V)
    True
    """

    def basis(A: Matmul, x: Tensor, K: int) -> Tensor:
        hops = T.beta.shape[0]
        if hops < K:
            raise ValueError(f"the factorisation has {hops} hops, so its basis has no vector {K}.")
        q = [x * reciprocal(norm)]
        for k in range(K):
            r = A @ q[-1] - T.alpha[k] * q[-1]
            if k:
                r = r - T.beta[k - 1] * q[-2]
            q.append(r * reciprocal(T.beta[k]))
        return torch.stack(q)

    return basis

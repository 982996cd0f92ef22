"""Spectral signal frequency: how fast a signal changes along the edges."""

from __future__ import annotations

import torch
from torch import Tensor

from unifilter._math import column_dot, peaks
from unifilter._types import Matmul
from unifilter.krylov.lanczos import Krylov
from unifilter.krylov.tridiagonal import Tridiagonal


def signal_frequency(P: Matmul, X: Tensor) -> Tensor:
    r"""Spectral signal frequency of every column of X, in [0, 1].

    .. math:: f(x) = \frac{x^T L x}{2\, x^T x} = \frac12 \Bigl(1 - \frac{x^T P x}{x^T x}\Bigr)

    The definition of the paper, for columns of any norm. 0 is constant along every edge (D^1/2 times
    a constant), 1 alternates on a bipartite graph. A column of zeros has no frequency: NaN.

    Cost: one product with P.

    Examples
    --------
    >>> from unifilter import Graph, propagation
    >>> P = propagation(Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]]))
    >>> X = torch.tensor([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [1.0, -1.0]])
    >>> signal_frequency(P, X).round(decimals=4)
    tensor([0., 1.])
    """
    X = X / peaks(X)
    return (1 - (X * (P @ X)).sum(dim=0) / (X * X).sum(dim=0)) / 2


def frequency(T: Tridiagonal, c: Tensor) -> Tensor:
    r"""Spectral signal frequency of the mixes V c, from T alone.

    .. math:: f(V c) = \frac12 \Bigl(1 - \frac{c^T T c}{c^T c}\Bigr)

    Parameters
    ----------
    T : Tridiagonal
        Complete: see :func:`complete`.
    c : Tensor of shape (K+1, d) or (J, K+1, d)
        Coefficients in V, for instance a basis.

    Returns
    -------
    Tensor of shape (d,) or (J, d). NaN where c is 0.

    Notes
    -----
    No product with P. Exact as far as V is orthonormal; a column whose Krylov space was exhausted has zeros
    in c from there on.
    """
    if not T.is_complete:
        raise ValueError(
            "the frequency needs the last diagonal entry of T, which Lanczos leaves out. "
            "krylov.complete(P, krylov) adds it for one product with P."
        )
    if c.dim() == 3:
        return torch.stack([frequency(T, row) for row in c])
    c = c / peaks(c)
    return (1 - (c * (T @ c)).sum(dim=0) / (c * c).sum(dim=0)) / 2


def complete(P: Matmul, krylov: Krylov) -> Tridiagonal:
    """T with its last diagonal entry v_K^T P v_K. Cost: one product with P. V must hold all rows."""
    T = krylov.T
    if T.is_complete:
        return T
    last = krylov.V[-1]
    entry = column_dot(last, P @ last).to(T.beta.dtype)
    return Tridiagonal(torch.cat([T.alpha, entry[None]]), T.beta)

"""UniBasis: the homophily and the heterophily basis in one."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from unifilter._checks import check_ratio
from unifilter._types import SmallMatrix
from unifilter.bases.heterophily import heterophily
from unifilter.bases.polynomial import monomial

Scale = Literal["paper", "signal"]


def unibasis(
    T: SmallMatrix,
    norm: Tensor,
    tau: float | Tensor,
    h: float | Tensor,
    K: int | None = None,
    scale: Scale = "paper",
) -> Tensor:
    r"""Coefficients in V of the universal polynomial basis.

    .. math:: \tau P^k x + (1 - \tau)\, u_k

    Parameters
    ----------
    T : Tridiagonal
        From :func:`unifilter.lanczos`.
    norm : Tensor of shape (d,)
        The norms of the columns.
    tau : float or Tensor
        Share of the homophily basis, in [0, 1]; a tensor may hold one per column.
    h : float or Tensor
        Homophily ratio, see :func:`heterophily`; a tensor may hold one per column.
    K : int, optional
        Hops, at most those of T, which is the default: one V serves every smaller K.
    scale : {"paper", "signal"}
        "paper" is the formula above, in which P^k x has the size of the data and u_k has norm 1, so tau
        weighs two scales. "signal" takes ||x|| u_k: one scale for both.

    Returns
    -------
    C of shape (K+1, K+1, d): ``C[k, j, i]`` weighs v_j in basis vector k of column i. Lower triangular in
    (k, j). Differentiable in tau and h.

    Notes
    -----
    No product with P: any tau and any h read the same V.

    Examples
    --------
    >>> from unifilter import Graph, lanczos, mix, propagation
    >>> P = propagation(Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 1]]), dtype=torch.float64)
    >>> X = torch.eye(4, dtype=torch.float64)[:, :2]
    >>> V, T, norm = lanczos(P, X, K=2)
    >>> torch.allclose(mix(V, unibasis(T, norm, tau=1.0, h=0.5))[2], P @ (P @ X))
    True
    """
    if scale not in ("paper", "signal"):
        raise ValueError(f'scale must be "paper" or "signal", but is {scale!r}.')
    check_ratio(h)
    K = T.beta.shape[0] if K is None else K
    T = T.truncate(K)
    homophilous = monomial(T, norm * T.e1, K)
    h = torch.as_tensor(h, dtype=norm.dtype, device=norm.device)
    heterophilous = heterophily(K, h)
    if h.dim() == 0:
        heterophilous = heterophilous[:, :, None].expand(K + 1, K + 1, norm.shape[0])
    if scale == "signal":
        heterophilous = norm * heterophilous
    return tau * homophilous + (1 - tau) * heterophilous

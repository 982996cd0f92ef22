"""From the small side back to the large one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from unifilter.kernels import spmm as kernels


def mix(V: Tensor, C: Tensor, out: Tensor | None = None) -> Tensor:
    r"""Basis vectors of P from their coefficients in V.

    .. math:: \text{out}[k, :, i] = \sum_j C[k, j, i] \, V[j, :, i]

    Parameters
    ----------
    V : Tensor of shape (K+1, n, d)
        From :func:`lanczos`.
    C : Tensor of shape (J, K+1, d) or (K+1, d)
        Coefficients of J vectors, or of one.
    out : Tensor of shape (J, n, d), optional
        Where to write; may be V itself if J = K+1. Not differentiable.

    Returns
    -------
    Tensor of shape (J, n, d) or (n, d). Differentiable in C and in V.

    Notes
    -----
    No product with P. V is read once, so the contracted form (w C instead of C) costs one pass over V and
    writes n x d numbers instead of (K+1) x n x d.

    Examples
    --------
    >>> V = torch.randn(3, 5, 2)
    >>> torch.equal(mix(V, torch.tensor([0.0, 1.0, 0.0])[:, None].expand(3, 2)), V[1])
    True
    """
    stack = C if C.dim() == 3 else C[None]
    if C.dim() not in (2, 3) or stack.shape[1:] != (V.shape[0], V.shape[2]):
        raise ValueError(
            f"V has shape {tuple(V.shape)}, so C must have shape ({V.shape[0]}, {V.shape[2]}) or "
            f"(J, {V.shape[0]}, {V.shape[2]}), but has {tuple(C.shape)}."
        )
    if out is not None:
        return kernels.mix(V.detach(), stack.detach(), out)
    Z: Tensor = _Mix.apply(V, stack)  # type: ignore[no-untyped-call]
    return Z if C.dim() == 3 else Z[0]


class _Mix(torch.autograd.Function):
    """C V, with the adjoint in C and, if V was learned, in V."""

    @staticmethod
    def forward(ctx: Any, V: Tensor, C: Tensor) -> Tensor:
        ctx.save_for_backward(V, C)
        return kernels.mix(V, C)

    @staticmethod
    def backward(ctx: Any, G: Tensor) -> tuple[Tensor | None, Tensor | None]:
        V, C = ctx.saved_tensors
        dV = mix(G, C.transpose(0, 1)) if ctx.needs_input_grad[0] else None
        dC = _Correlate.apply(G, V).to(C.dtype) if ctx.needs_input_grad[1] else None  # type: ignore[no-untyped-call]
        return dV, dC


class _Correlate(torch.autograd.Function):
    """The adjoint of mix in C; a function of its own so that second derivatives exist."""

    @staticmethod
    def forward(ctx: Any, G: Tensor, V: Tensor) -> Tensor:
        ctx.save_for_backward(G, V)
        return kernels.correlate(G, V)

    @staticmethod
    def backward(ctx: Any, H: Tensor) -> tuple[Tensor, Tensor]:
        G, V = ctx.saved_tensors
        return mix(V, H), mix(G, H.transpose(0, 1))

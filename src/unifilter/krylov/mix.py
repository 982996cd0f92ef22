"""From the small side back to the large one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from unifilter.kernels import spmm as kernels

HALF = (torch.bfloat16, torch.float16)


def mix(V: Tensor, C: Tensor, out: Tensor | None = None, lower: bool = False) -> Tensor:
    r"""Basis vectors of P from their coefficients in V.

    .. math:: \text{out}[k, :, i] = \sum_j C[k, j, i] \, V[j, :, i]

    Parameters
    ----------
    V : Tensor of shape (K+1, n, d)
        From :func:`lanczos`; may be kept in half precision, the result then has the precision of C.
    C : Tensor of shape (J, K+1, d) or (K+1, d)
        Coefficients of J vectors, or of one.
    out : Tensor of shape (J, n, d), optional
        Where to write; may be V itself if J = K+1. Not differentiable.
    lower : bool
        Promises that C[k, j] = 0 for j > k, what a basis of degree k has: half the work in place on a GPU.

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
        if out.shape != (stack.shape[0], *V.shape[1:]) or out.device != V.device:
            raise ValueError(
                f"out must have shape {(stack.shape[0], *V.shape[1:])} and lie on {V.device}, but has shape "
                f"{tuple(out.shape)} and lies on {out.device}."
            )
        return kernels.mix(V.detach(), stack.detach(), out, lower)
    Z: Tensor = _Mix.apply(V, stack)  # type: ignore[no-untyped-call]
    return Z if C.dim() == 3 else Z.squeeze(0)  # a view: the way back of Z[0] would fill zeros and copy


def mix_dropped(
    V: Tensor,
    C: Tensor,
    p: float,
    seed: int | Tensor,
    lower: bool = False,
    dtype: torch.dtype | None = None,
) -> Tensor:
    r"""The sum of a basis under dropout, without writing the basis.

    .. math:: \text{out} = \sum_k m_k \odot \frac{1}{1-p} \sum_j C[k, j] \, V[j]

    with m_k random masks of rate p, drawn by a hash of the seed and of each entry's place. What dropout on
    the (K+1, n, d) basis followed by a sum over k gives, as the paper's model has it, but V is read once and
    only (n, d) numbers are written; the backward pass draws the masks again.

    Parameters
    ----------
    V : Tensor of shape (K+1, n, d)
    C : Tensor of shape (K+1, K+1, d)
        Coefficients of the basis, the weights w_k included. Differentiable.
    p : float
        Rate, below 1.
    seed : int or 0-dimensional Tensor
        Below 2^32.
    lower : bool
        Promises that C[k, j] = 0 for j > k, now and later: what a basis of degree k has. Half the work.
    dtype : torch.dtype, optional
        Of the result, where V is kept in half precision; that of C if not given.

    Examples
    --------
    >>> V, C = torch.ones(2, 1000, 8), torch.eye(2)[:, :, None].expand(2, 2, 8)
    >>> Z = mix_dropped(V, C, p=0.5, seed=1)
    >>> sorted(Z.unique().tolist())
    [0.0, 2.0, 4.0]
    """
    if not 0 <= p < 1:
        raise ValueError(f"the dropout rate must lie in [0, 1), but is {p}.")
    Z: Tensor = _MixDropped.apply(V, C, p, seed, lower)  # type: ignore[no-untyped-call]
    return Z.to(dtype or C.dtype) if V.dtype in HALF else Z


class _Mix(torch.autograd.Function):
    """C V, with the adjoint in C and, if V was learned, in V."""

    @staticmethod
    def forward(ctx: Any, V: Tensor, C: Tensor) -> Tensor:
        ctx.save_for_backward(V, C)
        out = V.new_empty(C.shape[0], *V.shape[1:], dtype=C.dtype) if V.dtype in HALF else None
        return kernels.mix(V, C, out)

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


class _MixDropped(torch.autograd.Function):
    """Dropout on C V and its sum, with the adjoint in C."""

    @staticmethod
    def forward(ctx: Any, V: Tensor, C: Tensor, p: float, seed: int | Tensor, lower: bool) -> Tensor:
        ctx.save_for_backward(V)
        ctx.drawn = C.shape[0], p, seed, lower
        return kernels.mix_dropped(V, C, p, seed, lower)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, G: Tensor) -> tuple[None, Tensor, None, None, None]:
        (V,) = ctx.saved_tensors
        return None, kernels.correlate_dropped(G, V, *ctx.drawn), None, None, None

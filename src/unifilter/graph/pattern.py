"""Sparse matrices whose places are fixed and whose entries are learned: what attention multiplies by."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from unifilter._types import IntArray
from unifilter.kernels import spmm as kernels
from unifilter.kernels.csr import Places


class Pattern:
    r"""The places (i, j) of e entries in an n x n matrix, sorted by row; made by :meth:`of`.

    A place may be named more than once: its entries are then added. All methods can be differentiated, more
    than once, and run under ``torch.func.vmap``: a bundle of models has its entries in the same places.

    .. math:: (A X)_i = \sum_{e = (i, j)} a_e x_j, \qquad
              \frac{\partial L}{\partial X} = A^T G, \quad
              \frac{\partial L}{\partial a_e} = \langle g_i, x_j \rangle

    Entries may come for b matrices at once, heads of an attention say: (b, e) with blocks (b, n, d). The
    transpose is prepared once; no product writes anything as large as (e, d).

    Examples
    --------
    >>> A = Pattern.of(np.array([0, 0, 2]), np.array([1, 2, 0]), n=3)
    >>> A.product(torch.tensor([1.0, 10.0, 5.0]), torch.tensor([[1.0], [2.0], [3.0]]))
    tensor([[32.],
            [ 0.],
            [ 5.]])
    >>> A.softmax(torch.tensor([1.0, 1.0, 7.0]))
    tensor([0.5000, 0.5000, 1.0000])
    """

    def __init__(self, places: Places, transposed: Places, order: Tensor, back: Tensor) -> None:
        self._places, self._transposed, self._order, self._back = places, transposed, order, back

    @staticmethod
    def of(rows: IntArray, columns: IntArray, n: int) -> Pattern:
        """Of entries sorted by row, in which order their values will come."""
        first = np.lexsort((rows, columns))  # the entries of the transpose, in terms of ours
        i, j, order = (torch.from_numpy(np.asarray(a, np.int64)) for a in (rows, columns, first))
        return Pattern(Places.of(i, j, n), Places.of(j[order], i[order], n), order, torch.argsort(order))

    @property
    def T(self) -> Pattern:
        """The places of the transpose; entries a are a[order] there."""
        return Pattern(self._transposed, self._places, self._back, self._order)

    @property
    def rows(self) -> Tensor:
        """The row of every entry, (e,)."""
        return self._places.rows

    @property
    def columns(self) -> Tensor:
        """The column of every entry, (e,)."""
        return self._places.indices

    def to(self, device: torch.device | str) -> Pattern:
        """The same on another device."""
        places, transposed = self._places.to(device), self._transposed.to(device)
        return Pattern(places, transposed, self._order.to(device), self._back.to(device))

    def product(self, values: Tensor, X: Tensor) -> Tensor:
        """A X for entries (e,) and X (n, d); a row without entries gives 0."""
        return _members(_Product, self, values, X, single=values.dim() == 1)

    def sampled(self, G: Tensor, X: Tensor) -> Tensor:
        """<g_i, x_j> for every entry (i, j), of G and X (n, d): G X^T at the places, (e,)."""
        return _members(_Sampled, self, G, X, single=G.dim() == 2)

    def sums(self, left: Tensor, right: Tensor) -> Tensor:
        """left_i + right_j for every entry (i, j), of two vectors (n,): <(left_i, 1), (1, right_j)>."""
        one = torch.ones_like(left)
        return self.sampled(torch.stack([left, one], dim=-1), torch.stack([one, right], dim=-1))

    def softmax(self, scores: Tensor) -> Tensor:
        """exp(scores) (e,) over its sum in each row."""
        return _members(_Softmax, self, scores, single=scores.dim() == 1)


def _members(function: Any, A: Pattern, *inputs: Tensor, single: bool) -> Tensor:
    """A single matrix is a bundle of one."""
    out: Tensor = function.apply(A, *(x[None] if single else x for x in inputs))
    return out[0] if single else out


# Members of a bundle come first: values are (b, e), X is (b, n, d). A vmap adds its own to them.


class _Product(torch.autograd.Function):
    """A X, with the adjoints in A's entries and in X."""

    @staticmethod
    def forward(A: Pattern, values: Tensor, X: Tensor) -> Tensor:
        return kernels.weighted(A._places, values, X)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Pattern, Tensor, Tensor], output: Any) -> None:
        ctx.A, values, X = inputs
        ctx.save_for_backward(values, X)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        (values, X), A, G = ctx.saved_tensors, ctx.A, grads[0]
        _, of_values, of_X = ctx.needs_input_grad
        return (
            None,
            _Sampled.apply(A, G, X) if of_values else None,  # type: ignore[no-untyped-call]
            _Product.apply(A.T, values[:, A._order], G) if of_X else None,  # type: ignore[no-untyped-call]
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, A: Pattern, *inputs: Tensor) -> tuple[Tensor, int]:
        return _bundled(_Product, info.batch_size, in_dims[1:], A, inputs)


class _Sampled(torch.autograd.Function):
    """<g_i, x_j> at the places of A, bilinear: its adjoints are products with the entries that come back."""

    @staticmethod
    def forward(A: Pattern, G: Tensor, X: Tensor) -> Tensor:
        return kernels.sampled(A._places, G, X)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Pattern, Tensor, Tensor], output: Any) -> None:
        ctx.A, G, X = inputs
        ctx.save_for_backward(G, X)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        (G, X), A, values = ctx.saved_tensors, ctx.A, grads[0]
        _, of_G, of_X = ctx.needs_input_grad
        return (
            None,
            _Product.apply(A, values, X) if of_G else None,  # type: ignore[no-untyped-call]
            _Product.apply(A.T, values[:, A._order], G) if of_X else None,  # type: ignore[no-untyped-call]
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, A: Pattern, *inputs: Tensor) -> tuple[Tensor, int]:
        return _bundled(_Sampled, info.batch_size, in_dims[1:], A, inputs)


class _Softmax(torch.autograd.Function):
    """Shares s of each row, whose backward is s (g - sum_row s g)."""

    @staticmethod
    def forward(A: Pattern, scores: Tensor) -> Tensor:
        return kernels.softmax(A._places, scores)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Pattern, Tensor], output: Tensor) -> None:
        ctx.A = inputs[0]
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        (share,), A = ctx.saved_tensors, ctx.A
        change = share * grads[0]
        one = share.new_ones(1, A._places.indptr.numel() - 1, 1).expand(share.shape[0], -1, -1)
        total = _Product.apply(A, change, one)  # type: ignore[no-untyped-call]
        return None, change - share * total[:, A.rows, 0]

    @staticmethod
    def vmap(info: Any, in_dims: Any, A: Pattern, *inputs: Tensor) -> tuple[Tensor, int]:
        return _bundled(_Softmax, info.batch_size, in_dims[1:], A, inputs)


def _bundled(
    function: Any, size: int, in_dims: tuple[int | None, ...], A: Pattern, inputs: tuple[Tensor, ...]
) -> tuple[Tensor, int]:
    """The same function of more members: those of vmap times those there were."""
    moved = [
        x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(inputs, in_dims, strict=True)
    ]
    out: Tensor = function.apply(A, *(x.flatten(0, 1) for x in moved))
    return out.view(size, moved[0].shape[1], *out.shape[1:]), 0

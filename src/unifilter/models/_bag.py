"""Features of which most are 0, as bags of words are: dropout and a first layer touch only the others.

On Cora an epoch of GPR-GNN drops and multiplies 3.9 million features of which 49,000 are not 0; on a CPU that
is most of what it does. On a GPU features stay dense: what bags would gain there has not been measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn import functional

from unifilter.krylov.dropout import dropped
from unifilter.models._operators import Sparse

SPARSE = 0.12  # share of entries that are not 0; at a tenth, as on Pubmed, bags gain little


def bag_of(X: Tensor) -> Tensor | Bag:
    """X as a bag where that gains, else X itself."""
    few = X.dim() == 2 and X.is_cpu and int(X.count_nonzero()) <= SPARSE * X.numel()
    return Bag.of(X) if few else X


class Bag:
    """A constant sparse matrix that layers take for a tensor.

    ``dropout``, ``linear``, ``normalize`` of rows and ``@`` know it; any other function of torch gets it
    with its zeros.

    Examples
    --------
    >>> X = Bag.of(torch.tensor([[0.0, 2.0], [0.0, 0.0]]))
    >>> X @ torch.tensor([[1.0], [3.0]])
    tensor([[6.],
            [0.]])
    >>> torch.relu(X)
    tensor([[0., 2.],
            [0., 0.]])
    """

    def __init__(self, matrix: Sparse, values: Tensor, rows: Tensor, order: Tensor) -> None:
        self._matrix, self.values, self._rows, self._order = matrix, values, rows, order

    @staticmethod
    def of(X: Tensor) -> Bag:
        """Of a dense matrix."""
        A = csr_array(X.detach().cpu().numpy())
        order = csr_array(csr_array((np.arange(A.nnz), A.indices, A.indptr), A.shape).T)
        order.sort_indices()
        rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        places = (torch.from_numpy(a.astype(np.int64)).to(X.device) for a in (rows, order.data))
        matrix = Sparse(A, X)
        return Bag(matrix, matrix.values, *places)

    def with_values(self, values: Tensor) -> Bag:
        """Other entries in the same places."""
        matrix = self._matrix.with_values(values, values[self._order])
        return Bag(matrix, values, self._rows, self._order)

    def __matmul__(self, W: Tensor) -> Tensor:
        return self._matrix @ W.contiguous()

    def to(self, device: torch.device | str) -> Tensor | Bag:
        """The same on another device, where it may be dense."""
        return bag_of(self.dense().to(device))

    def dense(self) -> Tensor:
        """With its zeros."""
        return self._matrix.dense()

    @property
    def shape(self) -> torch.Size:
        """(n, d)."""
        return self._matrix.shape

    @property
    def dtype(self) -> torch.dtype:
        """Of the entries."""
        return self.values.dtype

    @property
    def device(self) -> torch.device:
        """Of the entries."""
        return self.values.device

    @property
    def row_norms(self) -> Tensor:
        """Euclidean, (n,)."""
        squares = self.values.new_zeros(self.shape[0]).index_add_(0, self._rows, self.values**2)
        return squares.sqrt()

    @classmethod
    def __torch_function__(
        cls, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if function in KNOWN and isinstance(args[0], Bag):
            return KNOWN[function](*args, **kwargs)
        return function(*_filled(args), **{name: _filled(value) for name, value in kwargs.items()})


def _filled(given: Any) -> Any:
    """Whatever was given, with zeros in the bags of it."""
    if isinstance(given, list | tuple):
        return type(given)(_filled(part) for part in given)
    return given.dense() if isinstance(given, Bag) else given


def _dropout(X: Bag, p: float = 0.5, training: bool = True, inplace: bool = False) -> Bag:
    return X.with_values(dropped(X.values, p)) if training and p else X


def _linear(X: Bag, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    Y = X @ weight.T
    return Y if bias is None else Y + bias


def _normalize(X: Bag, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None) -> Any:
    if p != 2.0 or dim not in (1, -1):
        return functional.normalize(X.dense(), p, dim, eps)
    return X.with_values(X.values / X.row_norms.clamp_min(eps)[X._rows])


KNOWN: dict[Callable[..., Any], Callable[..., Any]] = {
    functional.dropout: _dropout,
    functional.linear: _linear,
    functional.normalize: _normalize,
}

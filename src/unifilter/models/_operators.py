"""Operators beside P: averages, raw adjacency, directed arcs. Small things with ``@`` and ``to``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_array, csr_array, diags_array, eye_array
from torch import Tensor

from unifilter._math import csr_tensor
from unifilter._types import FloatArray, IntArray
from unifilter.graph import Graph, Propagation, propagation


class Scaled:
    """diag(left) P diag(right): what P becomes when its two factors D^-1/2 are exchanged for others."""

    def __init__(self, P: Propagation, left: Tensor, right: Tensor) -> None:
        self.P, self.left, self.right = P, left, right

    def __matmul__(self, X: Tensor) -> Tensor:
        return self.left[:, None] * (self.P @ (self.right[:, None] * X))

    def to(self, device: torch.device | str) -> Scaled:
        """The same on another device."""
        return Scaled(self.P.to(device), self.left.to(device), self.right.to(device))


class Sparse:
    """Any sparse matrix; the backward of ``A @ X`` multiplies by its transpose, kept beside it.

    Examples
    --------
    >>> A = Sparse(csr_array([[0.0, 2.0], [0.0, 0.0]]), torch.zeros(0))
    >>> A @ torch.tensor([[1.0], [3.0]])
    tensor([[6.],
            [0.]])
    """

    def __init__(self, A: csr_array, like: Tensor) -> None:
        self._A, self._At = _tensor(A, like), _tensor(csr_array(A.T), like)

    def __matmul__(self, X: Tensor) -> Tensor:
        return _Product.apply(self, X, False)  # type: ignore[no-any-return, no-untyped-call]

    @classmethod
    def _of(cls, A: Tensor, At: Tensor) -> Sparse:
        found = object.__new__(cls)
        found._A, found._At = A, At
        return found

    def to(self, device: torch.device | str) -> Sparse:
        """The same on another device."""
        return Sparse._of(self._A.to(device), self._At.to(device))

    def with_values(self, values: Tensor, transposed: Tensor) -> Sparse:
        """Other entries in the same places: in the order of rows, and in that of columns."""
        return Sparse._of(_filled(self._A, values), _filled(self._At, transposed))

    def dense(self) -> Tensor:
        """With its zeros."""
        return self._A.to_dense()

    @property
    def values(self) -> Tensor:
        """The entries, row by row."""
        return self._A.values()

    @property
    def shape(self) -> torch.Size:
        """Rows and columns."""
        return self._A.shape


class _Product(torch.autograd.Function):
    """A X, or A^T X, whose backward is the other; under vmap, many signals are columns of one."""

    @staticmethod
    def forward(A: Sparse, X: Tensor, transposed: bool) -> Tensor:
        return (A._At if transposed else A._A) @ X

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Sparse, Tensor, bool], output: Any) -> None:
        ctx.A, _, ctx.transposed = inputs

    @staticmethod
    def backward(ctx: Any, *G: Any) -> Any:
        return None, _Product.apply(ctx.A, G[0].contiguous(), not ctx.transposed), None  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, in_dims: Any, A: Sparse, X: Tensor, transposed: bool) -> tuple[Tensor, int]:
        X = X.movedim(in_dims[1], 1)
        Y = _Product.apply(A, X.reshape(X.shape[0], -1), transposed)  # type: ignore[no-untyped-call]
        return Y.view(-1, *X.shape[1:]), 1


def smoothing(
    graph: Graph,
    like: Tensor,
    arcs: IntArray | None = None,
    directed: bool = False,
    data_loops: bool = False,
    self_loops: bool = True,
) -> Propagation | Sparse:
    """D^-1/2 (A + I) D^-1/2 with D the row sums of A + I or, without self-loops, the same of A.

    A node that no arc leaves has a row of 0, and a column that is scaled by its other end alone.

    Parameters
    ----------
    graph : Graph
    like : Tensor
        Precision and device of the products.
    arcs : array of shape (2, a), optional
        The edges as they came; needed for the two conventions below.
    directed : bool
        Row u sums over the arcs u -> v; D holds out-degrees on both sides.
    data_loops : bool
        Self-loops of the data stay; beside added ones, so that they weigh 2.
    self_loops : bool
        Add one to every node.
    """
    if not (directed or data_loops):
        return propagation(graph, self_loops, like.dtype, like.device)
    A = from_arcs(arcs, graph.n, directed, loops=data_loops)
    A = csr_array(A + eye_array(graph.n)) if self_loops else A
    d = np.asarray(A.sum(axis=1), np.float64)
    s = diags_array(1 / np.sqrt(np.where(d > 0, d, 1.0)))
    return Sparse(csr_array(s @ A @ s), like)


def averaging(
    graph: Graph,
    like: Tensor,
    arcs: IntArray | None = None,
    directed: bool = False,
    data_loops: bool = False,
    self_loops: bool = True,
    transposed: bool = False,
) -> Scaled | Sparse:
    """D^-1 (A + I) or, without self-loops, D^-1 A: means over neighbours; 0 where there are none.

    Parameters as :func:`smoothing`; ``transposed`` averages over the arcs that arrive instead of those that
    leave.
    """
    if not (directed or data_loops):
        root = np.sqrt(graph.degrees + (1.0 if self_loops else 0.0))
        return _scaled(graph, like, self_loops, _inverse(root), root)
    A = from_arcs(arcs, graph.n, directed, loops=data_loops)
    if transposed:
        A = csr_array(A.T)
    if self_loops:
        A = csr_array(A + eye_array(graph.n))
    return Sparse(csr_array(diags_array(_inverse(np.asarray(A.sum(axis=1), np.float64))) @ A), like)


def adjacency(graph: Graph, like: Tensor, self_loops: bool = False) -> Scaled:
    """A, or A + I: the raw rows, nothing normalised."""
    root = np.sqrt(graph.degrees + (1.0 if self_loops else 0.0))
    return _scaled(graph, like, self_loops, root, root)


def from_arcs(arcs: IntArray | None, n: int, directed: bool, loops: bool) -> csr_array:
    """The arcs as a matrix of zeros and ones, A[u, v] = 1 for u -> v; symmetrised unless ``directed``."""
    if arcs is None:
        raise ValueError(
            "this convention needs the edges as they came, with direction and self-loops, but the dataset "
            "has no arcs. Give it some, or use directed=False and data_loops=False."
        )
    source, target = np.asarray(arcs, np.int64)
    kept = np.ones(source.size, bool) if loops else source != target
    A = csr_array(coo_array((np.ones(int(kept.sum())), (source[kept], target[kept])), shape=(n, n)))
    A.sum_duplicates()
    A.data[:] = 1.0
    return A if directed else csr_array(A.maximum(A.T))


def edge_index(
    graph: Graph, like: Tensor, arcs: IntArray | None = None, directed: bool = False, self_loops: bool = True
) -> Tensor:
    """Pairs (2, e) as PyTorch Geometric takes them: [j; i] where i listens to j, sorted by i.

    A node listens to those that its row of A names, and with ``self_loops`` to itself, once.
    """
    A = from_arcs(arcs, graph.n, True, loops=False) if directed else graph.to_scipy()
    A = csr_array(A + eye_array(graph.n)) if self_loops else A
    A.sort_indices()
    i = np.repeat(np.arange(graph.n), np.diff(A.indptr))
    return torch.from_numpy(np.stack([A.indices.astype(np.int64), i])).to(like.device)


def _scaled(graph: Graph, like: Tensor, self_loops: bool, left: FloatArray, right: FloatArray) -> Scaled:
    P = propagation(graph, self_loops, like.dtype, like.device)
    return Scaled(P, *(torch.from_numpy(s).to(like.device, like.dtype) for s in (left, right)))


def _inverse(x: FloatArray) -> FloatArray:
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0)


def _tensor(A: csr_array, like: Tensor) -> Tensor:
    A.sort_indices()
    values = torch.from_numpy(A.data).to(like.dtype)
    kind = np.int32 if A.nnz < 2**31 else np.int64  # what MKL's products take without a copy
    indptr, indices = (torch.from_numpy(a.astype(kind)) for a in (A.indptr, A.indices))
    return csr_tensor(indptr, indices, values, A.shape).to(like.device)


def _filled(A: Tensor, values: Tensor) -> Tensor:
    return csr_tensor(A.crow_indices(), A.col_indices(), values, A.shape)

"""P = D^-1/2 A D^-1/2, the matrix that everything in this library multiplies by."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from unifilter._checks import check_signal
from unifilter._types import FloatArray, Recurrence
from unifilter.graph.graph import Graph
from unifilter.kernels import reference
from unifilter.kernels import spmm as kernels
from unifilter.kernels.csr import CSR


def propagation(
    graph: Graph,
    self_loops: bool = False,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Propagation:
    r"""The propagation matrix of a graph, as something that multiplies.

    .. math:: P = D^{-1/2} A D^{-1/2}, \qquad
              \tilde P = (D + I)^{-1/2} (A + I) (D + I)^{-1/2} \text{ with self-loops}

    P is symmetric, so it is its own adjoint and the backward of ``P @ X`` is ``P @ G``. Its spectrum lies in
    [-1, 1]. The row of an isolated node is 0 (with self-loops: its diagonal entry is 1). The normalised
    entries are never stored: D^-1/2 is applied on the fly, from both sides.

    Cost of ``P @ X``: one product, O(m d).

    Examples
    --------
    >>> P = propagation(Graph.from_edges([[0, 1], [1, 2]]), dtype=torch.float64)
    >>> P @ torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)
    tensor([0.0000, 0.7071, 0.0000], dtype=torch.float64)
    """
    degrees = graph.degrees + (1.0 if self_loops else 0.0)
    if graph.weighted:
        _check_degrees(degrees, dtype)
    scale = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    weights = None if graph.weights is None else _tensor(graph.weights)
    csr = CSR(
        _tensor(graph.indptr),
        _tensor(graph.indices),
        weights,
        torch.from_numpy(scale),
        1.0 if self_loops else 0.0,
    )
    return Propagation(csr.to(torch.device(device) if device is not None else None, dtype))


def restricted(P: Propagation, nodes: Any) -> Propagation:
    """The block of P on some nodes, entries as they are: degrees stay those of the whole graph.

    K products with it equal those with P on every node whose K-hop neighbourhood lies among ``nodes``.

    Examples
    --------
    >>> P = propagation(Graph.from_edges([[0, 1, 2], [1, 2, 3]]), dtype=torch.float64)
    >>> one = torch.ones(4, dtype=torch.float64)
    >>> (restricted(P, [0, 1, 2]) @ one[:3])[:2] == (P @ one)[:2]
    tensor([True, True])
    """
    csr, n = P._csr.to(torch.device("cpu"), P.dtype), P.shape[0]
    values = np.ones(csr.indices.shape[0]) if csr.weights is None else csr.weights.double().numpy()
    whole = csr_array((values, csr.indices.numpy(), csr.indptr.numpy()), shape=(n, n))
    index = np.asarray(nodes)
    block = csr_array(whole[index][:, index])
    block.sort_indices()
    weights = None if csr.weights is None else torch.from_numpy(block.data)
    small = CSR(
        torch.from_numpy(block.indptr.astype(np.int32)),
        torch.from_numpy(block.indices.astype(np.int32)),
        weights,
        csr.scale[torch.from_numpy(index)].double(),
        csr.loop,
    )
    return Propagation(small.to(P.device, P.dtype))


class Propagation:
    """P with ``@``; made by :func:`propagation`."""

    def __init__(self, csr: CSR) -> None:
        self._csr = csr

    @cached_property
    def _plan(self) -> Any:
        return kernels.plan(self._csr)

    def __matmul__(self, X: Tensor) -> Tensor:
        check_signal(X, self.shape[0], self.dtype, self.device)
        Y: Tensor = _Product.apply(self, X[:, None] if X.dim() == 1 else X)  # type: ignore[no-untyped-call]
        return Y[:, 0] if X.dim() == 1 else Y

    def three_term(self, X: Tensor, V: Tensor) -> Recurrence:
        """Lanczos on the columns of X, ``V[k] = v_k``, fused where this device has a kernel for it."""
        fused = kernels.three_term(self._csr, X, V, self._plan)
        return reference.three_term(self, X, V) if fused is None else fused

    def to(self, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> Propagation:
        """The same matrix on another device or in another precision."""
        where = self.device if device is None else torch.device(device)
        return Propagation(self._csr.to(where, self.dtype if dtype is None else dtype))

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        n = self._csr.scale.shape[0]
        return n, n

    @property
    def dtype(self) -> torch.dtype:
        """Precision of the products."""
        return self._csr.scale.dtype

    @property
    def device(self) -> torch.device:
        """Where the products are computed."""
        return self._csr.scale.device

    @property
    def bound(self) -> float:
        """Bound of the spectral radius: products of unit vectors round like numbers of this size."""
        return 1.0

    @property
    def T(self) -> Propagation:
        """P itself: it is symmetric."""
        return self

    def __repr__(self) -> str:
        loops = ", self-loops" if self._csr.loop else ""
        return f"Propagation(n={self.shape[0]}, entries={self._csr.indices.shape[0]}{loops}, {self.dtype})"


class _Product(torch.autograd.Function):
    """P X, whose backward is P G; under vmap, many signals are columns of one."""

    @staticmethod
    def forward(P: Propagation, X: Tensor) -> Tensor:
        return kernels.spmm(P._csr, X, P._plan)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Propagation, Tensor], output: Any) -> None:
        ctx.P = inputs[0]

    @staticmethod
    def backward(ctx: Any, G: Tensor) -> tuple[None, Tensor]:
        return None, _Product.apply(ctx.P, G)  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, in_dims: Any, P: Propagation, X: Tensor) -> tuple[Tensor, int]:
        X = X.movedim(in_dims[1], 1)
        Y = _Product.apply(P, X.reshape(X.shape[0], -1))  # type: ignore[no-untyped-call]
        return Y.view(X.shape), 1


def _check_degrees(degrees: FloatArray, dtype: torch.dtype) -> None:
    """Weights so large or small that they round to inf or to 0 would give NaN, or silently no edge."""
    limits = torch.finfo(dtype)
    bad = (degrees > 0) & ~((degrees >= limits.tiny) & (degrees <= limits.max))
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(
            f"the weights at a node must sum to a number from {limits.tiny:.1e} to {limits.max:.1e} in "
            f"{str(dtype).removeprefix('torch.')}, but those of node {i} to {degrees[i]:g}. "
            "Divide all weights by one number, or set tiny ones to 0."
        )


def _tensor(array: Any) -> Tensor:
    """A tensor over the same memory. Graph's arrays and memory maps are read-only; no kernel writes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(array)

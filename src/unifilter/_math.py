"""Arithmetic that every room may use."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor


def column_dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner product of every column, accumulated in float64."""
    return (a.double() * b.double()).sum(dim=0)


def column_norm(a: Tensor) -> Tensor:
    """Euclidean norm of every column, accumulated in float64."""
    return column_dot(a, a).sqrt()


def peaks(a: Tensor) -> Tensor:
    """The largest size of an entry of every column, 1 where all are 0; a constant for gradients.

    Columns that are divided by it have squares that are neither too large nor too small for any precision.
    """
    peak = a.detach().abs().amax(dim=0) if a.shape[0] else a.new_zeros(a.shape[1:])
    return torch.where(peak > 0, peak, 1)


def reciprocal(a: Tensor) -> Tensor:
    """1 / a, and 0 where a = 0: an exhausted column stays 0. Its gradient is 0 there too."""
    return torch.where(a > 0, 1 / torch.where(a > 0, a, 1), 0)


def csr_tensor(indptr: Tensor, indices: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A sparse matrix of torch, without its checks and warnings.

    In a context, since torch 2.11 warns in spite of ``check_invariants=False``.
    """
    unchecked = torch.sparse.check_sparse_tensor_invariants(enable=False)  # type: ignore[no-untyped-call]
    with warnings.catch_warnings(), unchecked:
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
        return torch.sparse_csr_tensor(indptr, indices, values, shape)

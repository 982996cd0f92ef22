"""The words that every room shares."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

IntArray: TypeAlias = NDArray[np.integer[Any]]
FloatArray: TypeAlias = NDArray[np.floating[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]


@runtime_checkable
class Matmul(Protocol):
    """Anything with ``@``: P (n rows), T (K+1 rows), a diagonal of frequencies."""

    def __matmul__(self, x: Tensor, /) -> Tensor: ...


class Recurrence(NamedTuple):
    """What Lanczos leaves beside V: alpha (K, d), beta (K, d) and the columns' norms (d,), in float64."""

    alpha: Tensor
    beta: Tensor
    norm: Tensor


@runtime_checkable
class FusedMatmul(Matmul, Protocol):
    """A matrix that can run the whole recurrence in its own kernel: ``V[k] = v_k`` is written once."""

    def three_term(self, X: Tensor, V: Tensor, /) -> Recurrence: ...


class SmallMatrix(Matmul, Protocol):
    """T as the small side sees it: one tridiagonal matrix per column, alpha and beta of shape (K, d)."""

    @property
    def alpha(self) -> Tensor: ...
    @property
    def beta(self) -> Tensor: ...
    @property
    def e1(self) -> Tensor: ...
    def truncate(self, K: int, /) -> SmallMatrix: ...

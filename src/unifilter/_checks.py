"""Every check of what a user hands in: the rule, the evidence, the way out.

A check is made once, at the door; the rooms inside trust their callers.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from torch import Tensor

from unifilter._types import BoolArray, FloatArray, IntArray


def check_edges(edges: ArrayLike | Tensor) -> tuple[IntArray, IntArray]:
    """Two columns of whole numbers, from an array of shape (2, m) or (m, 2)."""
    array = _numpy(edges)
    if array.size == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if array.ndim != 2 or 2 not in array.shape:
        raise ValueError(
            f"edges must have shape (2, m) or (m, 2), but have shape {array.shape}. "
            "Stack the two columns with np.stack([source, target])."
        )
    if array.shape[0] != 2:
        array = array.T
    if not np.issubdtype(array.dtype, np.integer):
        bad = (
            np.flatnonzero(~np.isfinite(array[0]) | (array[0] != np.floor(array[0])))
            if np.issubdtype(array.dtype, np.floating)
            else np.array([0])
        )
        first = f" (first: edge {bad[0]} starts at {array[0, bad[0]]!r})" if bad.size else ""
        raise ValueError(
            f"node ids must be whole numbers, but edges have dtype {array.dtype}{first}. "
            "Convert them with edges.astype(np.int64); unifilter.read_tables maps ids that are names."
        )
    return array[0], array[1]


def check_ids(source: IntArray, target: IntArray, n: int | None) -> int:
    """Ids lie in [0, n); returns n, which defaults to the largest id + 1."""
    for name, ids in (("source", source), ("target", target)):
        if ids.size and ids.min() < 0:
            e = int(np.argmax(ids < 0))
            raise ValueError(
                f"node ids must not be negative, but edge {e} has {name} {ids[e]}. "
                "Ids count from 0; drop or renumber such edges."
            )
    largest = int(max(source.max(), target.max())) if source.size else -1
    if n is None:
        return largest + 1
    n = check_count(n, "n")
    for name, ids in (("source", source), ("target", target)):
        if ids.size and ids.max() >= n:
            e = int(np.argmax(ids >= n))
            hint = " Ids that count from 1 need edges - 1." if ids.max() == n and not (ids == 0).any() else ""
            raise ValueError(
                f"node ids must be smaller than n = {n}, but edge {e} has {name} {ids[e]}. "
                f"Pass n >= {largest + 1}, or drop such edges.{hint}"
            )
    return n


def check_weights(weights: ArrayLike | Tensor, m: int) -> FloatArray:
    """One finite, non-negative weight an edge."""
    array = _numpy(weights)
    if array.shape != (m,):
        raise ValueError(f"weights must have one entry an edge, shape ({m},), but have shape {array.shape}.")
    if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
        raise ValueError(f"weights must be numbers, but have dtype {array.dtype}.")
    array = array.astype(np.float64, copy=False)
    bad = ~(array >= 0) | np.isinf(array)
    if bad.any():
        e = int(np.argmax(bad))
        raise ValueError(
            f"weights must be finite and not negative, but {int(bad.sum())} are not "
            f"(first: edge {e} has weight {array[e]}). Drop those edges or mend their weights."
        )
    return array


def check_ratio(h: Any) -> None:
    """A homophily ratio lies in [0, 1]. A tensor is trusted: on a GPU a look at it would cost time."""
    if isinstance(h, int | float) and not 0 <= h <= 1:
        raise ValueError(f"h is a ratio in [0, 1], but is {h}.")


def check_undirected(A: csr_array) -> None:
    """Lanczos is exact only for a symmetric P, so a one-way edge is an error and not a warning."""
    rows, cols = csr_array(A - A.T).nonzero()
    if rows.size:
        u, v = int(rows[0]), int(cols[0])
        raise ValueError(
            f"the graph must be undirected, but {rows.size // 2} of its edges differ from their reverse "
            f"(first: A[{u}, {v}] = {A[u, v]:g}, A[{v}, {u}] = {A[v, u]:g}). "
            "Graph.from_edges(..., undirected=True) adds the missing ones."
        )


def check_count(value: Any, name: str, least: int = 0) -> int:
    """A whole number that is not negative, or at least ``least``."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, but is {value!r}.") from None
    if number < least:
        bound = f"must be at least {least}" if least else "must not be negative"
        raise ValueError(f"{name} {bound}, but is {number}.")
    return number


def check_signal(X: Any, n: int, dtype: torch.dtype, device: torch.device) -> None:
    """A tensor of n rows that P can multiply."""
    if not isinstance(X, Tensor):
        raise TypeError(f"P multiplies a torch.Tensor, but got {type(X).__name__}; use torch.as_tensor(X).")
    if X.dim() not in (1, 2) or X.shape[0] != n:
        raise ValueError(
            f"P has {n} rows, so X must have shape ({n},) or ({n}, d), but has {tuple(X.shape)}."
        )
    if X.dtype != dtype or X.device != device:
        raise ValueError(
            f"P is {dtype} on {device}, but X is {X.dtype} on {X.device}. "
            "Move one to the other: P.to(X.device, X.dtype) or X.to(P.device, P.dtype)."
        )


def check_finite(X: Tensor, name: str) -> None:
    """No NaN and no infinity."""
    bad = ~torch.isfinite(X)
    if bad.any():
        first = tuple(torch.nonzero(bad)[0].tolist())
        raise ValueError(
            f"{name} must be finite, but {int(bad.sum())} of its entries are not "
            f"(first: {name}[{', '.join(map(str, first))}] = {X[first].item()}). Fill or drop them first."
        )


def check_share_or_word(value: Any, name: str, *words: str) -> None:
    """A number in [0, 1], or one of the words that stand for a way to find it."""
    if value not in words and not (isinstance(value, int | float) and 0 <= value <= 1):
        allowed = " or ".join(map(repr, words))
        raise ValueError(f"{name} must be in [0, 1], {allowed}, but is {value!r}.")


def check_share(value: float, name: str) -> float:
    """A number in [0, 1]."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], but is {value}.")
    return float(value)


def check_features(X: Any, n: int) -> Any:
    """Features (n, d): finite float32, dense or CSR; converted if they are other numbers."""
    sparse = bool(issparse(X))
    array: Any = csr_array(X) if sparse else _numpy(X)
    if array.ndim != 2 or array.shape[0] != n:
        raise ValueError(f"X must have one row for each of the {n} nodes, but has shape {array.shape}.")
    if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
        raise ValueError(
            f"X must hold numbers, but has dtype {array.dtype}. unifilter.read_tables encodes text columns."
        )
    array = array if array.dtype == np.float32 else array.astype(np.float32)
    values = array.data if sparse else array
    with np.errstate(invalid="ignore"):
        fine = bool(np.isfinite(values.sum(dtype=np.float64)))
    if not fine:
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array.toarray() if sparse else array))[0])
        raise ValueError(f"X must be finite, but X[{at[0]}, {at[1]}] = {array[at]}. Fill or drop it first.")
    return array


def check_target(y: ArrayLike | Tensor, n: int) -> IntArray:
    """Labels (n,): whole numbers, -1 = unlabelled."""
    array = _numpy(y)
    if array.shape != (n,) or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"y must hold {n} whole numbers, -1 = unlabelled, but is {array.dtype} of shape {array.shape}."
        )
    if array.size and array.min() < -1:
        raise ValueError(f"labels count from 0 and -1 = unlabelled, but y has {array.min()}.")
    return array


def check_labels(y: ArrayLike | Tensor, mask: ArrayLike | Tensor, n: int) -> tuple[IntArray, BoolArray]:
    """Labels (n,), -1 = unlabelled, and the nodes whose labels may be used."""
    labels, allowed = check_target(y, n), _numpy(mask)
    if allowed.shape != (n,) or allowed.dtype != bool:
        raise ValueError(
            f"mask must hold {n} truth values, but is {allowed.dtype} of shape {allowed.shape}. It says "
            "whose labels may be used; np.ones(n, bool) uses them all, and lets test labels reach the result."
        )
    return labels, allowed & (labels >= 0)


def _numpy(x: Any) -> NDArray[Any]:
    return x.detach().cpu().numpy() if isinstance(x, Tensor) else np.asarray(x)

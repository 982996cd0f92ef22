"""Labels of any kind, some of them unknown; and which of the known are held out for validation."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from unifilter._types import BoolArray, IntArray
from unifilter.data.splits import Split


def as_labels(y: Any) -> Any:
    """An array of labels in which nothing that is missing has become text: NumPy writes NaN as "nan".

    Examples
    --------
    >>> as_labels(["a", float("nan"), "b"]).tolist(), as_labels(["a", "nan"]).tolist()
    (['a', nan, 'b'], ['a', 'nan'])
    """
    found = np.asarray(y)
    if found.dtype.kind not in "US" or hasattr(y, "dtype"):
        return found
    given = np.array(y, dtype=object)
    return found if all(_is_known(v) for v in given.ravel()) else given


def encode_labels(y: Any) -> tuple[BoolArray, IntArray, Any]:
    """Which labels are known, their numbers (-1 = unknown), and the classes in order.

    Unknown are None, NaN and -1; but -1 is a class where there would be fewer than two without it.

    Examples
    --------
    >>> known, codes, classes = encode_labels(np.array(["b", None, "a"], dtype=object))
    >>> codes.tolist(), classes.tolist()
    ([1, -1, 0], ['a', 'b'])
    """
    y = as_labels(y)
    known = np.ones(y.shape, bool)
    if y.dtype.kind == "f":
        known = ~np.isnan(y)
    elif y.dtype == object:
        known = np.array([_is_known(v) for v in y], bool)
    # An array of strings has turned a -1 among them into "-1".
    nobody = "-1" if y.dtype.kind == "U" else -1
    other = np.array([k and v != nobody for k, v in zip(known, y.tolist(), strict=True)], bool)
    if len(set(y[other].tolist())) >= 2:
        known = other
    given = _plain(y[known])
    classes, codes = np.unique(given, return_inverse=True)
    numbers = np.full(y.shape, -1, np.int64)
    numbers[known] = codes
    return known, numbers, classes


def labelled(y: Any, classes: Any) -> BoolArray:
    """Which rows have a label: not None, NaN, nor -1 where that is no class.

    Examples
    --------
    >>> labelled([0, -1, 1], np.array([0, 1])).tolist(), labelled([-1, 1], np.array([-1, 1])).tolist()
    ([True, False, True], [True, True])
    """
    nobody = {-1, "-1"} - set(np.asarray(classes).tolist())
    return np.array([_is_known(v) and v not in nobody for v in as_labels(y).tolist()], bool)


def _is_known(value: Any) -> bool:
    """Neither None nor NaN nor pandas' NA, whose comparison with itself is no truth value."""
    same = value is not None and value == value
    return isinstance(same, (bool, np.bool_)) and bool(same)


def _plain(given: Any) -> Any:
    """Known labels in the plainest type that holds them: whole numbers, text, or as they came."""
    if not given.size:
        return given
    if given.dtype == object and not all(isinstance(v, str) for v in given):
        if any(isinstance(v, str) for v in given):
            raise ValueError(
                "labels are text and numbers mixed, which have no order: make them all text, or all numbers."
            )
        given = np.array(given.tolist())
    elif given.dtype == object:
        given = given.astype(str)
    if given.dtype.kind == "f" and np.isinf(given).any():
        raise ValueError("labels are classes, but y contains infinity.")
    check_classification_targets(given)
    if given.dtype.kind == "f" and (given == given.astype(np.int64)).all():
        return given.astype(np.int64)
    return given


def validation_split(codes: IntArray, share: float, seed: int) -> Split:
    """Hold out a share of every class for validation; a class of one node trains."""
    if not isinstance(share, Real) or not 0 <= share < 1:
        raise ValueError(f"validation must be a share in [0, 1), but is {share!r}.")
    rng = np.random.default_rng(seed)
    val = np.zeros(codes.shape, bool)
    for c in np.unique(codes[codes >= 0]):
        members = rng.permutation(np.flatnonzero(codes == c))
        val[members[: min(round(share * members.size), members.size - 1)]] = True
    train = (codes >= 0) & ~val
    return Split(train, val, np.zeros(codes.shape, bool), f"validation {share:g}", seed)

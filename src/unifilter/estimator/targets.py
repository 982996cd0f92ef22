"""Labels of any kind, some of them unknown; and which of the known are held out for validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from unifilter._types import BoolArray, IntArray
from unifilter.data.splits import Split


def encode_labels(y: Any) -> tuple[BoolArray, IntArray, Any]:
    """Which labels are known, their numbers (-1 = unknown), and the classes in order.

    Examples
    --------
    >>> known, codes, classes = encode_labels(np.array(["b", None, "a"], dtype=object))
    >>> codes.tolist(), classes.tolist()
    ([1, -1, 0], ['a', 'b'])
    """
    y = np.asarray(y)
    known = np.ones(y.shape, bool)
    if y.dtype.kind == "f":
        known = ~np.isnan(y)
    elif y.dtype == object:
        known = np.array([v is not None and v == v for v in y], bool)
    if y.dtype.kind in "if" and np.unique(y[known & (y != -1)]).size >= 2:
        known &= y != -1
    given = y[known]
    if given.size:
        check_classification_targets(given.tolist() if given.dtype == object else given)
        if given.dtype.kind == "f":
            given = given.astype(np.int64) if (given == given.astype(np.int64)).all() else given
        elif given.dtype == object and all(isinstance(v, str) for v in given):
            given = given.astype(str)
    classes, codes = np.unique(given, return_inverse=True)
    numbers = np.full(y.shape, -1, np.int64)
    numbers[known] = codes
    return known, numbers, classes


def validation_split(codes: IntArray, share: float, seed: int) -> Split:
    """Hold out a share of every class for validation; a class of one node trains."""
    if not 0 <= share < 1:
        raise ValueError(f"validation must be a share in [0, 1), but is {share}.")
    rng = np.random.default_rng(seed)
    val = np.zeros(codes.shape, bool)
    for c in np.unique(codes[codes >= 0]):
        members = rng.permutation(np.flatnonzero(codes == c))
        val[members[: min(round(share * members.size), members.size - 1)]] = True
    train = (codes >= 0) & ~val
    return Split(train, val, np.zeros(codes.shape, bool), f"validation {share:g}", seed)

"""Feature scaling by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

NAMES = ("none", "row", "standard", "log1p")


def preprocess(X: Any, how: str, like: Any = None) -> Any:
    """Scale X; sparse stays sparse except for "standard", which shifts zeros.

    Means and deviations are those of ``like`` where it is given: nodes that arrive after training are scaled
    as the training nodes were.

    Examples
    --------
    >>> preprocess(np.array([[1.0, 3.0], [0.0, 0.0]]), "row").tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    if how not in NAMES:
        raise ValueError(f"preprocessing must be one of {', '.join(NAMES)}, but is {how!r}.")
    sparse = bool(issparse(X))
    if how == "none":
        return X
    if how == "row":
        total = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        factor = np.divide(1.0, total, out=np.zeros_like(total), where=total != 0).astype(np.float32)
        return csr_array(X.multiply(factor[:, None])) if sparse else X * factor[:, None]
    if how == "log1p":
        smallest = X.min() if X.shape[0] else 0
        if smallest <= -1:
            raise ValueError(f"log1p needs features above -1, but the smallest is {smallest:g}.")
        return X.log1p() if sparse else np.log1p(X)
    dense = _dense(X)
    known = dense if like is None else _dense(like)
    mean, deviation = known.mean(axis=0, dtype=np.float64), known.std(axis=0, dtype=np.float64)
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 1e-12 * np.abs(mean))
    return ((dense - mean) * scale).astype(np.float32)


def _dense(X: Any) -> Any:
    return np.array(X.todense() if hasattr(X, "todense") else X)

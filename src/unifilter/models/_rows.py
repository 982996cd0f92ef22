"""A matrix of features whose rows need no other row: raw, or propagated once and for all."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Features:
    """Rows of X, (n, d), or of several hops at once, (n, hops, d).

    Examples
    --------
    >>> Features(torch.zeros(5, 2)).rows(torch.tensor([0, 3])).n
    2
    """

    X: Tensor

    independent_rows = True

    def rows(self, index: Tensor) -> Features:
        """Some rows."""
        return Features(self.X[index])

    def to(self, device: torch.device | str) -> Features:
        """The same on another device."""
        return Features(self.X.to(device))

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

"""Arithmetic of columns that every room may use."""

from __future__ import annotations

import torch
from torch import Tensor


def column_dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner product of every column, accumulated in float64."""
    return (a.double() * b.double()).sum(dim=0)


def column_norm(a: Tensor) -> Tensor:
    """Euclidean norm of every column, accumulated in float64."""
    return column_dot(a, a).sqrt()


def reciprocal(a: Tensor) -> Tensor:
    """1 / a, and 0 where a = 0: an exhausted column stays 0. Its gradient is 0 there too."""
    return torch.where(a > 0, 1 / torch.where(a > 0, a, 1), 0)

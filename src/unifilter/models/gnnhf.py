"""GNN-HF. Zhu et al.: Interpreting and Unifying Graph Neural Networks with An Optimization Framework, 2021.

Filters H, K + 1 products a step, with self-loops: the solution that keeps high frequencies,

    Z = {(beta + 1/alpha) I + (1 - beta - 1/alpha) P}^-1 (I + beta L) H,     L = I - P,

by iteration or exactly. PyTorch Geometric ships no such layer; its ``APPNP`` is the case beta = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unifilter.models._registry import Card, register
from unifilter.models._unified import Coefficients, Common, Unified


@dataclass(frozen=True)
class Config(Common):
    """Options of GNN-HF, beside those of :class:`unifilter.models._unified.Common`.

    Parameters
    ----------
    beta : float
        Not negative: weight of the high frequencies. At 0 the filter is that of APPNP.
    """

    beta: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1:
            raise ValueError(f"alpha must lie in (0, 1], but is {self.alpha}.")
        if not self.beta >= 0:
            raise ValueError(f"beta must not be negative, but is {self.beta}.")


CARD = Card(
    "GNN-HF",
    "Zhu et al.: Interpreting and Unifying Graph Neural Networks with An Optimization Framework, WWW",
    2021,
    "polynomial filter",
    "H, K + 1 products a step",
    "n d h + K m c",
)


@register("gnnhf", Config, CARD)
class GNNHF(Unified):
    """An MLP whose logits pass a filter that keeps high frequencies."""

    @staticmethod
    def coefficients(config: Any) -> Coefficients:
        """Of the iteration, from alpha and beta."""
        a, beta = config.alpha, config.beta
        c = a * beta + 1
        return Coefficients((1 + beta) / c, -beta / c, (a * beta - a + 1) / c, a)

"""GNN-LF. Zhu et al.: Interpreting and Unifying Graph Neural Networks with An Optimization Framework, 2021.

Filters H, K + 1 products a step, with self-loops: the low-pass solution

    Z = {(mu + 1/alpha - 1) I + (2 - mu - 1/alpha) P}^-1 (mu I + (1 - mu) P) H,

by iteration or exactly. PyTorch Geometric ships no such layer; its ``APPNP`` is the case mu = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unifilter.models._registry import Card, register
from unifilter.models._unified import Coefficients, Common, Unified


@dataclass(frozen=True)
class Config(Common):
    """Options of GNN-LF, beside those of :class:`unifilter.models._unified.Common`.

    Parameters
    ----------
    mu : float
        In [1/2, 1]: how far closeness to H counts for a node itself rather than for its surroundings. At 1
        the filter is that of APPNP.
    """

    mu: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 2 / 3:
            raise ValueError(f"alpha must lie in (0, 2/3), but is {self.alpha}.")
        if not 0.5 <= self.mu <= 1:
            raise ValueError(f"mu must lie in [1/2, 1], but is {self.mu}.")


CARD = Card(
    "GNN-LF",
    "Zhu et al.: Interpreting and Unifying Graph Neural Networks with An Optimization Framework, WWW",
    2021,
    "polynomial filter",
    "H, K + 1 products a step",
    "n d h + K m c",
)


@register("gnnlf", Config, CARD)
class GNNLF(Unified):
    """An MLP whose logits pass a low-pass filter."""

    @staticmethod
    def coefficients(config: Any) -> Coefficients:
        """Of the iteration, from alpha and mu."""
        a, mu = config.alpha, config.mu
        c = 1 + a * mu - a
        return Coefficients(mu / c, (1 - mu) / c, (1 + a * mu - 2 * a) / c, a)

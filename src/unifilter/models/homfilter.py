"""HomFilter. UniFilter with the homophily basis alone (tau = 1), of the same paper. Filters X, once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unifilter.models import unifilter
from unifilter.models._registry import register


@dataclass(frozen=True)
class Config(unifilter.Config):
    """UniFilter's options; tau is fixed."""

    tau: float = 1.0
    h: float = 0.0  # without a heterophily basis nothing depends on it


@register("homfilter", Config, replace(unifilter.CARD, title="HomFilter"))
class HomFilter(unifilter.UniFilter):
    """UniFilter with only the homophily basis (tau = 1)."""

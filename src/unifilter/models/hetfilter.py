"""HetFilter. UniFilter with the heterophily basis alone (tau = 0), of the same paper. Filters X, once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unifilter.models import unifilter
from unifilter.models._registry import register


@dataclass(frozen=True)
class Config(unifilter.Config):
    """UniFilter's options; tau is fixed."""

    tau: float = 0.0


@register("hetfilter", Config, replace(unifilter.CARD, title="HetFilter"))
class HetFilter(unifilter.UniFilter):
    """UniFilter with only the heterophily basis (tau = 0)."""

"""OrtFilter. UniFilter on the orthonormal basis v_k, of the same paper's ablation. Filters X, once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from unifilter.models import unifilter
from unifilter.models._registry import register


@dataclass(frozen=True)
class Config(unifilter.Config):
    """UniFilter's options; the basis is V, which knows neither tau nor h."""

    basis: Literal["orthonormal"] = "orthonormal"
    tau: float = 0.0
    h: float = 0.0


@register("ortfilter", Config, replace(unifilter.CARD, title="OrtFilter"))
class OrtFilter(unifilter.UniFilter):
    """UniFilter on the orthonormal basis."""

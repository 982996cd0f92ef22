"""The paper's printed figures, from ``printed.toml``."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from scipy import stats

from unifilter.presets import settings_of

RUNS = 10  # behind every printed mean


@lru_cache
def printed() -> dict[str, Any]:
    """All of them, by table or figure.

    Examples
    --------
    >>> printed()["table2"]["unifilter"]["cora"]
    [89.49, 1.35]
    """
    return settings_of(Path(__file__).with_name("printed.toml"))


def figure(table: str, model: str, graph: str) -> tuple[float | None, float | None]:
    """An accuracy of Table 2 or 3, and half of its 95% interval.

    The +- of UniFilter and of every row of Table 3 is a standard deviation over ten splits, that of the other
    rows of Table 2 the half of an interval already.

    Examples
    --------
    >>> figure("table2", "sgc", "cora"), figure("table2", "sgc", "digits")
    ((86.83, 1.28), (None, None))
    >>> mean, half = figure("table2", "unifilter", "cora")
    >>> mean, round(half, 2)
    (89.49, 0.97)
    """
    found = printed()[table].get(model, {}).get(graph)
    if found is None:
        return None, None
    mean, spread = found
    deviation = model == "unifilter" or table == "table3"
    return mean, half_of(spread) if deviation else spread


def half_of(deviation: float) -> float:
    """Half of the 95% interval of a mean of ten runs with this standard deviation.

    Examples
    --------
    >>> round(half_of(1.0), 3)
    0.715
    """
    return float(stats.t.ppf(0.975, RUNS - 1)) * deviation / math.sqrt(RUNS)

"""How figures in text and the series of a plot look, the same on a page, in a paper and in a README."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from unifilter.viz.exhibit import Plot, Series, Verdict
from unifilter.viz.style import BLUE, GREEN, GREY, ORANGE, PINK

COLOURS = (BLUE, ORANGE, GREEN, PINK, "#8a76d6", "#b8942c", "#3aa7b8", "#d1605e", "#9c755f", "#6f9a3c")
# By plotly's names; matplotlib's follow in exhibit_image.
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
CROWDED = 60  # points of a line beyond which their markers would hide it
SIGNS: dict[Verdict, str] = {"agrees": "✓", "above": "▲", "below": "▼", "alone": ""}
COMPARED: tuple[Verdict, ...] = ("agrees", "above", "below")
WORDS: dict[Verdict, str] = {
    "agrees": "the difference lies within its 95% interval",
    "above": "ours is higher",
    "below": "ours is lower",
    "alone": "nothing printed to compare with",
}


@dataclass(frozen=True)
class Look:
    """Colour, symbol and dash of a series."""

    colour: str
    symbol: str
    dashed: bool
    name: str


def looks(plot: Plot) -> list[Look]:
    """One look for each series: ours and the printed one of the same name share colour and symbol.

    Examples
    --------
    >>> pair = [Series("cora", [0], [1]), Series("cora", [0], [2], printed=True)]
    >>> [look.name for look in looks(Plot("p", "P", "x", "y", pair))]
    ['cora', 'cora, printed']
    """
    names = list(dict.fromkeys(s.name for s in plot.series if not (s.reference or s.muted)))
    return [_look(series, names) for series in plot.series]


def entries(plot: Plot) -> list[str]:
    """What the legend says of each series: "" where it has said so already, as of muted ones.

    Examples
    --------
    >>> muted = [Series(name, [0], [1], muted="others") for name in "bc"]
    >>> entries(Plot("p", "P", "x", "y", [Series("a", [0], [1]), *muted]))
    ['a', 'others', '']
    """
    found: list[str] = []
    for series, look in zip(plot.series, looks(plot), strict=True):
        name = series.muted or look.name
        found.append("" if name in found else name)
    return found


def behind(plot: Plot, series: Series) -> bool:
    """Whether the others are drawn over it."""
    return bool(series.muted) or (series.reference and plot.kind == "rows")


def _look(series: Series, names: Sequence[str]) -> Look:
    if series.reference or series.muted:
        return Look(GREY, SYMBOLS[0], series.reference, series.name)
    i = names.index(series.name)
    said = f"{series.name}, printed" if series.printed else series.name
    # Where colours come round again, another symbol and dashes tell the series apart.
    turn = i // len(COLOURS)
    return Look(COLOURS[i % len(COLOURS)], SYMBOLS[(i + turn) % len(SYMBOLS)], turn % 2 == 1, said)


def halves(series: Series) -> list[float]:
    """Half intervals of all points; 0 where there is none."""
    if not series.half:
        return [0.0] * len(series.y)
    return [0.0 if half is None or not isfinite(half) else half for half in series.half]


def number(value: float, digits: int, signed: bool = False) -> str:
    """A figure as text, with a true minus sign and a comma between thousands.

    Examples
    --------
    >>> number(198353, 0), number(-0.031, 2, signed=True), number(-0.001, 2, signed=True)
    ('198,353', '−0.03', '±0.00')
    """
    if not isfinite(value):
        return "–"
    rounded = round(value, digits)
    if signed and rounded == 0:
        return f"±{0:.{digits}f}"
    text = f"{abs(rounded):,.{digits}f}"
    if rounded < 0:
        return f"−{text}"
    return f"+{text}" if signed else text

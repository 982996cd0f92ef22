"""Where the labels of a plot have room: one written over another, or crossed by a line, cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10
from typing import Literal

from unifilter.viz.exhibit import Plot
from unifilter.viz.exhibit_look import halves

# Pixels between the outermost points of a plot on a phone, and those of a letter, a line of text and half a
# marker: a label that has room there has room on a wider page and in a paper.
WIDTH, HEIGHT = 215.0, 170.0
LETTER, LINE, MARKER = 7.0, 13.0, 4.0
EDGE = 28.0  # from the outermost points to where the picture ends: a label that goes further is cut off

Side = Literal["top", "bottom", "right", "left"]
Box = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True)
class Label:
    """A text above, under or beside the tip of a point's interval, which would cross it out elsewhere."""

    text: str
    x: float | str
    y: float
    side: Side


def labels(plot: Plot) -> list[list[Label]]:
    """Those of each series that have room; of two that collide the first stays.

    Examples
    --------
    >>> from unifilter.viz.exhibit import Series
    >>> x, y = [0, 0.03, 0.06, 1], [1, 1, 1, 0]
    >>> (found,) = labels(Plot("p", "P", "x", "y", [Series("s", x, y, labels=["a", "b", "c", "d"])]))
    >>> [(label.text, label.side) for label in found]
    [('a', 'top'), ('c', 'top'), ('d', 'top')]
    """
    shown: list[list[Label]] = [[] for _ in plot.series]
    if plot.kind == "rows" or not any(series.labels for series in plot.series):
        return shown
    points = _points(plot)
    taken = [box for boxes in points for box in boxes]
    for series, boxes, found in zip(plot.series, points, shown, strict=True):
        for i, text in enumerate(series.labels):
            up, half = series.y[i] >= 0, halves(series)[i]
            sides: tuple[Side, ...] = ("top" if up else "bottom", "right", "left")
            for side, place in ((side, _place(boxes[i], text, side, up)) for side in sides):
                inside = place[0] >= -EDGE and place[2] <= WIDTH + EDGE
                if inside and not any(_meet(place, other) for other in taken):
                    taken.append(place)
                    found.append(Label(text, series.x[i], series.y[i] + (half if up else -half), side))
                    break
    return shown


def _points(plot: Plot) -> list[list[Box]]:
    """What is drawn of each point, in pixels: its marker, its interval, its stem."""
    names, foot = plot.categories, [0.0] if plot.kind == "stems" else []
    x = [[names.index(v) if isinstance(v, str) else v for v in series.x] for series in plot.series]
    y = [[[v - half, v + half, *foot] for v, half in zip(s.y, halves(s), strict=True)] for s in plot.series]
    across = _scale([v for each in x for v in each], WIDTH, plot.log_x)
    upward = _scale([v for each in y for span in each for v in span], HEIGHT, plot.log_y)
    return [
        [
            (across(v) - MARKER, upward(min(span)) - MARKER, across(v) + MARKER, upward(max(span)) + MARKER)
            for v, span in zip(*each, strict=True)
        ]
        for each in zip(x, y, strict=True)
    ]


def _scale(values: Sequence[float], length: float, log: bool) -> Callable[[float], float]:
    """From values to pixels."""
    least = min((v for v in values if v > 0), default=1.0)

    def at(value: float) -> float:
        return log10(max(value, least)) if log else value

    low, high = min(map(at, values)), max(map(at, values))
    return lambda value: length * (at(value) - low) / ((high - low) or 1.0)


def _place(point: Box, text: str, side: Side, up: bool) -> Box:
    """The box of a label, a hair off that of its point."""
    left, bottom, right, top = point
    wide = LETTER * len(text)
    if side in ("top", "bottom"):
        start, foot = (left + right - wide) / 2, top if up else bottom - LINE
    else:
        start = right if side == "right" else left - wide
        foot = (top - MARKER if up else bottom + MARKER) - LINE / 2
    return start, foot, start + wide, foot + LINE


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

"""A Plot as PNG and SVG for papers, through matplotlib; the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from math import ceil
from textwrap import fill
from typing import Any, Literal

import numpy as np

from unifilter.viz.exhibit import Plot, Series
from unifilter.viz.exhibit_labels import Label, labels
from unifilter.viz.exhibit_look import CROWDED, Look, halves, looks

Format = Literal["png", "svg"]
FORMATS: tuple[Format, ...] = ("png", "svg")
MARKERS = {"circle": "o", "diamond": "D", "square": "s", "triangle-up": "^", "x": "X"}
# Of a label: which way from its point, and which edge of the text is there.
_SIDES = {
    "top": ((0, 1), {"ha": "center", "va": "bottom"}),
    "bottom": ((0, -1), {"ha": "center", "va": "top"}),
    "right": ((1, 0), {"ha": "left", "va": "center"}),
    "left": ((-1, 0), {"ha": "right", "va": "center"}),
}
_STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e5e8",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "axes.unicode_minus": True,
    "svg.hashsalt": "unifilter",  # ids of clip paths are otherwise drawn at random
    "svg.fonttype": "path",
    "path.simplify": False,
}


def matplotlib(module: str = "") -> Any:
    """A module of matplotlib, which is an extra.

    Examples
    --------
    >>> matplotlib("figure").Figure.__name__
    'Figure'
    """
    try:
        return import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ImportError as error:
        raise ImportError(
            "PNG and SVG figures need the package matplotlib: pip install 'unifilter[figures]'."
        ) from error


def image(plot: Plot, format: Format, dpi: int = 200) -> bytes:
    """The picture.

    Parameters
    ----------
    plot : Plot
    format : {"png", "svg"}
    dpi : int
        Of a PNG.

    Examples
    --------
    >>> image(Plot("p", "P", "x", "y", [Series("a", [0, 1], [1, 2])]), "png")[1:4]
    b'PNG'
    """
    return images(plot, (format,), dpi)[format]


def images(plot: Plot, formats: Sequence[Format] = FORMATS, dpi: int = 200) -> dict[Format, bytes]:
    """The picture in several formats: laid out once, which takes as long as to draw it."""
    found: dict[Format, bytes] = {}
    with matplotlib().rc_context(_STYLE):
        figure = matplotlib("figure").Figure(figsize=_size(plot), layout="constrained")
        axes = figure.subplots()
        _draw(plot, axes)
        if len(plot.series) > 1:
            place = {"loc": "outside lower center", "ncols": _columns(plot)}
            figure.legend(columnspacing=1.2, handletextpad=0.5, **place)
        for format in formats:
            metadata = (
                {"Date": None, "Creator": "unifilter"} if format == "svg" else {"Software": "unifilter"}
            )
            stream = BytesIO()
            figure.savefig(stream, format=format, dpi=dpi, metadata=metadata)
            figure.set_layout_engine("none")  # it stays as it is
            found[format] = stream.getvalue()
    return found


def _size(plot: Plot) -> tuple[float, float]:
    """Inches: a column of a paper, wider for many names, higher for a long legend."""
    rows = ceil(len(plot.series) / _columns(plot)) if len(plot.series) > 1 else 0
    return max(5.2, min(9.0, 0.55 * len(plot.categories))), 3.2 + 0.18 * rows


def _columns(plot: Plot) -> int:
    """Columns of the legend: a line has room for some 80 characters, a sign beside every name."""
    longest = max(len(look.name) for look in looks(plot))
    return max(1, min(4, len(plot.series), 80 // (longest + 7)))


def _draw(plot: Plot, axes: Any) -> None:
    width = int((_size(plot)[0] - 0.8) / 0.085)  # inches beside the numbers of the axis, and of a letter
    axes.set_title(fill(_plain(plot.title), width), loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel(_plain(plot.x))
    axes.set_ylabel(_plain(plot.y))
    if plot.log_x:
        axes.set_xscale("log")
    if plot.log_y:
        axes.set_yscale("log")
    names = plot.categories
    if names:
        long = max(map(len, names)) * len(names) > 60
        axes.set_xticks(range(len(names)), [_plain(n) for n in names])
        axes.tick_params(axis="x", labelrotation=35 if long else 0)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right" if long else "center")
            label.set_rotation_mode("anchor" if long else "default")
        axes.grid(visible=False, axis="x")
    barred = [s for s in plot.series if not s.reference] if plot.kind == "bars" else []
    for series, look, shown in zip(plot.series, looks(plot), labels(plot), strict=True):
        x = _x(series, names)
        if any(series is b for b in barred):
            place = next(i for i, b in enumerate(barred) if b is series)
            _bars(axes, series, look, x, place, len(barred))
        else:
            _points(plot, axes, series, look, x)
            _labels(axes, shown, names)
    if plot.kind in ("bars", "stems") and not plot.log_y:
        axes.axhline(0, color="#5c6570", linewidth=0.8)


def _points(plot: Plot, axes: Any, series: Series, look: Look, x: Any) -> None:
    y, errors = np.asarray(series.y, float), halves(series)
    joined = series.reference or (plot.kind == "lines" and not series.printed)
    style: dict[str, Any] = {"color": look.colour, "linewidth": 1.0 if series.reference else 1.5}
    style["linestyle"] = ("--" if look.dashed else "-") if joined else "none"
    if not (series.reference or (joined and len(y) > CROWDED)):
        style |= {"marker": MARKERS[look.symbol], "markersize": 5.5 if series.printed else 4}
        style |= {"markerfacecolor": "none" if series.printed else look.colour, "markeredgewidth": 1.2}
    if plot.kind == "stems" and not series.reference:
        axes.vlines(
            x, 0, y, color=look.colour, alpha=0.6, linewidth=1, linestyle=":" if series.printed else "-"
        )
    axes.errorbar(x, y, errors if any(errors) else None, label=_plain(look.name), capsize=2.5, **style)


def _labels(axes: Any, shown: Sequence[Label], names: list[str]) -> None:
    if shown:
        axes.margins(y=0.1)  # room for those at the top and at the bottom
    for label in shown:
        (right, up), place = _SIDES[label.side]
        axes.annotate(
            _plain(label.text),
            (names.index(label.x) if isinstance(label.x, str) else label.x, label.y),
            xytext=(4 * right, 3 * up),
            textcoords="offset points",
            fontsize=7,
            color="#1c2024",
            **place,
        )


def _bars(axes: Any, series: Series, look: Look, x: Any, place: int, count: int) -> None:
    width = 0.8 / count * (1.0 if series.x and isinstance(series.x[0], str) else _gap(x))
    errors = halves(series)
    axes.bar(
        x + (place - (count - 1) / 2) * width,
        np.asarray(series.y, float),
        0.92 * width,
        yerr=errors if any(errors) else None,
        label=_plain(look.name),
        facecolor="none" if series.printed else look.colour,
        edgecolor=look.colour,
        linewidth=1.2 if series.printed else 0,
        ecolor="#1c2024" if not series.printed else look.colour,
        capsize=2.5,
    )


def _gap(x: Any) -> float:
    """Least distance of two bars, 1 if there is only one."""
    apart = np.diff(np.unique(x))
    return float(apart.min()) if apart.size else 1.0


def _x(series: Series, names: list[str]) -> Any:
    return np.asarray([names.index(x) if isinstance(x, str) else x for x in series.x], float)


def _plain(text: str) -> str:
    """Nothing in it is read as a formula."""
    return text.replace("$", r"\$")

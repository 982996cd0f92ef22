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
from unifilter.viz.exhibit_look import CROWDED, Look, behind, entries, halves, looks

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
        if len(_legend(plot)) > 1:
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
    """Inches: a column of a paper, wider for many names, higher for a long legend or many rows."""
    lines = ceil(len(_legend(plot)) / _columns(plot)) if len(_legend(plot)) > 1 else 0
    if plot.kind == "rows":
        return 5.2, 1.1 + 0.21 * len(plot.categories) + 0.18 * lines
    return max(5.2, min(9.0, 0.55 * len(plot.categories))), 3.2 + 0.18 * lines


def _legend(plot: Plot) -> list[str]:
    return [name for name in entries(plot) if name]


def _columns(plot: Plot) -> int:
    """Columns of the legend: a line has room for some 80 characters, a sign beside every name."""
    names = _legend(plot)
    return max(1, min(4, len(names), 80 // (max(map(len, names)) + 7)))


def _draw(plot: Plot, axes: Any) -> None:
    # Inches beside the axis, with what its names take, and those of a letter of the title.
    beside = 0.4 + 0.075 * max(map(len, plot.categories)) if plot.kind == "rows" else 0.8
    width = int((_size(plot)[0] - beside) / 0.085)
    axes.set_title(fill(_plain(plot.title), width), loc="left", fontsize=10, fontweight="bold")
    rows, names = plot.kind == "rows", plot.categories
    across, upward = (plot.y, plot.x) if rows else (plot.x, plot.y)
    axes.set_xlabel(_plain(across))
    axes.set_ylabel(_plain(upward))
    if plot.log_x:
        axes.set_xscale("log")
    if plot.log_y:
        (axes.set_xscale if rows else axes.set_yscale)("log")
    if rows:
        axes.set_yticks(range(len(names)), [_plain(n) for n in names])
        axes.invert_yaxis()  # the first on top
        axes.grid(visible=False, axis="y")
    elif names:
        long = max(map(len, names)) * len(names) > 60
        axes.set_xticks(range(len(names)), [_plain(n) for n in names])
        axes.tick_params(axis="x", labelrotation=35 if long else 0)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right" if long else "center")
            label.set_rotation_mode("anchor" if long else "default")
        axes.grid(visible=False, axis="x")
    barred = [s for s in plot.series if not s.reference] if plot.kind == "bars" else []
    looked = zip(plot.series, looks(plot), labels(plot), entries(plot), strict=True)
    for series, look, shown, entry in looked:
        x = _x(series, names)
        if any(series is b for b in barred):
            place = next(i for i, b in enumerate(barred) if b is series)
            _bars(axes, series, look, x, place, len(barred))
        else:
            _points(plot, axes, series, look, x, entry)
            _labels(axes, shown, names)
    if plot.kind in ("bars", "stems") and not plot.log_y:
        axes.axhline(0, color="#5c6570", linewidth=0.8)
    least, most = axes.dataLim.intervalx
    if plot.log_x and np.isclose(least, most):  # a logarithmic axis of one place would have no width
        axes.set_xlim(least / 3, most * 3)


def _points(plot: Plot, axes: Any, series: Series, look: Look, x: Any, entry: str) -> None:
    y, errors, rows = np.asarray(series.y, float), halves(series), plot.kind == "rows"
    joined = series.reference or (plot.kind == "lines" and not series.printed)
    width = 0.7 if series.muted else 1.5 if not series.reference else 5.0 if rows else 1.0
    style: dict[str, Any] = {"color": look.colour, "linewidth": width, "label": _plain(entry)}
    style["linestyle"] = ("--" if look.dashed and not rows else "-") if joined else "none"
    if behind(plot, series):
        style |= {"alpha": 0.6, "zorder": 1.5, "solid_capstyle": "butt"}
    if not (series.reference or (joined and (series.muted or len(y) > CROWDED))):
        style |= {"marker": MARKERS[look.symbol], "markersize": 5.5 if series.printed else 4}
        style |= {"markerfacecolor": "none" if series.printed else look.colour, "markeredgewidth": 1.2}
    if plot.kind == "stems" and not series.reference:
        axes.vlines(
            x, 0, y, color=look.colour, alpha=0.6, linewidth=1, linestyle=":" if series.printed else "-"
        )
    shown = errors if any(errors) and not series.muted else None
    place = {"x": y, "y": x, "xerr": shown} if rows else {"x": x, "y": y, "yerr": shown}
    axes.errorbar(**place, capsize=2.5, **style)


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

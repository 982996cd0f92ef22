"""A Plot as a plotly Figure, the paper's points drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from unifilter.viz.exhibit import Plot, Series
from unifilter.viz.exhibit_labels import Label, labels
from unifilter.viz.exhibit_look import CROWDED, Look, behind, entries, halves, looks
from unifilter.viz.style import GREY, figure, plotly, rows_of

HOLLOW = "rgba(0,0,0,0)"
_SIDES = {"top": "top center", "bottom": "bottom center", "right": "middle right", "left": "middle left"}


def draw(plot: Plot) -> Any:
    """The Figure.

    Examples
    --------
    >>> pair = [Series("cora", [0.1, 0.9], [70.0, 89.0]), Series("cora", [0.1], [70.5], printed=True)]
    >>> [trace.name for trace in draw(Plot("tau", "Sensitivity", "τ", "accuracy (%)", pair)).data]
    ['cora', 'cora, printed']
    """
    traces: list[Any] = []
    said = entries(plot)
    for series, look, shown, entry in zip(plot.series, looks(plot), labels(plot), said, strict=True):
        if plot.kind == "bars" and not series.reference:
            traces.append(_bars(series, look))
            continue
        if plot.kind == "stems" and not series.reference:
            traces.append(_stems(series, look))
        traces.append(_points(plot, series, look).update(showlegend=bool(entry)))
        traces += [_labels(shown, look)] if shown else []
    count = len(list(filter(None, said)))
    layout: dict[str, Any] = {"showlegend": count > 1, "bargap": 0.2, "bargroupgap": 0.06}
    layout["legend"] = {"yref": "container", "y": 0, "yanchor": "bottom", "traceorder": "normal"}
    names, values = _axis(plot), dict[str, Any]()
    if plot.log_y:
        values = {"type": "log", "exponentformat": "power"}
    elif plot.kind in ("bars", "stems"):
        values = {"zeroline": True}
    titles, axes, rows = [escape(plot.x), escape(plot.y)], [names, values], 0
    if plot.kind == "rows":
        rows = len(plot.categories)
        titles, axes = titles[::-1], [values, names | rows_of(rows)]
    layout["xaxis"], layout["yaxis"] = axes
    # A legend of many names takes rows of its own: they must not be the plot's.
    return figure(traces, titles[0], titles[1], 340 + 16 * count, rows, **layout)


def _axis(plot: Plot) -> dict[str, Any]:
    names = plot.categories
    if names:
        order = {"categoryorder": "array", "categoryarray": [escape(n, quote=False) for n in names]}
        # Names that a phone turns upright push the title down only if it has a distance of its own.
        return {"type": "category", "title": {"standoff": 8}} | order
    return {"type": "log", "exponentformat": "power"} if plot.log_x else {}


def _points(plot: Plot, series: Series, look: Look) -> Any:
    lines, rows = plot.kind == "lines" and not series.printed, plot.kind == "rows"
    bare = series.reference or (lines and (series.muted or len(series.y) > CROWDED))
    mode = "lines" if bare else "lines+markers" if lines else "markers"
    # The paper's points are not joined: their line would hide ours.
    dash = {"dash": "dash" if look.dashed and not rows else "solid"}
    width = 1 if series.muted else 2 if not series.reference else 7 if rows else 1.5
    size = 9 if series.printed else 7
    name = escape(series.muted or look.name, quote=False)
    place = {"x": _x(series), "y": list(series.y), "error_y": _errors(series, look)}
    if rows:
        place = {"x": place["y"], "y": place["x"], "error_x": place["error_y"]}
    return plotly().Scatter(
        **place,
        name=name,
        mode=mode,
        line={"color": look.colour, "width": width} | dash,
        opacity=0.6 if behind(plot, series) else 1,
        zorder=-1 if behind(plot, series) else 0,
        marker={
            "size": size,
            "symbol": f"{look.symbol}-open" if series.printed else look.symbol,
            "color": look.colour,
            "line": {"color": look.colour, "width": 2 if series.printed else 0},
        },
        hovertemplate=_hover(
            look, bool(series.labels) and list(series.labels) != [series.name], *("yx" if rows else "xy")
        ),
        hovertext=[escape(label, quote=False) for label in series.labels] or None,
        customdata=_spread(series),
        legendgroup=name,  # a click on the name hides stems and labels as well
    )


def _labels(shown: Sequence[Label], look: Look) -> Any:
    """In the page's ink; those without room are told on hovering."""
    return plotly().Scatter(
        x=[escape(label.x, quote=False) if isinstance(label.x, str) else label.x for label in shown],
        y=[label.y for label in shown],
        mode="markers+text",
        marker={"size": 12, "opacity": 0},  # unseen, it keeps the text off the interval's end
        text=[escape(label.text, quote=False) for label in shown],
        textposition=[_SIDES[label.side] for label in shown],
        textfont={"size": 11},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
        legendgroup=escape(look.name, quote=False),
    )


def _stems(series: Series, look: Look) -> Any:
    return plotly().Scatter(
        x=[v for x in _x(series) for v in (x, x, None)],
        y=[v for y in series.y for v in (0.0, y, None)],
        mode="lines",
        line={"color": look.colour, "width": 1.5, "dash": "dot" if series.printed else "solid"},
        opacity=0.6,
        hoverinfo="skip",
        showlegend=False,
        legendgroup=escape(look.name, quote=False),
    )


def _bars(series: Series, look: Look) -> Any:
    return plotly().Bar(
        x=_x(series),
        y=list(series.y),
        name=escape(look.name, quote=False),
        marker={
            "color": HOLLOW if series.printed else look.colour,
            "line": {"color": look.colour, "width": 2 if series.printed else 0},
        },
        error_y=_errors(series, look) | {"color": GREY},  # its own colour would vanish on the bar
        hovertemplate=_hover(look),
        customdata=_spread(series),
    )


def _spread(series: Series) -> list[str]:
    return [f" ± {half:.3g}" if half else "" for half in halves(series)]


def _hover(look: Look, labelled: bool = False, x: str = "x", y: str = "y") -> str:
    name = escape(look.name, quote=False).replace("%", "&#37;") + (" %{hovertext}" if labelled else "")
    return f"%{{{x}}}: %{{{y}:.4g}}%{{customdata}}<extra>{name}</extra>"


def _errors(series: Series, look: Look) -> dict[str, Any]:
    values = halves(series)
    visible = any(values) and not series.muted
    return {"array": values, "visible": visible, "color": look.colour, "thickness": 1.5, "width": 4}


def _x(series: Series) -> list[Any]:
    return [escape(x, quote=False) if isinstance(x, str) else x for x in series.x]

"""Figures of data: plain numbers in, a plotly Figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from unifilter._types import FloatArray, IntArray
from unifilter.analysis.labels import Label
from unifilter.analysis.spectrum import Density, Features
from unifilter.graph.homophily import Estimate
from unifilter.viz.style import BLUE, FAINT, GREEN, GREY, ORANGE, figure, names, percent, plotly, rows_of

MEASURES = {
    "edge": "edge homophily h",
    "node": "node homophily",
    "class": "class homophily",
    "adjusted": "adjusted homophily",
    "informativeness": "label informativeness",
}


def degree_histogram(degree_counts: IntArray) -> Any:
    """Nodes by their number of neighbours, in bins that widen: 0, 1, 2, 3, 4-5, 6-7, 8-11, ...

    Parameters
    ----------
    degree_counts : array of shape (2, q)
        Degrees that occur, and how many nodes have them.
    """
    degree, count = degree_counts
    # Two bins to every doubling, and one more start to end the last bin.
    starts = [0, 1, 2, 3] + [start for k in range(2, 62) for start in (2**k, 3 * 2 ** (k - 1))]
    place = np.searchsorted(starts, degree, side="right") - 1
    used = range(int(place.min()), int(place.max()) + 1)
    ticks = [_bin(starts[b], starts[b + 1] - 1) for b in used]
    shown = np.bincount(place, count)[used.start :]
    hover = [f"{int(t):,} nodes ({percent(t / count.sum())})" for t in shown]
    bar = plotly().Bar(x=ticks, y=shown, marker_color=BLUE, customdata=hover, hovertemplate=_HOVER_X)
    return figure([bar], "neighbours", "nodes", xaxis_type="category")


def label_shares(labels: Sequence[Label], unlabelled: int) -> Any:
    """Nodes of each class, and those without a label."""
    counts = [label.count for label in labels] + [unlabelled] * (unlabelled > 0)
    ticks = names([label.name for label in labels] + ["(no label)"] * (unlabelled > 0))
    colours = [BLUE] * len(labels) + [GREY]
    hover = [f"{c:,} nodes ({percent(c / max(1, sum(counts)))})" for c in counts]
    bar = plotly().Bar(
        x=counts,
        y=ticks,
        orientation="h",
        marker_color=colours[: len(counts)],
        customdata=hover,
        hovertemplate=_HOVER_Y,
    )
    return figure([bar], "nodes", rows=len(counts), yaxis=rows_of(len(counts)))


def homophily_bars(homophily: Mapping[str, Estimate]) -> Any:
    """Every measure with an interval of two standard errors either way."""
    known = {k: e for k, e in homophily.items() if not isnan(e.value)}
    spread = [0.0 if isnan(e.error) else 2 * e.error for e in known.values()]
    values = [e.value for e in known.values()]
    bar = plotly().Bar(
        x=values,
        y=[MEASURES.get(k, k) for k in known],
        orientation="h",
        marker_color=[BLUE if v >= 0 else ORANGE for v in values],
        error_x={"array": spread, "color": GREY, "thickness": 2, "visible": any(spread)},
        hovertemplate="%{y}: %{x:.3f}<extra></extra>",
    )
    low = min([0.0, *(v - s - 0.05 for v, s in zip(values, spread, strict=True) if v < 0)])
    axis = {"range": [low, 1.02], "dtick": 0.25}
    return figure([bar], rows=len(known), height=270, xaxis=axis, yaxis=rows_of(len(known)))


def label_frequencies(labels: Sequence[Label]) -> Any:
    """Frequency of each class's indicator beside that of labels at random."""
    known = [label for label in labels if not isnan(label.frequency)]
    go, ticks = plotly(), names([label.name for label in known])
    apart = [v for label in known for v in (label.frequency, label.chance, None)]
    stems = go.Scatter(
        x=apart,
        y=[t for tick in ticks for t in (tick, tick, None)],
        mode="lines",
        line={"color": GREY, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    dots = {
        name: go.Scatter(
            x=values,
            y=ticks,
            name=name,
            mode="markers",
            marker={"size": 12, "color": colour, "symbol": symbol, "line": {"color": colour, "width": 2}},
            hovertemplate=f"%{{y}}: %{{x:.3f}}<extra>{name}</extra>",
        )
        for name, values, colour, symbol in (
            ("labels at random", [label.chance for label in known], GREY, "circle-open"),
            ("these labels", [label.frequency for label in known], BLUE, "circle"),
        )
    }
    axis = {"range": [-0.02, 1.02], "dtick": 0.25}
    traces = [stems, *dots.values()]
    return figure(traces, "frequency f", rows=len(known), xaxis=axis, yaxis=rows_of(len(known)))


def spectral_density(density: Density) -> Any:
    """Where the eigenvalues of L = I - P lie."""
    lam, values = density.smooth()
    return figure([area(lam, values)], "eigenvalue λ of L", "density", **spectral_axes())


def feature_frequencies(features: Features, labels_mean: float = float("nan"), bins: int = 40) -> Any:
    """Feature columns, and their energy, by frequency; the means of features and labels as lines."""
    go = plotly()
    edges = np.linspace(0, 1, bins + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    f = np.clip(features.frequency, 0, 1)  # rounding may leave [0, 1]
    shares = {
        "of the columns": (np.histogram(f, edges)[0] / max(1, f.size), FAINT),
        "of the energy": (np.histogram(f, edges, weights=features.energy)[0], BLUE),
    }
    traces = [
        go.Bar(x=middle, y=share, name=name, marker_color=colour, hovertemplate="f = %{x:.2f}: %{y:.1%}")
        for name, (share, colour) in shares.items()
    ]
    top = max(float(share.max()) for share, _ in shares.values()) * 1.1
    for name, mean, colour in (("features", features.mean, GREEN), ("labels", labels_mean, ORANGE)):
        if not isnan(mean):
            traces.append(_line(mean, top, f"mean of the {name}", colour))
    axes: dict[str, Any] = {"xaxis_range": [0, 1], "yaxis": {"tickformat": ".0%", "range": [0, top]}}
    return figure(traces, "frequency f", "share", barmode="overlay", bargap=0.05, **axes)


def area(lam: FloatArray, values: FloatArray, **more: Any) -> Any:
    """The density of the spectrum, filled."""
    return plotly().Scatter(
        x=lam,
        y=values,
        name="eigenvalues of the graph",
        mode="lines",
        line={"color": BLUE, "width": 1.5},
        fill="tozeroy",
        fillcolor=FAINT,
        hovertemplate="λ = %{x:.2f}: %{y:.2f}<extra>eigenvalues</extra>",
        **more,
    )


def spectral_axes() -> dict[str, Any]:
    """Eigenvalues from 0 to 2, with words at the ends."""
    ticks = {
        "tickvals": [0, 0.5, 1, 1.5, 2],
        "ticktext": ["0<br>smooth", "0.5", "1", "1.5", "2<br>alternating"],
    }
    margin = {"l": 12, "r": 44, "t": 16, "b": 12}  # room for the last tick
    return {"xaxis": {"range": [0, 2], **ticks}, "yaxis_rangemode": "tozero", "margin": margin}


def _line(x: float, top: float, name: str, colour: str) -> Any:
    line = {"color": colour, "width": 2, "dash": "dash"}
    text = f"{name}: {x:.3f}<extra></extra>"
    return plotly().Scatter(x=[x, x], y=[0, top], name=name, mode="lines", line=line, hovertemplate=text)


def _bin(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


_HOVER_X = "%{x} neighbours: %{customdata}<extra></extra>"
_HOVER_Y = "%{y}: %{customdata}<extra></extra>"

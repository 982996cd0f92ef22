"""Figures of a trained model: plain numbers in, a plotly Figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unifilter._types import FloatArray, IntArray
from unifilter.analysis.spectrum import Density
from unifilter.viz.figures import area, spectral_axes
from unifilter.viz.style import BLUE, GREEN, GREY, ORANGE, PINK, figure, names, plotly, rows_of

WATCHED = {"tau": ("τ", BLUE), "h": ("h", ORANGE)}
CELLS = 12  # classes up to which a confusion matrix is small enough to write its numbers in


def learning_curves(history: Sequence[Mapping[str, float]], best_epoch: int) -> Any:
    """Losses above, validation accuracy below, the epoch that was kept as a line through both."""
    drawn = (
        ("train_loss", "training loss", BLUE, "y"),
        ("val_loss", "validation loss", ORANGE, "y"),
        ("val_accuracy", "validation accuracy", GREEN, "y2"),
    )
    traces = [
        _curve(history, key, name, colour).update(yaxis=axis)
        for key, name, colour, axis in drawn
        if any(key in scores for scores in history)
    ]
    line = {"color": GREY, "dash": "dot", "width": 2}
    traces.append(plotly().Scatter(x=[None], y=[None], name="epoch kept", mode="lines", line=line))
    accuracy = {"title": "accuracy", "domain": [0, 0.46], "automargin": True, "tickformat": ".0%"}
    return figure(
        traces,
        "epoch",
        "loss",
        height=420,
        xaxis_anchor="y2",
        yaxis={"domain": [0.54, 1], "rangemode": "tozero"},
        yaxis2=accuracy | {"zeroline": False, "range": _accuracies(history)},
        shapes=[
            {
                "type": "line",
                "x0": best_epoch,
                "x1": best_epoch,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": line,
            }
        ],
    )


def _accuracies(history: Sequence[Mapping[str, float]]) -> list[float]:
    """From the least to the largest with a margin, not beyond what an accuracy can be, nor in one point."""
    seen = [a for scores in history if np.isfinite(a := scores.get("val_accuracy", np.nan))]
    least, most = (min(seen), max(seen)) if seen else (0.0, 1.0)
    margin = max(0.05, 0.06 * (most - least))
    low, high = max(0.0, least - margin), min(1.0, most + margin)
    room = 0.02 * (high - low)  # for the line itself, too little for a tick beyond 0 or 1
    return [low - room * (low == 0), high + room * (high == 1)]


def learned_shares(history: Sequence[Mapping[str, float]]) -> Any:
    """Tau and h over the epochs."""
    traces = [
        _curve(history, key, name, colour)
        for key, (name, colour) in WATCHED.items()
        if any(key in scores for scores in history)
    ]
    return figure(traces, "epoch", yaxis={"range": [-0.02, 1.02], "dtick": 0.25}, showlegend=True)


def weights(w: FloatArray) -> Any:
    """Learned weight of every basis vector."""
    bar = plotly().Bar(
        x=np.arange(len(w)),
        y=w,
        marker_color=[BLUE if v >= 0 else ORANGE for v in w],
        hovertemplate="k = %{x}: w = %{y:.4f}<extra></extra>",
    )
    return figure([bar], "hop k", "weight w", yaxis_zeroline=True, xaxis_dtick=max(1, len(w) // 12))


def frequency_response(
    lam: FloatArray,
    g: FloatArray,
    density: Density,
    low: FloatArray | None = None,
    high: FloatArray | None = None,
) -> Any:
    """What the filter makes of every frequency, over the eigenvalues that the graph has.

    Where it has none, nothing holds the polynomial: the axis shows the values that matter.
    """
    go = plotly()
    traces = [area(*density.smooth())]
    if low is not None and high is not None:
        band = go.Scatter(
            x=np.concatenate([lam, lam[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            yaxis="y2",
            fill="toself",
            fillcolor="rgba(224,138,60,0.25)",
            line={"width": 0},
            name="middle 80% of the columns",
            hoverinfo="skip",
        )
        traces.append(band)
    line = go.Scatter(
        x=lam,
        y=g,
        yaxis="y2",
        name="response g(λ)" if low is None else "response g(λ), median of the columns",
        mode="lines",
        line={"color": ORANGE, "width": 3},
        hovertemplate="λ = %{x:.2f}: g = %{y:.3f}<extra>response</extra>",
    )
    # The axis that overlays is drawn on top: that is the response's. The density's scale tells nothing here.
    axes = spectral_axes() | {"yaxis": {"visible": False, "rangemode": "tozero"}}
    axes["yaxis2"] = {"overlaying": "y", "side": "left", "title": "response g", "automargin": True}
    axes["yaxis2"] |= {"tickmode": "auto"}  # not at the ticks of the hidden one
    axes["yaxis2"]["range"] = _reach(lam, [v for v in (g, low, high) if v is not None], density)
    return figure([*traces, line], "eigenvalue λ of L", height=360, **axes)


def _reach(lam: FloatArray, values: Sequence[FloatArray], density: Density) -> list[float]:
    """Least and largest value where the graph has eigenvalues, 0 among them, with a margin."""
    where, height = density.smooth()
    there = np.interp(lam, where, height) > 0.01 * np.max(height)
    there |= lam <= 0.02  # 0 is an eigenvalue of every graph with an edge
    seen = np.concatenate([np.asarray(v)[there] for v in values])
    least, most = min(0.0, float(seen.min())), max(0.0, float(seen.max()))
    margin = 0.08 * (most - least) or 1.0
    return [least - margin, most + margin]


def basis_spectrum(frequencies: FloatArray, w: FloatArray) -> Any:
    """Frequency and weight of every basis vector: the spectrum of the trained basis."""
    go = plotly()
    colours = [BLUE if v >= 0 else ORANGE for v in w]
    size = 15 + 8 * np.abs(w) / max(float(np.abs(w).max()), 1e-12)
    first, last = (float(end) for end in (np.nanmin(frequencies), np.nanmax(frequencies)))
    reach = max(0.15, 0.6 * (last - first))  # never so near that a narrow spectrum looks wide
    shown = [max(-0.01, (first + last) / 2 - reach), min(1.01, (first + last) / 2 + reach)]
    stems = go.Scatter(
        x=[v for f in frequencies for v in (f, f, None)],
        y=[v for weight in w for v in (0.0, weight, None)],
        mode="lines",
        line={"color": GREY, "width": 1.5},
        hoverinfo="skip",
    )
    dots = go.Scatter(
        x=frequencies,
        y=w,
        mode="markers+text",
        text=[str(k) for k in range(len(w))],
        textfont={"size": 10, "color": "white"},
        marker={"size": size, "color": colours, "opacity": 1},
        customdata=np.arange(len(w)),
        hovertemplate="k = %{customdata}: f = %{x:.3f}, w = %{y:.4f}<extra></extra>",
    )
    axes: dict[str, Any] = {"xaxis_range": shown, "yaxis_zeroline": True}
    return figure([stems, dots], "frequency f of basis vector k", "weight w", showlegend=False, **axes)


def confusion(counts: IntArray, classes: Sequence[str]) -> Any:
    """True classes in rows, predicted ones in columns, coloured by the share of the row."""
    share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    ticks = names(classes)
    place = list(range(len(ticks)))
    heat = plotly().Heatmap(
        z=share,
        zmin=0,
        zmax=1,
        colorscale=[[0, "white"], [1, BLUE]],  # the page fades from its own colour
        showscale=False,
        text=counts,
        texttemplate="%{text}" if len(ticks) <= CELLS else "",
        customdata=[[f"{t} taken for {p}" for p in ticks] for t in ticks],
        hovertemplate="%{customdata}: %{text} nodes (%{z:.1%} of the row)<extra></extra>",
        xgap=2 if len(ticks) <= CELLS else 0,
        ygap=2 if len(ticks) <= CELLS else 0,
    )
    axis = (
        {"showgrid": False, "tickvals": place, "ticktext": ticks} if len(ticks) <= 30 else {"showgrid": False}
    )
    axes: dict[str, Any] = {"xaxis": axis, "yaxis": axis | {"autorange": "reversed"}}
    return figure([heat], "predicted", "true", height=min(640, 220 + 26 * len(ticks)), **axes)


def class_scores(scores: Mapping[str, Sequence[float]], classes: Sequence[str]) -> Any:
    """Precision, recall and F1 of every class."""
    ticks = names(classes)
    look = {"precision": (BLUE, "circle"), "recall": (ORANGE, "diamond"), "F1": (GREEN, "square")}
    traces = [
        plotly().Scatter(
            x=scores[name],
            y=ticks,
            name=name,
            mode="markers",
            marker={"size": 11, "color": colour, "symbol": symbol},
            hovertemplate=f"%{{y}}: %{{x:.3f}}<extra>{name}</extra>",
        )
        for name, (colour, symbol) in look.items()
    ]
    axis = {"range": [-0.02, 1.02], "dtick": 0.25, "tickformat": ".0%"}
    return figure(traces, rows=len(ticks), xaxis=axis, yaxis=rows_of(len(ticks)))


def calibration(confidence: FloatArray, accuracy: FloatArray, count: IntArray) -> Any:
    """Accuracy against confidence, bin by bin; on the diagonal, probabilities mean what they say.

    Parameters
    ----------
    confidence, accuracy, count : arrays of shape (bins,)
        Mean confidence, share of right predictions and number of nodes of every bin that is not empty.
    """
    go = plotly()
    perfect = go.Scatter(
        x=[0, 1],
        y=[0, 1],
        name="confidence = accuracy",
        mode="lines",
        line={"color": GREY, "dash": "dash"},
        hoverinfo="skip",
    )
    bins = go.Scatter(
        x=confidence,
        y=accuracy,
        name="bins of nodes, area as their number",
        mode="lines+markers",
        line={"color": PINK, "width": 1.5},
        marker={
            "size": 6 + 28 * np.sqrt(count / max(1, int(count.max(initial=1)))),
            "color": PINK,
            "opacity": 0.75,
        },
        customdata=count,
        hovertemplate="confidence %{x:.1%}, accuracy %{y:.1%}<br>%{customdata:,} nodes<extra></extra>",
    )
    axis = {"range": [-0.03, 1.06], "dtick": 0.25, "tickformat": ".0%"}
    return figure([perfect, bins], "confidence", "accuracy", height=360, xaxis=axis, yaxis=axis)


def _curve(history: Sequence[Mapping[str, float]], key: str, name: str, colour: str) -> Any:
    alone = {"mode": "lines+markers"} if len(history) == 1 else {"mode": "lines"}
    return plotly().Scatter(
        x=[scores.get("epoch", i) for i, scores in enumerate(history)],
        y=[scores.get(key) for scores in history],
        name=name,
        line={"color": colour, "width": 2},
        hovertemplate=f"epoch %{{x}}: %{{y:.4f}}<extra>{name}</extra>",
        **alone,
    )

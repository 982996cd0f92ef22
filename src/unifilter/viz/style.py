"""What all figures share: colours that read on light and dark, margins, axes, and plotly on first use."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import import_module
from typing import Any

BLUE, ORANGE, GREEN, PINK, GREY = "#3d85c6", "#e08a3c", "#2a9d76", "#c4699b", "#8b929c"
FAINT = "rgba(61,133,198,0.25)"
LONGEST = 22  # characters of a name on an axis: more would leave no room for the figure on a phone


def plotly(module: str = "graph_objects") -> Any:
    """A module of plotly, which is an extra.

    Examples
    --------
    >>> plotly().Figure.__name__
    'Figure'
    """
    try:
        return import_module(f"plotly.{module}")
    except ImportError as error:
        raise ImportError("figures need the package plotly: pip install 'unifilter[viz]'.") from error


def figure(
    traces: Sequence[Any], x: str = "", y: str = "", height: int = 320, rows: int = 0, **layout: Any
) -> Any:
    """A Figure in the house style; the page adds the colours of its theme.

    Parameters
    ----------
    traces : sequence of plotly traces
    x, y : str
        Titles of the axes.
    height : int
        Pixels.
    rows : int
        Bars or rows that need room of their own, below each other: the figure grows with them, to a limit.
    **layout
        More of plotly's layout.
    """
    go = plotly()
    fig = go.Figure(
        data=list(traces),
        layout={
            "template": "none",
            "height": max(height, min(900, 90 + 26 * rows)),
            "margin": {"l": 12, "r": 16, "t": 16, "b": 12},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": "inherit", "size": 13},
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            "showlegend": len(traces) > 1,
            "hoverlabel": {"namelength": -1},
            "dragmode": False,
            "bargap": 0.25,
        },
    )
    fig.update_xaxes(title=x, automargin=True, zeroline=False)
    fig.update_yaxes(title=y, automargin=True, zeroline=False)
    fig.update_layout(**layout)
    return fig


def rows_of(count: int) -> dict[str, Any]:
    """An axis of names, the first on top, each with its tick where there is room."""
    return {"type": "category", "autorange": "reversed"} | ({"dtick": 1} if count <= 32 else {})


def names(texts: Sequence[Any]) -> list[str]:
    """Names as ticks: cut to a length, and with nothing that plotly would read as markup.

    Two names that are cut to the same text stay two ticks.

    Examples
    --------
    >>> names(["cat", "a<b", "x" * 40])
    ['cat', 'a&lt;b', 'xxxxxxxxxxxxxxxxxxxxx…']
    """
    found: list[str] = []
    for text in map(str, texts):
        cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        while cut in found:
            cut += "\u200b"  # a space of no width: plotly would draw equal names over each other
        found.append(cut)
    return [escape(name, quote=False) for name in found]


def percent(share: float) -> str:
    """A share in words, with the digits that matter.

    Examples
    --------
    >>> percent(0.5), percent(0.0123), percent(0.0001)
    ('50%', '1.2%', '0.01%')
    """
    return f"{share:.0%}" if share >= 0.1 or share == 0 else f"{100 * share:.2g}%"

"""`unifilter analyze`: look at a graph before training on it."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from unifilter.analysis import Analysis
from unifilter.analysis import analyze as look
from unifilter.cli.flags import flags
from unifilter.cli.tables import Source

EXAMPLES = """Examples:

unifilter analyze cora

unifilter analyze cora --html cora.html

unifilter analyze --edges edges.csv --nodes nodes.csv --source from --target to --label kind --json
"""
BLOCKS = " ▁▂▃▄▅▆▇█"


@flags
def analyze(
    data: Source,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines: all numbers.")] = False,
    hops: Annotated[int, typer.Option(help="Nodes of the spectral density.")] = 50,
    probes: Annotated[int, typer.Option(help="Random vectors behind the spectral density.")] = 10,
    seed: Annotated[int, typer.Option(help="Of these vectors.")] = 0,
) -> None:
    """Look at a graph: size, homophily, frequencies, spectrum, and what they ask of a filter."""
    dataset = data.dataset()
    found = look(dataset, K=hops, probes=probes, seed=seed)
    if html is not None:
        from unifilter.viz import write_analysis

        write_analysis(html, found)
    if as_json:
        print(json.dumps(found.to_json(), allow_nan=False))
        return
    console = Console(highlight=False)
    if dataset.ingestion is not None:
        console.print(str(dataset.ingestion), markup=False)
    _show(console, found)
    if html is not None:
        print(f"page with figures: {html}")


def _show(console: Console, a: Analysis) -> None:
    console.print(
        f"{a.name}: {a.n:,} nodes, {a.m:,} edges, {a.d:,} features, {len(a.labels)} classes, "
        f"{a.unlabelled:,} unlabelled",
        style="bold",
        markup=False,
    )
    console.print(
        f"neighbours: median {a.degrees['median']:g}, mean {a.degrees['mean']:.1f}, most "
        f"{a.degrees['max']:,.0f}; {a.components:,} components, {a.isolated:,} isolated nodes"
    )
    console.print(f"spectrum of L, 0 to 2: {_sparkline(a)}")
    if a.homophily:  # empty where no edge joins two labelled nodes
        console.print(_homophily(a))
    if a.labels:
        console.print(_classes(a))
    words = "\n".join(f"• {line}" for line in a.regime.reasons) + "\n\n" + "\n".join(a.regime.advice)
    console.print(Panel(words, title=a.regime.name, title_align="left"), markup=False)


def _homophily(a: Analysis) -> Table:
    table = Table(title="homophily", title_justify="left")
    for column in ("measure", "value", "standard error"):
        table.add_column(column, justify="left" if column == "measure" else "right")
    for name, estimate in a.homophily.items():
        table.add_row(name, _number(estimate.value), _number(estimate.error))
    return table


def _classes(a: Analysis) -> Table:
    table = Table(title="classes", title_justify="left")
    for column in ("class", "nodes", "share", "frequency", "by chance"):
        table.add_column(column, justify="left" if column == "class" else "right")
    for c in a.labels:
        shown = _number(c.frequency), _number(c.chance)
        table.add_row(c.name.replace("[", r"\["), f"{c.count:,}", f"{c.share:.1%}", *shown)
    return table


def _number(value: float) -> str:
    """A dash where a measure is not defined."""
    return "–" if isnan(value) else f"{value:.3f}"


def _sparkline(a: Analysis, width: int = 41) -> str:
    """The spectral density in one line of text."""
    _, density = a.density.smooth(width)
    return "".join(BLOCKS[round(v)] for v in density / density.max() * (len(BLOCKS) - 1))

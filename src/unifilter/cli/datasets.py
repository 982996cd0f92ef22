"""`unifilter datasets`: the named graphs, and `unifilter datasets fetch`: get them now."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table

from unifilter.data.benchmarks import cached, load
from unifilter.data.catalog import CATALOG
from unifilter.data.dataset import Dataset
from unifilter.data.embedded import NAMES
from unifilter.graph.homophily import edge_homophily

COUNTABLE = 5_000_000  # edges up to which counting equal labels takes no time worth speaking of
STAGES = {
    "copy": "copying",
    "download": "downloading",
    "verify": "verifying",
    "read": "reading",
    "store": "storing",
}

app = typer.Typer(help="List the named graphs, or fetch them.", rich_markup_mode="rich")


@app.callback(
    invoke_without_command=True,
    epilog="Examples:  unifilter datasets  ·  unifilter datasets --json  ·  unifilter datasets fetch cora",
)
def datasets(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """List the named graphs.

    Homophily is measured, so it is known for graphs that are in the cache.
    """
    if ctx.invoked_subcommand is not None:
        return
    rows = [_row(name) for name in (*CATALOG, *NAMES)]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(caption=_CAPTION, caption_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in rows[0]:
        side: Any = "left" if column in ("name", "cached") else "right"
        table.add_column("h" if column == "homophily" else column, justify=side, no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(row, column) for column in row))
    Console().print(table)


@app.command(epilog="Examples:  unifilter datasets fetch cora citeseer pubmed  ·  ... fetch actor --json")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Graphs, see `unifilter datasets`.")],
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Get graphs into the cache: from the folder in UNIFILTER_MIRROR if it has them, or from their source."""
    found = []
    # A fixed file, since loading a graph silences sys.stderr, which rich would ask for again at every line.
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(file=sys.stderr), redirect_stderr=False) as progress:
        for name in names:
            task = progress.add_task(name, total=None)

            def tell(stage: str, done: int, total: int | None, task: Any = task, name: str = name) -> None:
                progress.update(task, description=f"{name}: {STAGES[stage]}", completed=done, total=total)

            dataset = load(name, on_progress=tell)
            size = sum(file.stat().st_size for file in cached(dataset.name).iterdir())
            progress.update(task, description=f"{name}: ready", completed=size, total=size)
            found.append(_summary(name, dataset))
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        for row in found:
            print(f"{row['name']}: {row['nodes']:,} nodes, {row['edges']:,} edges in {row['folder']}")


def _row(name: str) -> dict[str, Any]:
    entry = CATALOG.get(name)
    there = (cached(name) / "meta.json").is_file()
    figures = {k: getattr(entry, k, None) for k in ("nodes", "edges", "features", "classes")}
    row = {"name": name, **figures, "homophily": None, "cached": there}
    return row | _measured(Dataset.load(cached(name))) if there else row


def _measured(dataset: Dataset) -> dict[str, Any]:
    figures = {
        "nodes": dataset.n,
        "edges": dataset.graph.m,
        "features": dataset.d,
        "classes": len(dataset.classes),
    }
    if dataset.graph.m > COUNTABLE:
        return figures
    return figures | {"homophily": edge_homophily(dataset.graph, dataset.y, dataset.labelled)}


def _summary(name: str, dataset: Dataset) -> dict[str, Any]:
    return {"name": name, **_measured(dataset), "folder": str(cached(dataset.name))}


def _cell(row: dict[str, Any], column: str) -> str:
    value = row[column]
    if column == "cached":
        return "yes" if value else ""
    if value is None:
        return "-"
    if not isinstance(value, int):
        return f"{value:.2f}" if isinstance(value, float) else value
    published = column == "edges" and not row["cached"] and not CATALOG[row["name"]].counted
    number = f"{value:,}" if value < 10_000_000 else f"{value / 1e6:,.0f}M"
    return f"~{number}" if published else number


_CAPTION = (
    "h is the edge homophily; ~ a published figure that may count arcs or loops.\n"
    "digits and sbm need no download; sbm:h=0.15,n=2000 makes a block model.\n"
    "`unifilter datasets fetch NAME` gets a graph, `unifilter analyze NAME` looks at it."
)

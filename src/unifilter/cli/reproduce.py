"""`unifilter reproduce`: the paper's tables and figures; `unifilter report`: their place in a README."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column, Table

from unifilter.record import write_atomically
from unifilter.reproduce.adopt import adopt
from unifilter.reproduce.catalog import names, parts
from unifilter.reproduce.choice import FOLDER, FORMS, Choice
from unifilter.reproduce.draw import draw, exhibits
from unifilter.reproduce.executor import Tally, complete, execute, results_of
from unifilter.reproduce.part import Claim, Part, Scale
from unifilter.reproduce.readme import rewrite
from unifilter.reproduce.results import Results
from unifilter.train.pool import Progress as Ended

EXAMPLES = """Examples:

unifilter reproduce --quick

unifilter reproduce table2 tau --device cuda --seconds 3600

unifilter reproduce table3 --graphs cora,actor --models unifilter,gcn --how searched --protocols fixed
"""
REPORT_EXAMPLES = (
    """Examples:  unifilter report README.md  ·  unifilter report README.md docs/reproduction.md --check"""
)
BROKEN = 1


def reproduce(
    part: Annotated[
        list[str] | None, typer.Argument(metavar="PART...", help="Names of --list, or all.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Two splits of small graphs; orderings that must hold are checked."),
    ] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Records and pages; by default the folder of those in the repository.")
    ] = None,
    processes: Annotated[
        int, typer.Option(min=1, help="Jobs side by side: one for each core of a CPU; one fills a GPU.")
    ] = 1,
    seconds: Annotated[
        float, typer.Option(help="After which nothing begins; the same command goes on.")
    ] = float("inf"),
    settings: Annotated[
        int | None,
        typer.Option(min=1, help=f"Of every search; {Scale.settings}, or as before in the folder."),
    ] = None,
    graphs: Annotated[str, typer.Option(help="Only these; names with commas.")] = "",
    models: Annotated[str, typer.Option(help="Only these; names with commas.")] = "",
    how: Annotated[str, typer.Option(help=f"Only these kinds of settings: {', '.join(FORMS)}.")] = "",
    protocols: Annotated[str, typer.Option(help="Only these kinds of splits: quota, quota48, fixed.")] = "",
    configs: Annotated[Path, typer.Option(help="Folder of published settings, MODEL.toml.")] = Scale.configs,
    adopted: Annotated[
        list[Path] | None, typer.Option("--adopt", help="Records of other commands to take over; repeatable.")
    ] = None,
    drawn: Annotated[bool, typer.Option("--draw/--no-draw", help="Write the page and the files.")] = True,
    listed: Annotated[
        bool, typer.Option("--list", help="List the parts, and how much of them is there.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Run the paper's tables and figures from the raw graphs, beside the printed figures.

    What is there already is not run again: a killed run goes on, and with everything there it only draws.
    """
    choice = Choice(
        tuple(part or ["all"]),
        quick,
        settings,
        graphs=graphs,
        models=models,
        how=how,
        protocols=protocols,
        configs=configs,
        out=out,
    )
    if listed:
        _list(choice, as_json)
        return
    adopt(adopted or [], choice.chosen, choice.scale, choice.folder)
    tally = _run(choice, device, processes, seconds, as_json)
    results = results_of(choice.folder, choice.scale)
    claims = [claim for p in choice.chosen for claim in p.check(results, choice.scale)]
    files = draw(choice.chosen, results, choice.scale, choice.folder) if drawn else []
    _say(choice, tally, claims, files, as_json)
    # In a full run a claim that does not hold is a finding; in a quick one, an error.
    broken = quick and not tally.left and not all(claim.holds for claim in claims)
    if tally.failed or broken:
        raise typer.Exit(BROKEN)


def report(
    file: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Markdown files.")],
    results: Annotated[Path, typer.Option(help="Folder of `unifilter reproduce`.")] = FOLDER,
    configs: Annotated[Path, typer.Option(help="Folder of published settings, MODEL.toml.")] = Scale.configs,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail if a file is out of date.")
    ] = False,
) -> None:
    """Write tables of the reproduction into Markdown files.

    A table goes between <!-- reproduce:NAME --> and <!-- /reproduce -->; NAME is that of its file.
    """
    choice = Choice(configs=configs, out=results)
    found = results_of(choice.folder, choice.scale)
    shown = exhibits(parts(["all"]), found, choice.scale)
    by_name = {exhibit.name: exhibit for some in shown.values() for exhibit in some}
    old = []
    for path in file:
        text = path.read_text(encoding="utf-8")
        new = rewrite(text, by_name)
        if new != text:
            old.append(str(path))
            if not check:
                write_atomically(path, new)
    if check and old:
        print(f"out of date: {', '.join(old)}; `unifilter report` writes them anew")
        raise typer.Exit(BROKEN)
    print(f"written: {', '.join(old)}" if old else "up to date")


def _run(choice: Choice, device: str, processes: int, seconds: float, as_json: bool) -> Tally:
    seen = sys.stderr.isatty()
    console = Console(stderr=True, quiet=as_json or not seen)
    columns = (
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("preparing", total=None, left="")

        def show(ended: Ended) -> None:
            before = progress.tasks[0].completed
            total = before + 1 + ended.waiting
            left = f"about {_minutes(ended.left)} left"
            progress.update(task, description=ended.task.name, completed=before + 1, total=total, left=left)
            if not (seen or as_json):
                print(ended, file=sys.stderr, flush=True)  # a file, or another program: a line each
            if ended.problem:
                progress.console.print(f"{ended.task.name}: {ended.problem}", markup=False)

        options: dict[str, Any] = {"device": device, "processes": processes, "seconds": seconds}
        return execute(choice.chosen, choice.scale, choice.folder, wanted=choice.wants, tell=show, **options)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _list(choice: Choice, as_json: bool) -> None:
    results = results_of(choice.folder, choice.scale)
    rows = [_row(part, results, choice.scale) for part in parts(names())]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in rows[0]:
        table.add_column(column, justify="right" if column in ("there", "in all") else "left")
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console(highlight=False).print(table)


def _row(part: Part, results: Results, scale: Scale) -> dict[str, Any]:
    jobs, measures = part.jobs(scale), part.measures(scale)
    there = sum(complete(results, j) for j in jobs) + sum(results.record(m) is not None for m in measures)
    return {"part": part.name, "title": part.title, "there": there, "in all": len(jobs) + len(measures)}


def _say(choice: Choice, tally: Tally, claims: list[Claim], files: list[Path], as_json: bool) -> None:
    if as_json:
        said = asdict(tally) | {"claims": [asdict(c) for c in claims], "files": [str(f) for f in files]}
        print(json.dumps(said, indent=1))
        return
    console = Console(highlight=False, soft_wrap=True)
    for claim in claims:
        style = None if claim.holds else "bold"
        sign = "holds" if claim.holds else "does not hold"
        console.print(f"{sign}: {claim.sentence} ({claim.evidence})", style=style, markup=False)
    for name, why in tally.failed.items():
        console.print(f"failed: {name}: {why}", style="bold", markup=False)
    left = f", {len(tally.left)} left: the same command goes on" if tally.left else ""
    console.print(f"{tally.done} done, {len(tally.failed)} failed{left}", markup=False)
    console.print(f"records: {choice.folder / 'records.jsonl'}", markup=False)
    if files:
        console.print(f"page: {files[0]}", markup=False)

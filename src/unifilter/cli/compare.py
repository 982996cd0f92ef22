"""`unifilter compare`: many models on the same splits of one graph."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from unifilter.cli.flags import flags
from unifilter.cli.tables import Source, check_labels, dressed, refuse_rare
from unifilter.models import model_class, names
from unifilter.presets import NAMES, preset, read_preset, settings_of
from unifilter.train.auto import parse_budget
from unifilter.train.compare import Comparison
from unifilter.train.compare import compare as train
from unifilter.train.entries import PROTOCOLS, Entry, trials_of
from unifilter.train.races import AUTO

EXAMPLES = """Examples:

unifilter compare cora --models auto,gcn,mlp --splits fixed:10

unifilter compare chameleon --models all --splits quota:10 --settings published --out chameleon.jsonl
"""
LEVEL = 0.05  # of the tests against the best
CAPTION = (
    "±: half of the 95% interval of the mean. MB: peak, on a CPU of the process.\n"
    "p: of equality with the best, paired over the splits, corrected for their overlap and by Holm.\n"
    "Bold: not told apart from the best."
)


class Settings(str, Enum):
    """Whose settings are trained."""

    default = "default"
    published = "published"


@flags
def compare(
    data: Source,
    models: Annotated[
        str,
        typer.Option(
            help="Names of `unifilter models` with commas, or all of them; auto trains as fit does."
        ),
    ] = "all",
    splits: Annotated[str, typer.Option(help=f"Which, and how many: {PROTOCOLS}.")] = "stratified:10",
    settings: Annotated[
        Settings,
        typer.Option(help="published: those that --configs has for this graph and kind of split."),
    ] = Settings.default,
    configs: Annotated[
        Path, typer.Option(help="Folder of published settings, MODEL.toml; the library's repository has one.")
    ] = Path("experiments/configs"),
    budget: Annotated[str, typer.Option(help="Time of auto on every split: 30s, 5m, 1h or none.")] = "1m",
    epochs: Annotated[int | None, typer.Option(help="At most, where settings ask for more.")] = None,
    out: Annotated[
        Path, typer.Option(help="File of all runs, a JSON line each; those that it holds are not repeated.")
    ] = Path("compare.jsonl"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="For machines: the table's rows.")] = False,
) -> None:
    """Train models on the same splits, and say which are better than others by more than chance."""
    asked = names() if models == "all" else [m.strip() for m in models.split(",")]
    chosen = list(dict.fromkeys(asked))
    for name in chosen:
        if name != AUTO:
            model_class(name)  # a name that does not exist is said before anything is trained
    time = None if parse_budget(budget) is None else budget
    if settings is Settings.published:
        _check(configs, data)
    raw = dressed(data.raw())
    refuse_rare(raw)
    for note in check_labels(raw):
        print(f"note: {note}", file=sys.stderr)
    dataset = data.scaled(raw)
    trials = trials_of(dataset, splits)
    entries = {name: Entry(name, options={"budget": time} if name == AUTO else {}) for name in chosen}
    known: dict[str, Entry] = {}
    if settings is Settings.published:
        known = published(configs, chosen, dataset.name, splits.partition(":")[0])
    console = Console(stderr=True, quiet=as_json or not sys.stderr.isatty())
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(chosen) * len(trials))

        def show(model: str, done: int) -> None:
            past = chosen.index(model) * len(trials)
            progress.update(task, description=model, completed=past + done)

        ready = list((entries | known).values())
        came = raw if data.preprocessing == "auto" else dataset  # as fit has it
        found = train(dataset, trials, ready, raw=came, file=out, device=device, epochs=epochs, on_run=show)
    origin = {name: "published" if name in known else "default" for name in chosen}
    origin |= {AUTO: "portfolio"}
    if as_json:
        rows = [asdict(row) | {"settings": origin[row.model]} for row in found.rows()]
        print(json.dumps({"rows": rows, "failed": found.failed, "records": str(out)}))
    else:
        _show(Console(highlight=False), f"{dataset.name}, {splits}", found, origin, out)
    if not found.records:
        raise typer.Exit(2)


def published(folder: Path, models: list[str], dataset: str, protocol: str) -> dict[str, Entry]:
    """Entries of the models for which somebody published settings for this graph and kind of split."""
    found = {}
    for name in models:
        file = folder / f"{name}.toml"
        table = settings_of(file).get(dataset, {}).get(protocol) if file.is_file() else None
        if table is not None:
            p = read_preset(file, dataset, protocol)
            found[name] = Entry(name, p.preprocess, p.options, p.training, table.get("grid", {}))
        elif name == "unifilter" and dataset in NAMES:
            p = preset(dataset)
            found[name] = Entry(name, p.preprocess, p.options, p.training)
    return found


def _check(folder: Path, data: Source) -> None:
    if not folder.is_dir():
        raise ValueError(
            f"there are no settings in {folder}; --configs names the folder of MODEL.toml files, which the "
            "library's repository has under experiments/configs."
        )
    if data.preprocessing not in ("none", "auto"):
        raise ValueError("published settings scale the features themselves: leave out --preprocessing.")


def _show(console: Console, title: str, found: Comparison, origin: dict[str, str], out: Path) -> None:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    columns = ("model", "settings", "test accuracy", "p", "ms/epoch", "MB", "parameters")
    for column in columns:
        table.add_column(column, justify="left" if column in columns[:2] else "right", no_wrap=True)
    for row in found.rows():
        spread = "" if row.interval is None else f" ± {100 * row.interval:.2f}"
        table.add_row(
            row.model,
            origin[row.model],
            f"{100 * row.mean:.2f}{spread}",
            "" if row.p is None else "<0.001" if row.p < 0.001 else f"{row.p:.3f}",
            "" if row.model == AUTO else f"{1000 * row.epoch_seconds:.1f}",  # of all candidates together
            f"{row.peak_memory / 1e6:,.0f}",
            f"{row.parameters:,}",
            style="bold" if row.p is None or row.p >= LEVEL else None,
        )
    if found.records:
        console.print(table)
        console.print(CAPTION, style="dim", markup=False)
    for model, why in found.failed.items():
        console.print(f"{model} was not trained: {why}", markup=False)
    console.print(f"runs: {out}", markup=False)

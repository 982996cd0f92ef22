"""Every baseline with its published settings, on the protocol they belong to, beside the printed figure.

    python experiments/baselines_check.py --processes 12 --seconds 300
    python experiments/baselines_check.py --models sgc,gcn --datasets cora --splits 2 --epochs 20

A cell is a table [graph.protocol] of `experiments/configs/MODEL.toml`. Cells are trained side by side,
cheap ones first. Every run is a line of `reproduce/records.jsonl`, which `unifilter reproduce` reads and
writes too, so that no run is made twice; `baselines_check.json` is a summary of the cells. After --seconds
no cell begins, and 30 s later those under way are ended: a second call goes on where the first one stopped,
and with --seconds 0 it only writes the summary. Where authors publish a grid or nothing, and no choice, a
table is a guess: beside it stands what the search of `unifilter reproduce`, equal for all models, has
found. On one GPU, processes share it best under NVIDIA's MPS.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from unifilter import load
from unifilter.presets import read_preset, settings_of
from unifilter.record import Record, read, write_atomically
from unifilter.reproduce.cost import cost
from unifilter.reproduce.part import Job, Published, Scale
from unifilter.reproduce.results import current
from unifilter.reproduce.rows import search_of
from unifilter.reproduce.settings import winner
from unifilter.train.compare import resume, runs
from unifilter.train.entries import Entry, Served, Trial, trials_of
from unifilter.train.pool import Progress, Task, work_through
from unifilter.train.result import describe
from unifilter.train.significance import interval

HERE = Path(__file__).parent
CLOSE = 1.5  # points around a printed figure


@dataclass(frozen=True)
class Cell:
    """A table of a settings file."""

    model: str
    dataset: str
    protocol: str
    entry: Entry
    printed: float | None
    note: str
    guessed: bool = False  # the choice of the settings is not published

    @property
    def name(self) -> str:
        """Model, graph and protocol."""
        return f"{self.model} {self.dataset} {self.protocol}"

    def task(self, file: Path, count: int, epochs: int | None, device: str) -> Task:
        """To train it."""
        job = Job(self.name, self.dataset, f"quota:{count}", Published(self.entry))
        call = partial(work, self, file, count, epochs, device)
        return Task(self.name, call, cost=cost(job, self.entry))


def cells(folder: Path) -> list[Cell]:
    found = []
    for file in sorted(folder.glob("*.toml")):
        said = settings_of(file)
        for dataset, tables in said.items():
            for protocol, table in tables.items() if isinstance(tables, dict) else ():
                preset = read_preset(file, dataset, protocol)
                entry = Entry(
                    file.stem, preset.preprocess, preset.options, preset.training, table.get("grid", {})
                )
                note = table.get("note", "")
                guessed = said.get("choice") == "not published" or note.startswith(
                    "no settings are published"
                )
                more = table.get("printed"), note, guessed
                found.append(Cell(file.stem, dataset, protocol, entry, *more))
    return found


@cache
def described(dataset: str) -> dict[str, Any]:
    return describe(load(dataset))


@cache
def trials(dataset: str, protocol: str, count: int) -> list[Trial]:
    """Splits of the protocol; the public one is a single split, so that seeds stand for them."""
    return trials_of(load(dataset), f"{protocol}:{count}")


def work(cell: Cell, file: Path, count: int, epochs: int | None, device: str) -> None:
    """Train what a cell lacks."""
    known = [current(r) for r in (read(file) if file.exists() else [])]
    some = trials(cell.dataset, cell.protocol, count)
    for _ in runs(load(cell.dataset), some, cell.entry, known=known, file=file, device=device, epochs=epochs):
        pass


def say(progress: Progress) -> None:
    said = f"{progress.problem or 'done'}, {progress.seconds:.0f} s, {progress.waiting} wait"
    print(f"{progress.task.name}: {said}", flush=True)


def kept(cell: Cell, count: int, known: list[Record], epochs: int | None = None) -> list[Record]:
    """A record a trial where there is one, all under one limit of epochs: another one is another experiment.

    Without a limit given, the one under which most trials have a record, and of these the longest.
    """
    about = described(cell.dataset) | {"preprocessing": cell.entry.preprocess}
    mine = [r for r in known if r.model == cell.model and r.dataset["name"] == about["name"]]
    some = trials(cell.dataset, cell.protocol, count)

    def under(limit: int) -> list[Record]:
        found = []
        for split, seed in some:
            training = replace(cell.entry.training, seed=cell.entry.training.seed + seed, epochs=limit)
            served = Served(cell.entry, training)
            found += [r for r in mine if served.by(r, about, split)][:1]
        return found

    limits = (
        {r.training["epochs"] for r in mine} if epochs is None else {min(epochs, cell.entry.training.epochs)}
    )
    return max((under(limit) for limit in sorted(limits, reverse=True)), key=len, default=[])


def searched(cell: Cell, count: int, known: list[Record], folder: Path) -> float | None:
    """Mean test accuracy with the winner of the model's search, if it was run on all splits."""
    if not cell.guessed or cell.protocol == "public":
        return None
    scale = Scale(
        settings=json.loads((folder / "scale.json").read_text())["settings"], configs=HERE / "configs"
    )
    entry = winner(folder, cell.dataset, f"{cell.protocol}:{count}", search_of(cell.model, scale))
    records = [] if entry is None else kept(replace(cell, entry=entry), count, known)
    accuracies = [100 * r.scores["test"]["accuracy"] for r in records]
    return float(np.mean(accuracies)) if len(accuracies) == count else None


def line(cell: Cell, count: int, known: list[Record], problem: str | None, folder: Path) -> dict[str, Any]:
    """What the summary says of a cell; accuracies in percent, as tables print them."""
    records = kept(cell, count, known)
    test = np.array([100 * r.scores["test"]["accuracy"] for r in records])
    mean = float(test.mean()) if records else None
    gap = None if mean is None or cell.printed is None else mean - cell.printed
    found = searched(cell, count, known, folder)
    notes = sorted({n for r in records for n in r.notes})
    return {
        "model": cell.model,
        "dataset": cell.dataset,
        "protocol": cell.protocol,
        "runs": len(records),
        "wanted": count,
        "mean": mean,
        "interval": interval(test),
        "printed": cell.printed,
        "difference": gap,
        "within": None if gap is None else abs(gap) <= CLOSE,
        "guessed": cell.guessed,
        "searched": found,
        "within_searched": None if None in (found, cell.printed) else abs(found - cell.printed) <= CLOSE,
        "epochs": float(np.mean([r.epochs for r in records])) if records else None,
        "seconds": sum(r.seconds["train"] for r in records),
        "note": "; ".join([*([cell.note] if cell.note else []), *notes]),
        "failed": problem,
    }


def summarise(
    every: list[Cell], count: int, records: list[Record], failed: dict[str, str], file: Path
) -> None:
    """Write a line a cell and their counts, and print them."""
    before = json.loads(file.read_text())["cells"] if file.exists() else []
    old = {f"{c['model']} {c['dataset']} {c['protocol']}": c["failed"] for c in before}
    lines = []
    for cell in every:
        problem = failed.get(cell.name, old.get(cell.name))
        found = line(cell, count, records, problem, file.parent / "reproduce")
        # A cell that has all its runs by now has not failed.
        lines.append(found | ({"failed": None} if found["runs"] == count else {}))
    judged = [c for c in lines if c["within"] is not None and c["runs"] == count]
    known = [c for c in judged if not c["guessed"]]
    total = {
        "cells": len(lines),
        "finished": sum(c["runs"] == count for c in lines),
        "with_a_printed_figure": len(judged),
        "within": sum(c["within"] for c in judged),
        "with_published_settings": len(known),
        "of_these_within": sum(c["within"] for c in known),
        "cut_off": sum("cut off" in c["note"] for c in judged),
        "within_when_searched": sum(not c["within"] and bool(c["within_searched"]) for c in judged),
        "points": CLOSE,
    }
    write_atomically(file, json.dumps({"total": total, "cells": lines}, indent=1) + "\n")
    for c in lines:
        if c["runs"]:
            beside = "" if c["printed"] is None else f"  printed {c['printed']:.2f}  {c['difference']:+.2f}"
            about = f"{c['model']:12} {c['dataset']:10} {c['protocol']:7} {c['runs']:3} runs"
            print(f"{about}  {c['mean']:.2f} +- {c['interval'] or 0:.2f}{beside}")
        elif c["failed"]:
            print(f"{c['model']:12} {c['dataset']:10} {c['protocol']:7} failed: {c['failed']}")
    print(json.dumps(total))


def chosen(text: str | None, what: str, names: set[str]) -> set[str]:
    wanted = set(text.split(",")) if text else names
    for name in sorted(wanted - names):
        print(f"{what} {name} has no published settings")
    return wanted


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", help="names with commas; all by default")
    parser.add_argument("--datasets", help="names with commas; all by default")
    parser.add_argument("--protocols", help="quota, random, fixed, public; all by default")
    parser.add_argument("--splits", type=int, default=10, help="or seeds, where there is one split")
    parser.add_argument("--epochs", type=int, help="at most, where settings ask for more")
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=300.0, help="after which no cell begins")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--configs", type=Path, default=HERE / "configs")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    given = parser.parse_args()
    begun = time.monotonic()
    every = cells(given.configs)
    models = chosen(given.models, "model", {c.model for c in every})
    datasets = chosen(given.datasets, "dataset", {c.dataset for c in every})
    protocols = chosen(given.protocols, "protocol", {c.protocol for c in every})
    wanted = [c for c in every if c.model in models and c.dataset in datasets and c.protocol in protocols]
    file, summary = given.out / "reproduce" / "records.jsonl", given.out / "baselines_check.json"
    known = [current(r) for r in resume(file)]
    limits = {c.name: given.epochs or c.entry.training.epochs for c in wanted}
    todo = [c for c in wanted if len(kept(c, given.splits, known, limits[c.name])) < given.splits]
    tasks = [c.task(file, given.splits, given.epochs, given.device) for c in todo]
    tasks.sort(key=lambda task: task.cost)
    print(f"{len(wanted)} cells, {len(todo)} to train, {time.monotonic() - begun:.0f} s to begin", flush=True)
    left = given.seconds - (time.monotonic() - begun)
    failed = work_through(tasks, processes=given.processes, seconds=left, on_end=say)
    summarise(every, given.splits, [current(r) for r in resume(file)], failed, summary)


if __name__ == "__main__":
    main()

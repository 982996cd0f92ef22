"""What a person sees while and after a model trains; nothing where nobody looks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from unifilter.data import Dataset
from unifilter.models.committee import Committee
from unifilter.train import Result, Training
from unifilter.train.floor import verdict
from unifilter.train.race import Progress as Racing

STAGES = ("trying settings", "halving", "training the best", "once more from other starts")
UNTESTED = (
    "note: no node was kept out as a test, so these scores flatter: `unifilter evaluate` scores labels that "
    "took no part."
)


class Display:
    """A progress bar on stderr; quiet when it is not a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self.console = Console(stderr=True, quiet=quiet)
        columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[words]}")
        self.bar = Progress(*columns, TimeRemainingColumn(), console=self.console, transient=True)
        self.task: Any = None

    def __enter__(self) -> Display:
        self.bar.start()
        self.task = self.bar.add_task("preparing", total=None, words="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def progress(self, now: Racing) -> None:
        """Of a race between settings."""
        words = f"epoch {now.epoch}, {now.candidates} settings, validation {now.accuracy:.1%}"
        self.bar.update(
            self.task, description=STAGES[now.stage], completed=now.seconds, total=now.budget, words=words
        )

    def epochs(self, training: Training) -> Callable[[dict[str, float], Any], None]:
        """Of one model: epochs, losses, accuracy, and what it learns."""
        last = 0.0

        def show(scores: dict[str, float], state: Any) -> None:
            nonlocal last
            if time.monotonic() - last < 0.1:
                return
            last = time.monotonic()
            now = state.history[-1]
            learned = "".join(f", {n} {now[n]:.2f}" for n in ("tau", "h") if n in now)
            words = (
                f"loss {scores['train_loss']:.3f} / {scores['val_loss']:.3f}, "
                f"validation {scores['val_accuracy']:.1%}, best {state.best_accuracy:.1%}{learned}"
            )
            self.bar.update(
                self.task, description="training", completed=state.epoch, total=training.epochs, words=words
            )

        return show


def _classes(dataset: Dataset, most: int = 8) -> str:
    """Their names, and how many nodes have each as a label."""
    count = np.bincount(dataset.y[dataset.labelled], minlength=len(dataset.classes))
    first = [f"{name} {some:,}" for name, some in zip(dataset.classes[:most], count, strict=False)]
    return ", ".join(first) + (f" and {len(dataset.classes) - most:,} more" if len(count) > most else "")


def summary(
    dataset: Dataset, result: Result, out: Path, report: bool, beside: Sequence[dict[str, Any]] = ()
) -> None:
    """What came out, and where it lies."""
    console, record = Console(highlight=False), result.record
    if dataset.ingestion is not None:
        console.print(str(dataset.ingestion), markup=False)
        console.print(f"classes: {_classes(dataset)}", markup=False)
    table = Table()
    table.add_column("part")
    table.add_column("nodes", justify="right")  # a score of three nodes is not one of three thousand
    measures = list(dict.fromkeys(m for s in record.scores.values() for m in s))
    for measure in measures:
        table.add_column(measure.replace("_", " "), justify="right")
    for (part, scores), share in zip(record.scores.items(), record.split["shares"], strict=True):
        if scores:
            shown = (f"{round(scores[m], 3) + 0:.3f}" if m in scores else "" for m in measures)
            table.add_row(part, f"{round(share * dataset.n):,}", *shown)
    console.print(table)
    if not record.scores.get("test"):
        console.print(UNTESTED)
    if beside:
        part = "test" if record.scores.get("test") else "validation"
        console.print(f"accuracy of simpler means on the same {part} nodes:")
        for row in beside[1:]:
            console.print(f"  {row['accuracy']:.3f} {row['model']}", markup=False)
        if verdict(beside):
            console.print(f"note: {verdict(beside)}", markup=False)
    # The weights of a basis are a figure of the report, not a line of it.
    told = {k: v for k, v in record.learned.items() if not k.startswith("w_")}
    if isinstance(result.model, Committee):
        told = {f"mean {k}" if k in ("tau", "h") else k: v for k, v in told.items()}
    learned = ", ".join(f"{name} {value:.2f}" for name, value in told.items())
    words = f"{record.model}: {record.epochs} epochs, best {record.best_epoch}; {learned}"
    console.print(words, markup=False)
    for note in record.notes:
        console.print(f"note: {note}", markup=False)
    # Paths stay in one piece, to be copied.
    print(f"predictions of all {dataset.n:,} nodes: {out / 'predictions.parquet'}")
    print(f"model: {out / 'model'}")
    if report:
        print(f"report: {out / 'report.html'}")

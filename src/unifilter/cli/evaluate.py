"""`unifilter evaluate`: predictions against labels that are known by now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from unifilter.data.files import open_table
from unifilter.train.metrics import scores

EXAMPLES = """Examples:

unifilter evaluate run --labels truth.csv --id id --label kind

unifilter evaluate run/new_predictions.parquet --labels truth.parquet --json
"""


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder that `unifilter fit` wrote, or a file of predictions.")],
    labels: Annotated[Path, typer.Option(help="Table with ids and true labels: CSV, Parquet or Feather.")],
    id: Annotated[str, typer.Option(help="Its column of ids.")] = "id",
    label: Annotated[str, typer.Option(help="Its column of labels.")] = "label",
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Score predictions on the nodes of a table of true labels."""
    file = run / "predictions.parquet" if run.is_dir() else run
    table_of_p = open_table(file)
    predicted = table_of_p.read(list(table_of_p.names))
    table_of_y = open_table(labels)
    table_of_y.require(id=id, label=label)
    truth = table_of_y.read([id, label])
    p, y, missing = _matched(predicted, truth, id, label)
    found: dict[str, Any] = {"nodes": int(y.size), "not_predicted": missing} | scores(
        p, y, np.ones(y.size, bool)
    )
    if as_json:
        print(json.dumps(found))
        return
    table = Table()
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in found.items():
        table.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else f"{value:.4f}")
    Console().print(table)


def _matched(predicted: Any, truth: Any, id: str, label: str) -> tuple[Any, Any, int]:
    """Probabilities and class numbers of the nodes that both tables have; how many were not predicted."""
    names = [c[2:-1] for c in predicted.column_names if c.startswith("p(")]
    p = np.stack([predicted[f"p({n})"].to_numpy() for n in names], axis=1)
    place = {str(v): i for i, v in enumerate(predicted["id"].to_pylist())}
    number = {n: i for i, n in enumerate(names)}
    rows, y, missing = [], [], 0
    for node, name in zip(truth[id].to_pylist(), truth[label].to_pylist(), strict=True):
        if name is None:
            continue
        if str(name) not in number:
            raise ValueError(f"label {name!r} of node {node!r} is none of the classes {', '.join(names)}.")
        if str(node) not in place:
            missing += 1
            continue
        rows.append(place[str(node)])
        y.append(number[str(name)])
    if not rows:
        raise ValueError("no node of the table of labels was predicted: do the ids agree?")
    return p[rows], np.array(y), missing

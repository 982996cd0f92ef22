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
    truth = table_of_y.read([id, label], id, [label])
    if "id" not in predicted.column_names or not any(c.startswith("p(") for c in predicted.column_names):
        raise ValueError(
            f"{file} holds no predictions: `unifilter fit` writes id, class, p(...) for each class."
        )
    p, y, missing, unknown = _matched(predicted, truth, id, label)
    found: dict[str, Any] = {"nodes": int(y.size), "not_predicted": missing}
    found |= scores(p, y, np.ones(y.size, bool))
    if unknown:
        # Every one of them is predicted wrongly; the other measures are of the classes that the model knows.
        right = found["accuracy"] * y.size
        found |= {"of_unknown_classes": unknown, "accuracy_with_these": right / (y.size + unknown)}
    if as_json:
        print(json.dumps(found))
        return
    table = Table()
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in found.items():
        table.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else f"{value:.4f}")
    Console().print(table)


def _matched(predicted: Any, truth: Any, id: str, label: str) -> tuple[Any, Any, int, int]:
    """Probabilities and class numbers of the nodes that both tables have.

    How many were not predicted, and how many have a label that is no class of the model.
    """
    names = [c[2:-1] for c in predicted.column_names if c.startswith("p(")]
    p = np.stack([predicted[f"p({n})"].to_numpy() for n in names], axis=1)
    place = {_name(v): i for i, v in enumerate(predicted["id"].to_pylist())}
    number = {n: i for i, n in enumerate(names)}
    rows, y, missing, unknown = [], [], 0, 0
    seen: dict[str, str] = {}
    for node, name in zip(truth[id].to_pylist(), truth[label].to_pylist(), strict=True):
        if name is None or name != name:
            continue
        before = seen.get(_name(node))
        if before not in (None, _name(name)):
            raise ValueError(f"node {node!r} has two labels, {before!r} and {name!r}: leave one of them.")
        if before is not None:
            continue  # the same row again counts once
        seen[_name(node)] = _name(name)
        if _name(node) not in place:
            missing += 1
            continue
        if _name(name) not in number:
            unknown += 1
            continue
        rows.append(place[_name(node)])
        y.append(number[_name(name)])
    if not rows:
        if unknown:
            raise ValueError(
                f"no node that was predicted has a label among the classes {', '.join(names)}: {unknown} "
                "have others."
            )
        raise ValueError("no node of the table of labels was predicted: do the ids agree?")
    return p[rows], np.array(y), missing, unknown


def _name(value: Any) -> str:
    """As text; whole numbers without a point, which they get where fields beside them are missing."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

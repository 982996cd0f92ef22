"""`unifilter evaluate`: predictions against labels that are known by now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from unifilter.data.files import open_table
from unifilter.data.labels import plain_labels
from unifilter.train.metrics import scores

EXAMPLES = """Examples:

unifilter evaluate run --labels truth.csv --id id --label kind

unifilter evaluate run/new_predictions.parquet --labels truth.parquet --json
"""


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder that `unifilter fit` wrote, or a file of predictions.")],
    labels: Annotated[Path, typer.Option(help="Table with ids and true labels: CSV, Parquet or Feather.")],
    id: Annotated[str | None, typer.Option(help="Its column of ids; that of RUN's nodes, or id.")] = None,
    label: Annotated[
        str | None, typer.Option(help="Its column of labels; that of RUN's nodes, or label.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Of a CSV file; found by itself if it is one of , ; | or a tab.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Score predictions on the nodes of a table of true labels; nodes that trained or chose are left out."""
    file = run / "predictions.parquet" if run.is_dir() else run
    table_of_p = open_table(file)
    if "id" not in table_of_p.names or not any(c.startswith("p(") for c in table_of_p.names):
        raise ValueError(
            f"{file} holds no predictions: `unifilter fit` writes id, class, p(...) for each class."
        )
    predicted = table_of_p.read(list(table_of_p.names), "id", ["class"])
    table_of_y = open_table(labels, delimiter)
    trained = run / "arguments.json"
    asked = json.loads(trained.read_text(encoding="utf-8")) if run.is_dir() and trained.exists() else {}
    id, label = (
        str(table_of_y.find(given or _column(asked.get(name), table_of_y.names, name)))
        for name, given in (("id", id), ("label", label))
    )
    table_of_y.require(id=id, label=label)
    truth = table_of_y.read([id, label], id, [label])
    where = f"{table_of_y}, column {label!r}"
    known = plain_labels(truth[label], where, guess=table_of_y.types is None).to_pylist()
    match = _matched(predicted, truth[id].to_pylist(), known)
    found: dict[str, Any] = {"nodes": int(match.y.size), "not_predicted": match.missing}
    fresh = ~match.took_part
    if fresh.any() and not fresh.all():
        found |= {"nodes": int(fresh.sum()), "that_trained_or_chose": int(match.took_part.sum())}
        found["accuracy_with_these"] = scores(match.p, match.y, np.ones(fresh.size, bool))["accuracy"]
    found |= scores(match.p, match.y, fresh if fresh.any() else ~fresh)
    if match.unknown:
        # Every one of them is predicted wrongly; the other measures are of the classes that the model knows.
        right = found["accuracy"] * found["nodes"]
        found["of_unknown_classes"] = match.unknown
        found["accuracy_with_unknown"] = right / (found["nodes"] + match.unknown)
    if as_json:
        print(json.dumps(found))
        return
    table = Table()
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in found.items():
        table.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else f"{value:.4f}")
    Console().print(table)


class Match(NamedTuple):
    """Nodes that both tables have: their probabilities, class numbers, and whether they trained or chose.

    ``missing`` were not predicted, ``unknown`` have a label that is no class of the model.
    """

    p: Any
    y: Any
    took_part: Any
    missing: int
    unknown: int


def _matched(predicted: Any, nodes: list[Any], labels: list[Any]) -> Match:
    names = [c[2:-1] for c in predicted.column_names if c.startswith("p(")]
    p = np.stack([predicted[f"p({n})"].to_numpy() for n in names], axis=1)
    place = {_name(v): i for i, v in enumerate(predicted["id"].to_pylist())}
    number = {n: i for i, n in enumerate(names)}
    rows, y, missing, unknown = list[int](), list[int](), 0, 0
    seen: dict[str, str] = {}
    for node, label in zip(map(_name, nodes), labels, strict=True):
        if label in (None, "", -1):
            continue
        name, before = str(label), seen.get(node)
        if before not in (None, name):
            raise ValueError(f"node {node!r} has two labels, {before!r} and {name!r}: leave one of them.")
        if before is not None:
            continue  # the same row again counts once
        seen[node] = name
        if node not in place:
            missing += 1
        elif name not in number:
            unknown += 1
        else:
            rows.append(place[node])
            y.append(number[name])
    if not rows:
        if unknown:
            other = next(name for node, name in seen.items() if node in place)
            raise ValueError(
                f"no node that was predicted has a label among the classes {', '.join(names)}: {unknown:,} "
                f"have others (first: {other!r}). Write labels as they were for training."
            )
        if not seen:
            raise ValueError("the table of labels names no class at all: is it the right column?")
        raise ValueError(
            f"no node of the table of labels was predicted: its first id is {next(iter(seen))!r}, that of "
            f"the predictions {next(iter(place))!r}. Write ids as they were for training, or name their "
            "column with id=..."
        )
    part = predicted["part"].to_pylist() if "part" in predicted.column_names else [None] * len(p)
    took_part = np.array([part[i] in ("train", "validation") for i in rows])
    return Match(p[rows], np.array(y), took_part, missing, unknown)


def _column(trained: str | None, there: Sequence[str], usual: str) -> str:
    """The column as it was called for training, where the table has it."""
    return trained if trained is not None and trained in there else usual


def _name(value: Any) -> str:
    """As text; whole numbers without a point, which they get where fields beside them are missing."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

"""`unifilter predict`: nodes that arrived after training."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from unifilter.cli.fit import is_csv, write_predictions
from unifilter.data.newcomers import read_newcomers
from unifilter.trained import Trained

EXAMPLES = """Examples:

unifilter predict run --nodes new_nodes.parquet --edges new_edges.parquet

unifilter predict run --nodes new.csv --edges new_edges.csv --out new_predictions.parquet
"""


def predict(
    run: Annotated[Path, typer.Argument(help="Folder that `unifilter fit` wrote.")],
    nodes: Annotated[
        Path, typer.Option(help="Table of the new nodes, with the columns of the training table.")
    ],
    edges: Annotated[
        list[Path] | None,
        typer.Option(
            help="Table of their edges, to old nodes and among each other; if there are any. Several are "
            "read as one."
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Column of the edges, if not as at training.")] = None,
    target: Annotated[str | None, typer.Option(help="Likewise.")] = None,
    weight: Annotated[str | None, typer.Option(help="Likewise.")] = None,
    id: Annotated[str | None, typer.Option(help="Column of the nodes, likewise.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of CSV files, likewise.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Parquet or CSV; RUN/new_predictions.parquet if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines: one line a node.")] = False,
) -> None:
    """Predict new nodes with the trained filter, frozen; only their neighbourhood is propagated."""
    file = out or run / "new_predictions.parquet"
    is_csv(file)  # a name that cannot be written is refused before the work
    folder = run / "model" if (run / "model").exists() else run
    trained = Trained.load(folder)
    columns = {"source": source, "target": target, "weight": weight, "id": id, "delimiter": delimiter}
    new = read_newcomers(trained.dataset, str(nodes), [str(f) for f in edges or ()] or None, **columns)
    p = trained.predict_new(new.X, new.edges, new.weights)
    classes = trained.dataset.classes
    write_predictions(file, new.ids, classes, p)
    for note in new.notes:
        print(f"note: {note}", file=sys.stderr if as_json else sys.stdout)
    if as_json:
        for i, row in zip(new.ids.to_pylist(), p, strict=True):
            line = {
                "id": i,
                "class": classes[int(np.argmax(row))],
                "p": dict(zip(classes, row.tolist(), strict=True)),
            }
            print(json.dumps(line, default=str))
        return
    print(f"predictions of {p.shape[0]:,} new nodes: {file}")

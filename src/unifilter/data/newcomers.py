"""Nodes that arrive after training, read from tables and encoded as the training tables were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unifilter._types import FloatArray, IntArray
from unifilter.data.dataset import Dataset
from unifilter.data.edges import EdgeColumns, listed, open_edges, read_edges
from unifilter.data.files import TableFile, open_table
from unifilter.data.ids import NodeIndex, common_type, node_ids
from unifilter.data.nodes import feature_columns, first_rows, places
from unifilter.data.preprocess import preprocess
from unifilter.data.recipes import Recipe, feature_names, features, kind_of
from unifilter.data.signals import random_signs


class Newcomers(NamedTuple):
    """Nodes n .. n+q-1 of a graph that has grown, and the edges that join them to it.

    Parameters
    ----------
    X : array of shape (q, d)
        Features in the columns of the dataset's, float32.
    edges : array of shape (2, e)
        Node numbers, int64: below n those of the dataset, from n on the newcomers in their order. As they
        came: direction, repeated ones and loops included.
    weights : array of shape (e,), optional
    ids : pyarrow array of length q
    notes : list of str
        What was filled, dropped or merged, a sentence each.
    """

    X: FloatArray
    edges: IntArray
    weights: FloatArray | None
    ids: Any
    notes: list[str]


def read_newcomers(
    dataset: Dataset,
    nodes: Any,
    edges: Any = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    id: str | None = None,
    *,
    delimiter: str | None = None,
) -> Newcomers:
    r"""Read new nodes and their edges from two files in the formats of :func:`unifilter.data.read_tables`.

    Parameters
    ----------
    dataset : Dataset
        What was trained on. Neither its files nor its node table are needed: it knows how they were encoded.
    nodes, edges : path
        One row a new node, one row an edge between new nodes or between a new and an old one. Without edges
        the nodes come alone; several tables of edges are a list.
    source, target, weight, id, delimiter : str, optional
        As for :func:`unifilter.data.read_tables`, and if not given what they were there; ``weight=""`` is no
        column. Where the dataset's nodes were the rows of its table, those of the new table are numbered on
        from n.

    Notes
    -----
    *Features* are made as at training, with its medians, its categories and in its order; see
    :mod:`unifilter.data.recipes`. The table must have every column that they were made from; all others, the
    label among them, are ignored. Missing values get the median of training, new categories are all 0; both
    are noted. Infinite numbers, and text or dates where there were numbers, are errors. Features that were
    scaled by row or by log1p are scaled; "standard" needs means that only the unscaled dataset has, so pass
    that.

    *A dataset that was not read from tables* knows no medians. If it names its features, the table must have
    numeric columns of these names; if not, d numeric columns beside the id. No field may be missing.

    *Ids* must be new. Rows that repeat one are merged if they are equal in every column, else an error.

    *Edges* to ids that nobody has are dropped and noted. So are edges between two old nodes: the trained
    graph is frozen. If no edge at all has known ends, that is an error.

    Examples
    --------
    >>> import tempfile
    >>> from unifilter.data import read_tables
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> def write(name, *rows):
    ...     _ = (folder / name).write_text("\n".join(rows) + "\n")
    ...     return folder / name
    >>> nodes = write("nodes.csv", "id,age,town,label", "ann,30,Rome,cat", "bob,,Oslo,dog", "cleo,50,Rome,")
    >>> dataset = read_tables(write("edges.csv", "src,dst", "ann,bob", "bob,cleo"), nodes)
    >>> new = read_newcomers(
    ...     dataset,
    ...     write("new.csv", "id,town,age", "dora,Oslo,20", "emil,Bern,"),
    ...     write("joined.csv", "src,dst", "dora,ann", "emil,dora"),
    ... )
    >>> dataset.columns
    ('age', 'age (missing)', 'town=Oslo', 'town=Rome')
    >>> new.X
    array([[20., 0., 1., 0.],
           [40., 1., 0., 0.]], dtype=float32)
    >>> new.edges
    array([[3, 4],
           [0, 3]])
    >>> for note in new.notes:
    ...     print(note)
    new.csv, column 'age', data row 2 (id 'emil') and 0 others are empty: filled with the training median 40,
    flagged
    new.csv, column 'town', data row 2 (id 'emil') is 'Bern', a new category: all 0
    """
    if dataset.preprocessing == "standard":
        raise ValueError(
            f"the features of {dataset.name} must not be standardized, since the means and deviations that "
            "newcomers would need are no longer known. Pass the dataset from before preprocess('standard')."
        )
    said = {} if dataset.ingestion is None else dataset.ingestion.arguments
    delimiter = delimiter or said.get("delimiter")
    node_file = open_table(nodes, delimiter, "new nodes")
    edge_files: list[TableFile] = []
    if edges is not None:
        ends = source or said.get("source"), target or said.get("target")
        weight = said.get("weight") if weight is None else weight or None
        edge_files, columns = open_edges(edges, delimiter, *ends, weight, name="new edges")
    X, ids, notes = _read_nodes(dataset, node_file, id or said.get("id", "id"))
    X = preprocess(X, dataset.preprocessing)
    if not edge_files:
        alone = f"{node_file}: no edges, so that the nodes are predicted by their features alone"
        return Newcomers(X, np.empty((2, 0), np.int64), None, ids, [*notes, alone])
    arcs, weights, more = _read_edges(dataset, ids, edge_files, columns, str(node_file))
    return Newcomers(X, arcs, weights, ids, notes + more)


def _read_nodes(dataset: Dataset, file: TableFile, id: str | None) -> tuple[FloatArray, Any, list[str]]:
    import pyarrow as pa

    file.require(id=id)
    recipes = _recipes(dataset, file, id)
    chosen = [recipe["column"] for recipe in recipes]
    # In CSV, where types are guessed, categories that are all numbers by chance are text all the same.
    text = [recipe["column"] for recipe in recipes if recipe["kind"] == "category"]
    others = [] if id is None or id in chosen else [id]
    table = file.read([*others, *chosen] or [file.names[0]], id, text)
    read: int = table.num_rows
    if id is None:
        rows: IntArray = np.arange(read)
        ids = pa.array(dataset.n + rows)
    else:
        ids = node_ids(table[id], f"{file}, column {id!r}", guess=file.types is None)
        _refuse_known(dataset, ids, f"{file}, column {id!r}")
        rows = first_rows(table, ids, str(file))
        table, ids = table.take(rows), ids.take(pa.array(rows))
    X, notes = features(table, recipes, places(file, rows, None if id is None else ids))
    if dataset.about.get("signals"):
        X = random_signs(rows.size, dataset.d, start=dataset.n)
    if rows.size < read:
        notes.append(f"{file}: {read - rows.size:,} of {read:,} rows repeat others and were merged")
    return X, ids, notes


def _recipes(dataset: Dataset, file: TableFile, id: str | None) -> list[Recipe]:
    """Those of training; if there are none, the columns are numbers and have to be complete."""
    if dataset.about.get("signals"):
        return []
    recipes = [] if dataset.ingestion is None else dataset.ingestion.recipes
    way_out = "Add it; where nothing is known, fields may be empty."
    names = feature_names(recipes)
    if len(names) != dataset.d or tuple(names) != dataset.columns:
        named = len(dataset.columns) == dataset.d
        names = list(dataset.columns) if named else _numeric_columns(dataset, file, id)
        plain = {"kind": "number", "fill": None, "missing": False, "constant": False}
        recipes = [{"column": name} | plain for name in names]
        way_out = "The dataset was not read from a table: give numeric columns the names of its features."
    for recipe in recipes:
        name, count = recipe["column"], file.names.count(recipe["column"])
        if count != 1:
            raise ValueError(
                f"{file} must have one column {name!r}, as for training, but has {count}: its columns are "
                f"{', '.join(map(repr, file.names))[:300]}. {way_out}"
            )
    return recipes


def _numeric_columns(dataset: Dataset, file: TableFile, id: str | None) -> list[str]:
    names, _ = feature_columns(file, id, None, None)
    table = file.read(names) if names else None
    numeric = [name for name in names if table is not None and kind_of(table[name].type) == "number"]
    if len(numeric) != dataset.d:
        raise ValueError(
            f"{file} must have {dataset.d} numeric columns beside the id {id!r}, the features of "
            f"{dataset.name} in their order, but has {len(numeric)}: {', '.join(map(repr, numeric))[:300]}. "
            "The dataset was not read from a table and does not name them: write all, and no other numbers."
        )
    return numeric


def _refuse_known(dataset: Dataset, ids: Any, where: str) -> None:
    index = NodeIndex(_old_ids(dataset), ids.type)
    known = index.numbers(ids.cast(index.type)) >= 0
    if known.any():
        row = int(np.argmax(known))
        raise ValueError(
            f"{where} must hold ids that are new, but data row {row + 1} says {ids[row].as_py()!r}, a node "
            f"of the trained graph; {np.count_nonzero(known) - 1:,} others are such. Delete these rows, or "
            "give the nodes other ids."
        )


def _read_edges(
    dataset: Dataset, ids: Any, files: Sequence[TableFile], columns: EdgeColumns, nodes: str
) -> tuple[IntArray, FloatArray | None, list[str]]:
    import pyarrow as pa

    file = listed(files)
    n, old = dataset.n, _old_ids(dataset)
    kind = common_type(old.type, ids.type)
    every = pa.concat_arrays([old.cast(kind), ids.cast(kind)])
    found = read_edges(files, columns, every, f"{nodes} and the trained graph", strict=False, whole=False)
    new = (found.arcs >= n).any(axis=0)
    edges: IntArray = found.arcs[:, new].astype(np.int64)
    weights = None if found.weights is None else found.weights[new]
    notes = []
    if found.unknown:
        first = found.first_unknown
        notes.append(f"{file}: {found.unknown:,} edges dropped for an end that is no node (first: {first})")
    if not new.all():
        u, v = (every[int(end)].as_py() for end in found.arcs[:, np.argmin(new)])
        notes.append(
            f"{file}: {np.count_nonzero(~new):,} edges dropped for joining two nodes of the trained graph, "
            f"which is frozen (first: {u!r} -> {v!r})"
        )
    alone = np.setdiff1d(np.arange(n, n + len(ids)), edges[:, edges[0] != edges[1]])
    if alone.size:
        notes.append(
            f"{nodes}: {alone.size:,} nodes have no edge (first: id {ids[int(alone[0]) - n].as_py()!r})"
        )
    if dataset.graph.weighted and weights is None:
        notes.append(f"{file}: edges have no weights, though those of the trained graph do; pass weight=...")
    return edges, weights, notes


def _old_ids(dataset: Dataset) -> Any:
    import pyarrow as pa

    return pa.array(np.arange(dataset.n)) if dataset.ids is None else dataset.ids

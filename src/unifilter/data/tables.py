"""Your own data: an edge table and a node table as a :class:`Dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from unifilter.data.dataset import Dataset
from unifilter.data.edges import listed, open_edges, read_edges
from unifilter.data.files import open_table
from unifilter.data.ingestion import Ingestion
from unifilter.data.nodes import nodes_of_edges, read_nodes
from unifilter.graph import Graph

__all__ = ["Ingestion", "read_tables"]


def read_tables(
    edges: Any,
    nodes: Any = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    id: str | None = "id",
    label: str | None = "label",
    features: Sequence[str] | None = None,
    *,
    split: str | None = None,
    delimiter: str | None = None,
    strict: bool = False,
) -> Dataset:
    r"""Read a graph with features and labels from two files: CSV (also gzip), TSV, Parquet or Feather.

    Tables in memory serve as well: pandas, Polars, Arrow.

    Parameters
    ----------
    edges : path or table, or a list of them
        One row an edge. A file is streamed: 100 million need some 6 GB. Several tables with the same columns
        are read as one.
    nodes : path or table, optional
        One row a node, in memory at once. Without it the nodes are those that the edges name, sorted, and
        have neither features nor labels.
    source, target, weight : str, optional
        Columns of the edge table. If not given, ends are src and dst, source and target, from and to, or u
        and v. Weights are finite and not negative, and 0 is no edge; ``weight=None`` makes all edges equal.
    id, label : str
        Columns of the node table, also where only capital letters differ. ``id=None``: the row number, from
        0. ``label=None``: no labels.
    features : list of str, optional
        Columns of the node table; all but id, label and split if not given.
    split : str, optional
        Column of the node table that says train, val or test, for :func:`unifilter.splits.column`; a node of
        which it says nothing is none of them.
    delimiter : str, optional
        What separates the fields of a CSV file. If not given, a comma (.csv) or a tab (.tsv), or where that
        leaves the header whole, the one semicolon, tab, bar or comma that does not.
    strict : bool
        Refuse, with an error that names file, column and row, whatever would drop or invent data: edges to
        unknown nodes, repeated node rows, filled numbers, dropped columns.

    Returns
    -------
    Dataset
        Nodes in the order of the node table; ``ids`` are as in the file, ``classes`` the labels' own names,
        ``arcs`` the edges as they came; ``print(dataset.ingestion)`` tells what was dropped, encoded, filled.

    Notes
    -----
    *Ids* are whole numbers or text of any kind. Whole numbers compare by value, and as text with text. In CSV
    "007" is not "7", unless the nodes' ids are all plain whole numbers. Floats are refused.

    *Edges* with an end that is missing or no node are dropped and counted. Repeated ones, loops and one-way
    edges are treated as in :meth:`Graph.from_edges`.

    *Nodes* that stand there twice, equal in every column, are merged and counted; if they differ, that is an
    error.

    *Labels* may be text, whole numbers or truth values; classes are sorted. Missing, empty or the number -1 =
    unlabelled, to be predicted. No label at all, or only one class, is an error.

    *Features*: numbers and truth values become float32, missing ones (NaN included) the median, with a 0/1
    column that says where; dates and times become days; lists of numbers one feature an entry; text with at
    most 50 different values one-hot, missing being a value. Text with more values, constant and empty columns
    are dropped. An infinite number is always an error. In CSV, missing is a field that is empty or says NA,
    NaN, null or the like.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.csv").write_text("src,dst\nann,bob\nbob,cleo\ncleo,zed\n")
    >>> rows = ["id,age,town,label", "ann,30,Rome,cat", "bob,,Oslo,dog", "cleo,50,Rome,"]
    >>> _ = (folder / "nodes.csv").write_text("\n".join(rows))
    >>> dataset = read_tables(folder / "edges.csv", folder / "nodes.csv")
    >>> dataset
    Dataset(edges: n=3, m=2, d=4, classes=2, unlabelled: 1)
    >>> dataset.ids.to_pylist(), dataset.classes, dataset.y
    (['ann', 'bob', 'cleo'], ('cat', 'dog'), array([ 0,  1, -1]))
    >>> print(dataset.ingestion)
    nodes: 3 rows, 1 unlabelled
    edges: 3 rows, 1 dropped for an end that is no node (data row 3: 'cleo' -> 'zed')
    columns: 2, from which 4 features
      age: number, 1 missing filled with the median 40 and flagged
      town: one-hot (2 categories)
    """
    if split is not None and nodes is None:
        raise ValueError(f"split={split!r} must be a column of the node table, but there is no such table.")
    edge_files, wanted = open_edges(edges, delimiter, source, target, weight)
    if nodes is None:
        known, origin = nodes_of_edges(edge_files, wanted), listed(edge_files)
    else:
        node_file = open_table(nodes, delimiter, "node table")
        id, label, split = (node_file.find(name) for name in (id, label, split))
        known, origin = read_nodes(node_file, id, label, features, strict, split), str(node_file)
    found = read_edges(edge_files, wanted, known.ids, origin, strict)
    graph = Graph.from_edges(found.arcs, known.y.size, found.weights)
    return Dataset(
        graph,
        known.X,
        known.y,
        name=str(edge_files[0]).split(".")[0],
        classes=known.classes,
        ids=known.ids,
        arcs=found.arcs if found.weights is None else found.arcs[:, found.weights != 0],
        masks={f"column_{part}": mask[None] for part, mask in known.masks.items()},
        columns=known.columns,
        about={"edges": _origin(edges), "nodes": None if nodes is None else _origin(nodes)},
        ingestion=Ingestion(
            edge_rows=found.rows,
            node_rows=known.rows,
            unknown=found.unknown,
            first_unknown=found.first_unknown,
            cause=found.cause,
            edge_files=[f"{file} {rows:,}" for file, rows in zip(edge_files, found.each, strict=True)],
            unused=[
                n for n in dict.fromkeys(n for f in edge_files for n in f.names) if n and n not in wanted
            ],
            alone=graph.isolated,
            self_loops=graph.self_loops,
            repeated=graph.duplicates,
            weightless=0 if found.weights is None else int(np.count_nonzero(found.weights == 0)),
            merged=known.merged,
            unlabelled=int(np.count_nonzero(known.y < 0)) if known.classes else 0,
            minus_ones=known.minus_ones,
            columns=known.treatments,
            features=len(known.columns),
            recipes=known.recipes,
            arguments=wanted._asdict() | {"id": id, "label": label, "split": split, "delimiter": delimiter},
        ),
    )


def _origin(table: Any) -> str:
    """Where a table came from."""
    if isinstance(table, list | tuple):
        return ", ".join(map(_origin, table))
    return str(table) if isinstance(table, str | PathLike) else "a table in memory"

"""A node table as ids, features and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unifilter._types import BoolArray, FloatArray, IntArray
from unifilter.data.columns import learn
from unifilter.data.edges import EdgeColumns, ids_in_edges
from unifilter.data.files import TableFile
from unifilter.data.ids import NodeIndex, node_ids
from unifilter.data.labels import encode_labels, minus_ones, part_masks
from unifilter.data.recipes import Recipe, Where, feature_names
from unifilter.data.recipes import features as features_of


class Nodes(NamedTuple):
    """What is known of n nodes; ``rows`` were read, ``merged`` of them repeated others.

    ``minus_ones`` are unlabelled by the number -1; ``masks`` say who trains, validates and tests.
    """

    ids: Any  # pyarrow array
    X: FloatArray
    y: IntArray
    classes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    treatments: dict[str, str] = {}  # noqa: RUF012
    recipes: list[Recipe] = []  # noqa: RUF012
    rows: int = 0
    merged: int = 0
    minus_ones: int = 0
    masks: dict[str, BoolArray] = {}  # noqa: RUF012


def nodes_of_edges(files: Sequence[TableFile], columns: EdgeColumns) -> Nodes:
    """The nodes of a graph without a node table: those that the edges name."""
    ids = ids_in_edges(files, columns)
    return Nodes(ids, np.empty((len(ids), 0), np.float32), np.full(len(ids), -1))


def read_nodes(
    file: TableFile,
    id: str | None,
    label: str | None,
    features: Sequence[str] | None,
    strict: bool,
    split: str | None = None,
) -> Nodes:
    """Ids checked, labels as classes, columns as features, rows that say the same merged."""
    import pyarrow as pa

    file.require(id=id, label=label, split=split)
    named = [name for name in (id, label, split) if name is not None]
    if id is not None and id == label:
        raise ValueError(f"id and label must be two columns of {file}, but both are {id!r}.")
    if split is not None and split in (id, label):
        raise ValueError(f"split must be another column of {file} than id and label, but is {split!r}.")
    chosen, left_out = feature_columns(file, id, label, features, split)
    others = [name for name in named if name not in chosen]
    csv = file.types is None
    table = file.read([*others, *chosen], id, [name for name in (label, split) if name is not None])
    read: int = table.num_rows
    rows: IntArray = np.arange(read)
    ids = pa.array(rows) if id is None else node_ids(table[id], f"{file}, column {id!r}", guess=csv)
    y: IntArray = np.full(read, -1)
    classes: tuple[str, ...] = ()
    minus = 0
    if label is not None:
        y, classes = encode_labels(table[label], f"{file}, column {label!r}", guess=csv)
        minus = minus_ones(table[label], guess=csv)
    masks = {} if split is None else part_masks(table[split], f"{file}, column {split!r}")
    if id is not None:
        rows = first_rows(table, ids, str(file), strict)
    if rows.size < read:
        table, ids, y = table.take(rows), ids.take(pa.array(rows)), y[rows]
    table, where = table.select(chosen), places(file, rows, None if id is None else ids)
    recipes, treatments = learn(table, where, strict)
    X, _ = features_of(table, recipes, where)
    columns = tuple(feature_names(recipes))
    treatments |= left_out
    masks = {part: mask[rows] for part, mask in masks.items()}
    return Nodes(ids, X, y, classes, columns, treatments, recipes, read, read - rows.size, minus, masks)


def first_rows(table: Any, ids: Any, file: str, strict: bool = False) -> IntArray:
    """The rows that do not repeat an id; those that do must agree with the first in every column."""
    first = NodeIndex(ids).first_rows()
    rows: IntArray = np.arange(first.size)
    if (first != rows).any():
        _refuse_conflict(table, ids, first, file, strict)
    return np.flatnonzero(first == rows)


def places(file: TableFile, rows: IntArray, ids: Any = None) -> Where:
    """What says in errors which field is meant: row i of the encoded table is row ``rows[i]`` of the file."""

    def where(column: str, i: int) -> str:
        named = "" if ids is None else f" (id {ids[i].as_py()!r})"
        return f"{file}, column {column!r}, data row {rows[i] + 1}{named}"

    return where


def feature_columns(
    file: TableFile,
    id: str | None,
    label: str | None,
    features: Sequence[str] | None,
    split: str | None = None,
) -> tuple[list[str], dict[str, str]]:
    """The columns to encode, and those left out because they are only the row number that pandas writes."""
    if features is not None:
        features = [features] if isinstance(features, str) else list(dict.fromkeys(features))
        for name in features:
            file.require(features=name)
        if label in features:
            raise ValueError(
                f"features must not contain the label, but name {label!r}: a model would read off the "
                "answer. Take it out, or pass label=None if it is a feature."
            )
        if split in features:
            raise ValueError(f"features must not contain the split, but name {split!r}: take it out.")
        return features, {}
    names = [name for name in file.names if name not in (id, label, split)]
    numbers = [name for name in names if name.startswith("__index_level_") or name == ""]
    for name in names:
        file.require(features=name)
    return [n for n in names if n not in numbers], dict.fromkeys(numbers, "row number of pandas, dropped")


def _refuse_conflict(table: Any, ids: Any, first: IntArray, file: str, strict: bool) -> None:
    """Rows with the same id must agree in every column; strict mode wants no such rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    again = np.flatnonzero(first != np.arange(first.size))
    for name in table.column_names:
        column = table[name]
        if pa.types.is_floating(column.type):  # NaN is missing, and two missing values agree
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        here, there = column.take(pa.array(again)), column.take(pa.array(first[again]))
        if not here.equals(there):
            i = next(i for i in range(again.size) if here[i].as_py() != there[i].as_py())
            old, new = first[again[i]], again[i]
            raise ValueError(
                f"{file} must describe a node once, but id {ids[new].as_py()!r} has two rows that differ in "
                f"column {name!r}: data row {old + 1} says {there[i].as_py()!r}, data row {new + 1} says "
                f"{here[i].as_py()!r}. Delete one of them."
            )
    if strict:
        raise ValueError(
            f"{file} must describe a node once, but {again.size:,} rows repeat an id (first: data row "
            f"{again[0] + 1}, id {ids[again[0]].as_py()!r}). Delete them, or pass strict=False to have equal "
            "rows merged."
        )

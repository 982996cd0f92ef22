"""A column of labels as classes 0 .. C-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from unifilter._types import BoolArray, IntArray
from unifilter.data.fields import is_text


def encode_labels(column: Any, where: str, guess: bool) -> tuple[IntArray, tuple[str, ...]]:
    """Labels (n,) with -1 = unlabelled, and the names of the classes in their order.

    Classes are sorted: numbers by size, text by alphabet. Missing, empty and the number -1 mean unlabelled.
    ``where`` names file and column in errors. ``guess`` is for CSV, where all is text: numbers become such.

    Examples
    --------
    >>> import pyarrow as pa
    >>> encode_labels(pa.array(["dog", "cat", None, "dog"]), "nodes.csv, column 'label'", guess=True)
    (array([ 1,  0, -1,  1]), ('cat', 'dog'))
    >>> encode_labels(pa.array(["10", "9", "-1"]), "nodes.csv, column 'label'", guess=True)
    (array([ 1,  0, -1]), ('9', '10'))
    """
    import pyarrow.compute as pc

    column = plain_labels(column, where, guess)
    values = pc.drop_null(pc.unique(column))
    values = values.filter(pc.not_equal(values, "" if is_text(column.type) else -1))
    if len(values) < 2:
        minus = " -1 is read as unlabelled; two classes may be 0 and 1." if not is_text(column.type) else ""
        few = f"holds one class only ({values[0].as_py()!r})" if len(values) else "labels no node at all"
        raise ValueError(
            f"{where} must tell two or more classes apart, but {few}.{minus} Name the column of the classes "
            "with label=..., or pass label=None for a dataset without labels."
        )
    classes = pc.take(values, pc.sort_indices(values))
    codes = pc.fill_null(pc.index_in(column, value_set=classes), -1).to_numpy()
    return codes.astype(np.int64), tuple(str(c) for c in classes.to_pylist())


def part_masks(column: Any, where: str) -> dict[str, BoolArray]:
    """Masks (n,) of a column that says train, val (or validation) or test; of nothing, a node is in none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> part_masks(pa.array(["train", None, "Validation"]), "nodes.csv, column 'part'")["val"]
    array([False, False,  True])
    """
    said = ["" if v is None else str(v).strip().casefold() for v in column.to_pylist()]
    known = {"": "", "train": "train", "val": "val", "validation": "val", "test": "test"}
    wrong = next((row for row, word in enumerate(said) if word not in known), None)
    if wrong is not None:
        raise ValueError(
            f"{where} must say train, val (or validation), test or nothing, but data row {wrong + 1} says "
            f"{column[wrong].as_py()!r}. Mend that row, or name another column."
        )
    parts = np.array([known[word] for word in said])
    if not (parts == "train").any():
        raise ValueError(f"{where} must say train of some nodes, but says it of none.")
    return {part: parts == part for part in ("train", "val", "test")}


def plain_labels(column: Any, where: str, guess: bool) -> Any:
    """Text or whole numbers, -1 where a number is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_text(column.type):
        return _numbers_or_text(column, where) if guess else column
    if pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        return column.cast(pa.string())
    if pa.types.is_integer(column.type):
        return column.cast(pa.int64())
    if not (pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)):
        raise ValueError(
            f"{where} must hold classes, that is text, whole numbers or truth values, but has type "
            f"{column.type}. Name another column with label=..., or write this one as text."
        )
    # pandas makes floats of whole numbers where one is missing, and NaN of the missing one.
    column = column.cast(pa.float64())
    column = pc.if_else(pc.is_nan(column), -1.0, column)
    broken = pc.or_(pc.not_equal(pc.floor(column), column), pc.is_inf(column))
    if pc.any(broken).as_py():
        row = pc.index(broken, True).as_py()
        raise ValueError(
            f"{where} must hold classes, but data row {row + 1} is {column[row].as_py():g}, a measurement. "
            "Sort the values into a few ranges, or name another column with label=..."
        )
    return column.cast(pa.int64())


def minus_ones(column: Any, guess: bool) -> int:
    """How many labels are the number -1, which means unlabelled; as a word it is a class.

    Examples
    --------
    >>> import pyarrow as pa
    >>> minus_ones(pa.array([1, -1, None]), guess=False), minus_ones(pa.array(["a", "-1"]), guess=True)
    (1, 0)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if guess and is_text(column.type) and not is_text(_numbers_or_text(column, "").type):
        column = column.cast(pa.float64())
    number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    return (pc.sum(pc.equal(column, -1)).as_py() or 0) if number else 0


def _numbers_or_text(column: Any, where: str) -> Any:
    """Numbers if every field of a CSV file is one, as "1.0"; but "01" is a name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    present = pc.drop_null(column)
    if pc.all(pc.match_substring_regex(present, r"^-?(0|[1-9]\d{0,14})(\.\d*)?$")).as_py():
        return plain_labels(column.cast(pa.float64()), where, guess=False)
    return column

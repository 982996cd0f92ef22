"""Recipes: how the columns of one table became features, as plain JSON, so that another can be encoded alike.

number, date, time   fill: the median, None if it is not known; missing: whether a 0/1 feature says where a
                     value was filled; constant: whether that is the only feature
list                 width: the entries of each list; fill: a median each; missing
category             values: one feature each; missing: whether "missing" is a category of its own

:mod:`unifilter.data.columns` makes the recipes of a table. Features are always written here, from a column
and its recipe; a table that comes later may surprise in two ways:

missing, but never before   filled with the recipe's median, or of no category, and no feature says so
a category that is new      all categories 0

Both are noted. An infinite number, a list of another length and a column of another kind are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from unifilter._types import BoolArray, FloatArray, IntArray
from unifilter.data.fields import DATE, is_text

Recipe: TypeAlias = dict[str, Any]
Where: TypeAlias = Callable[[str, int], str]  # says in errors which field is meant: column, row
Place: TypeAlias = Callable[[int], str]  # the same for one column

# Days in one tick of a time unit.
DAY = {"s": 1 / 86_400, "ms": 1 / 86_400e3, "us": 1 / 86_400e6, "ns": 1 / 86_400e9, "D": 1.0}
LARGEST = float(np.finfo(np.float32).max)
NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
HOLDS = {
    "number": "numbers",
    "date": "dates",
    "time": "times",
    "list": "lists of numbers",
    "category": "text",
}
# How fields of these kinds look in a CSV file, to find the one that turned a column into text.
LOOKS = {"number": NUMBER, "date": DATE, "time": r"^\d\d:\d\d(:\d\d)?$"}


def features(table: Any, recipes: Sequence[Recipe], where: Where) -> tuple[FloatArray, list[str]]:
    """X (n, d) of an Arrow table as the recipes have it, and notes on what was filled or is new.

    Values are made when they are written, so that X and the table are the only large things in memory.

    Examples
    --------
    >>> import pyarrow as pa
    >>> recipe = {"column": "town", "kind": "category", "values": ["Oslo", "Rome"], "missing": False}
    >>> features(pa.table({"town": ["Rome", "Bern"]}), [recipe], lambda column, row: f"{column}, row {row}")
    (array([[0., 1.], [0., 0.]], dtype=float32), ["town, row 1 is 'Bern', a new category: all 0"])
    """
    import pyarrow as pa

    write = {"list": _write_lists, "category": _write_categories}
    X = np.zeros((table.num_rows, len(feature_names(recipes))), np.float32)
    notes, at = [], 0
    for recipe in recipes:
        column, place = table[recipe["column"]], partial(where, recipe["column"])
        if column.null_count == len(column):  # a column without any value is of every kind
            column = pa.chunked_array([pa.nulls(len(column))])
        _check_kind(column, recipe["kind"], place)
        out = X[:, at : at + len(feature_names([recipe]))]
        notes.append(write.get(recipe["kind"], _write_numbers)(column, recipe, place, out))
        at += out.shape[1]
    return X, [note for note in notes if note]


def feature_names(recipes: Sequence[Recipe]) -> list[str]:
    """The names of the features that the recipes make, in their order.

    Examples
    --------
    >>> age = {"column": "age", "kind": "number", "fill": 40.0, "missing": True, "constant": False}
    >>> v = {"column": "v", "kind": "list", "width": 2, "fill": [0.5, 1.0], "missing": False}
    >>> feature_names([age, v])
    ['age', 'age (missing)', 'v[0]', 'v[1]']
    """
    names = []
    for recipe in recipes:
        name, kind = recipe["column"], recipe["kind"]
        if kind == "category":
            names += [f"{name}={value}" for value in recipe["values"]]
        elif kind == "list":
            names += [f"{name}[{i}]" for i in range(recipe["width"])]
        elif not recipe["constant"]:
            names.append(name)
        names += [f"{name} (missing)"] * recipe["missing"]
    return names


def kind_of(type: Any) -> str:
    """The kind of an Arrow type: number, date, time, list or category; "" if it makes no feature."""
    import pyarrow as pa

    t = pa.types
    if t.is_dictionary(type) or is_text(type):
        return "category"
    if t.is_integer(type) or t.is_floating(type) or t.is_boolean(type) or t.is_decimal(type):
        return "number"
    if t.is_date(type) or t.is_timestamp(type):
        return "date"
    if t.is_time(type) or t.is_duration(type):
        return "time"
    lists = t.is_list(type) or t.is_large_list(type) or t.is_fixed_size_list(type)
    return "list" if lists and kind_of(type.value_type) == "number" else ""


def numbers(column: Any, place: Place) -> FloatArray:
    """Numbers, or dates and times as days: a float64 array of its own, NaN = missing."""
    import pyarrow as pa

    type, unit = column.type, 1.0
    if kind_of(type) in ("date", "time"):
        unit = DAY["D" if pa.types.is_date32(type) else getattr(type, "unit", "ms")]
        wide = pa.types.is_date64(type) or type.bit_width == 64
        column = column.cast(pa.int64() if wide else pa.int32())
    elif pa.types.is_boolean(type):
        column = column.cast(pa.int8())
    array: FloatArray = np.array(column.cast(pa.float64(), safe=False).to_numpy())
    array = array if unit == 1.0 else array * unit
    with np.errstate(invalid="ignore"):
        bad = np.abs(array) > LARGEST
    if bad.any():
        row = int(np.argmax(bad))
        raise _infinite(place(row), array[row])
    return array


def lists(
    column: Any, width: int, whose: str, place: Place
) -> tuple[BoolArray, Iterator[tuple[IntArray, FloatArray]]]:
    """Which lists are missing, and the others chunk by chunk, with their rows: embeddings are large."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_null(column.type):
        column = column.cast(pa.list_(pa.float64()))
    lengths = pc.list_value_length(column).to_numpy()
    missing: BoolArray = np.isnan(lengths)
    other = ~missing & (lengths != width)
    if other.any():
        row = int(np.argmax(other))
        raise ValueError(
            f"the lists of a column must have one length, but {place(row)} has {int(lengths[row])} entries "
            f"and {whose} {width}. Pad or cut them, or leave the column out of training with features=[...]."
        )
    return missing, _blocks(column, missing, width, place)


def these(rows: BoolArray, place: Place) -> str:
    """The place of the first of some rows, and how many others there are."""
    return f"{place(int(np.argmax(rows)))} and {np.count_nonzero(rows) - 1:,} others"


def _blocks(
    column: Any, missing: BoolArray, width: int, place: Place
) -> Iterator[tuple[IntArray, FloatArray]]:
    import pyarrow as pa

    before = 0
    for chunk in column.chunks:
        rows = before + np.flatnonzero(~missing[before : before + len(chunk)])
        values = chunk.flatten()
        if pa.types.is_decimal(values.type):
            values = values.cast(pa.float64())
        block = values.to_numpy(zero_copy_only=False).reshape(rows.size, width)
        if not np.isfinite(block).all() or np.abs(block).max(initial=0) > LARGEST:
            row, entry = np.argwhere(~(np.abs(block) <= LARGEST))[0]
            raise _infinite(f"{place(int(rows[row]))}, entry {entry}", block[row, entry])
        yield rows, block
        before += len(chunk)


def _write_numbers(column: Any, recipe: Recipe, place: Place, out: FloatArray) -> str:
    array = numbers(column, place)
    missing = np.isnan(array)
    if recipe["missing"]:
        out[:, -1] = missing
    if recipe["constant"]:
        return f"{these(missing, place)} are empty: flagged" if missing.any() else ""
    said = _filled(missing, recipe, place) if missing.any() else ""
    array[missing] = recipe["fill"]
    out[:, 0] = array
    return said


def _write_lists(column: Any, recipe: Recipe, place: Place, out: FloatArray) -> str:
    width = recipe["width"]
    missing, blocks = lists(column, width, "those of the training table have", place)
    for rows, block in blocks:
        if rows.size == out.shape[0]:
            out[:, :width] = block
        else:
            out[rows, :width] = block
    if recipe["missing"]:
        out[:, -1] = missing
    out[missing, :width] = recipe["fill"]
    return _filled(missing, recipe, place) if missing.any() else ""


def _filled(missing: BoolArray, recipe: Recipe, place: Place) -> str:
    fill = recipe["fill"]
    if fill is None:
        raise ValueError(
            f"{these(missing, place)} are empty, and no median is known to fill them with: the dataset was "
            "not read from a table. Write numbers there."
        )
    median = "median" if isinstance(fill, list) else f"median {fill:.6g}"
    flagged = "flagged" if recipe["missing"] else "unflagged, as none was empty for training"
    return f"{these(missing, place)} are empty: filled with the training {median}, {flagged}"


def _write_categories(column: Any, recipe: Recipe, place: Place, out: FloatArray) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.cast(pa.large_string())
    found = pc.index_in(column, value_set=pa.array(recipe["values"], pa.large_string()))
    missing = pc.fill_null(pc.equal(column, ""), True).to_numpy()
    new = pc.is_null(found).to_numpy() & ~missing
    rows = np.flatnonzero(~new if recipe["missing"] else ~(new | missing))
    out[rows, pc.fill_null(found, len(recipe["values"])).to_numpy()[rows]] = 1
    notes = []
    if missing.any() and not recipe["missing"]:
        notes.append(f"{these(missing, place)} are empty, as none was for training: all 0")
    if new.any():
        first = int(np.argmax(new))
        others = f" ({np.count_nonzero(new) - 1:,} others likewise)" if new.sum() > 1 else ""
        notes.append(f"{place(first)} is {column[first].as_py()!r}, a new category: all 0{others}")
    return "; ".join(notes)


def _check_kind(column: Any, kind: str, place: Place) -> None:
    """The kind is the recipe's; but whole numbers may name categories."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = kind_of(column.type)
    if found == kind or pa.types.is_null(column.type):
        return
    if kind == "category" and pa.types.is_integer(column.type):
        return
    said, way_out = f"{place(0)} is of type {column.type}", "Write the column as it was written for training."
    if is_text(column.type) and kind in LOOKS:
        row = pc.index(pc.invert(pc.match_substring_regex(column, LOOKS[kind])), True).as_py()
        if row >= 0:
            said, way_out = f"{place(row)} says {column[row].as_py()!r}", "Mend the field, or leave it empty."
    raise ValueError(f"the column must hold {HOLDS[kind]}, as it did for training, but {said}. {way_out}")


def _infinite(place: str, value: float) -> ValueError:
    return ValueError(
        f"features must be finite numbers below {LARGEST:.1e}, but {place} is {value:g}. "
        "Write a finite number, or leave the field empty to have it filled."
    )

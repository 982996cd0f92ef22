"""Columns of a table as features: one treatment for each kind of column, said in words and kept as a recipe.

numbers, truth values     float32; missing ones filled with the median, and a 0/1 column says where
dates, times, durations   days (dates: since 1970-01-01), then as numbers
lists of numbers          one feature for each place in the list; a missing list as a missing number
text, categories          one-hot if there are at most 50 different values, "missing" being one of them
text with more values     dropped
constant, empty, other    dropped; constant is what float32 cannot tell apart
infinite                  always an error

Strict mode refuses whatever drops or fills; one-hot and days lose nothing. What recipes look like, and what
becomes of a table that comes later, is told in :mod:`unifilter.data.recipes`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from unifilter.data.recipes import (
    NUMBER,
    Place,
    Recipe,
    Where,
    kind_of,
    lists,
    numbers,
    these,
)

MOST_CATEGORIES = 50
MOST_LISTS = 1 << 14  # so many, evenly spread, give the medians of lists: embeddings are large
WORDS = {"number": "number", "date": "date -> days since 1970-01-01", "time": "time -> days"}


# Ways of writing that are not read, since they mean different things in different countries.
WRITTEN = {
    "numbers with a decimal comma: write a point": r"^\s*[-+]?\d+,(\d{1,2}|\d{4,})\s*$",
    "numbers with marks between thousands: leave these out": r"^\s*[-+]?\d{1,3}([,.' ]\d{3})*([.,]\d+)?\s*$",
    "percentages: leave out the sign": r"^\s*[-+]?\d+([.,]\d+)?\s*%\s*$",
    "dates: write them as 2024-05-31": r"^\d{1,2}[./-]\d{1,2}[./-](\d\d|\d{4})$",
}


class Learned(NamedTuple):
    """A column's treatment in words, its recipe if it makes features, and what strict mode would refuse."""

    treatment: str
    recipe: Recipe | None = None
    loss: str = ""


def learn(table: Any, where: Where, strict: bool = False) -> tuple[list[Recipe], dict[str, str]]:
    """The recipes of those columns of an Arrow table that make features, and every column's treatment.

    ``where(column, row)`` says in errors which field is meant.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, None, 50], "town": ["Rome", "Oslo", "Rome"], "earth": [1, 1, 1]})
    >>> for recipe in learn(table, where=lambda column, row: f"{column}, row {row}")[0]:
    ...     print(recipe)
    {'column': 'age', 'kind': 'number', 'fill': 40.0, 'missing': True, 'constant': False}
    {'column': 'town', 'kind': 'category', 'values': ['Oslo', 'Rome'], 'missing': False}
    """
    recipes: list[Recipe] = []
    treatments: dict[str, str] = {}
    for name in table.column_names:
        treatments[name], recipe, loss = _learned(table[name], partial(where, name))
        if strict and loss:
            raise ValueError(
                f"{loss}. Without strict=True: {treatments[name]}. "
                "Mend the column, or leave it out with features=[...]."
            )
        if recipe is not None:
            recipes.append({"column": name} | recipe)
    return recipes, treatments


def _learned(column: Any, place: Place) -> Learned:
    kind = kind_of(column.type)
    if column.null_count == len(column):
        return _empty(place)
    if kind == "category":
        return _categories(column, place)
    if kind == "list":
        return _lists(column, place)
    if kind:
        return _numbers(column, kind, place)
    loss = f"{place(0)} is of type {column.type}, which makes no feature"
    return Learned(f"{column.type}, dropped", loss=loss)


def _empty(place: Place) -> Learned:
    return Learned("empty, dropped", loss=f"{place(0)} and all others are empty")


def _numbers(column: Any, kind: str, place: Place) -> Learned:
    array = numbers(column, place)
    missing = np.isnan(array)
    lost = int(missing.sum())
    present = array[~missing] if lost else array
    if not present.size:
        return _empty(place)
    constant = bool(np.float32(present.min()) == np.float32(present.max()))
    if constant and not lost:
        alike = "constant" if present.min() == present.max() else "the same to 7 digits"
        return Learned(f"{alike}, dropped", loss=f"{place(0)} is {array[0]:g}, as are all others")
    median = float(np.median(present))  # without gaps too: newcomers may have some
    recipe = {"kind": kind, "fill": median, "missing": lost > 0, "constant": constant}
    if not lost:
        return Learned(WORDS[kind], recipe)
    filled = f"{WORDS[kind]}, {lost:,} missing filled with the median {median:.6g} and flagged"
    treatment = f"constant, dropped, but {lost:,} missing flagged" if constant else filled
    return Learned(treatment, recipe, f"{these(missing, place)} are empty")


def _lists(column: Any, place: Place) -> Learned:
    import pyarrow.compute as pc

    width = int(pc.drop_null(pc.list_value_length(column))[0].as_py())
    missing, blocks = lists(column, width, "the first has", place)
    lost = int(missing.sum())
    step = -(-(missing.size - lost) // MOST_LISTS)
    sample, seen = [], 0
    for _, block in blocks:
        sample.append(block[-seen % step :: step].astype(np.float64))
        seen += len(block)
    fill = np.median(np.concatenate(sample), axis=0).tolist() if width else []
    recipe = {"kind": "list", "width": width, "fill": fill, "missing": lost > 0}
    if not lost:
        return Learned(f"list of {width} numbers", recipe)
    treatment = f"list of {width} numbers, {lost:,} missing filled with the median and flagged"
    return Learned(treatment, recipe, f"{these(missing, place)} are empty")


def _categories(column: Any, place: Place) -> Learned:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.cast(pa.large_string())
    every = pc.unique(column)
    values = pc.drop_null(every)
    values = values.filter(pc.not_equal(values, ""))
    missing = len(values) < len(every)
    many = len(values) + missing
    if not len(values):
        return _empty(place)
    if many == 1:
        return Learned("constant, dropped", loss=f"{place(0)} is {values[0]}, as are all others")
    if many > MOST_CATEGORIES:
        return Learned(
            f"text with {many:,} different values, dropped{_almost_numbers(column, place)}",
            loss=f"{place(0)} is text, one of {many:,} different values",
        )
    categories = pc.take(values, pc.sort_indices(values)).to_pylist()
    recipe = {"kind": "category", "values": categories, "missing": missing}
    return Learned(f"one-hot ({many} categories)", recipe)


def _almost_numbers(column: Any, place: Place) -> str:
    """A hint where a few odd fields, or a way of writing them, have turned numbers or dates into text."""
    import pyarrow.compute as pc

    for what, looks in WRITTEN.items():
        if pc.all(pc.match_substring_regex(column, f"^$|{looks}")).as_py():
            return f"; they look like {what}"
    odd = pc.invert(pc.match_substring_regex(column, f"^$|{NUMBER}"))
    count = pc.sum(odd).as_py()
    if 0 < count <= 0.1 * (len(column) - column.null_count):
        row = pc.index(odd, True).as_py()
        return f"; all but {count:,} are numbers (first: {place(row)} says {column[row].as_py()!r})"
    return ""

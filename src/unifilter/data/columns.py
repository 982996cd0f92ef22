"""Columns of a table as features: one treatment for each kind of column, said in words.

numbers, truth values     float32; missing ones filled with the median, and a 0/1 column says where
dates, times, durations   days (dates: since 1970-01-01), then as numbers
lists of numbers          one feature for each place in the list; a missing list as a missing number
text, categories          one-hot if there are at most 50 different values, "missing" being one of them
text with more values     dropped
constant, empty, other    dropped
infinite                  always an error

Strict mode refuses whatever drops or fills; one-hot and days lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from unifilter._types import FloatArray
from unifilter.data.files import is_text

MOST_CATEGORIES = 50
# Days in one tick of a time unit.
DAY = {"s": 1 / 86_400, "ms": 1 / 86_400e3, "us": 1 / 86_400e6, "ns": 1 / 86_400e9, "D": 1.0}
LARGEST = float(np.finfo(np.float32).max)
NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"


class Encoded(NamedTuple):
    """A column's treatment in words, its features' names, and what writes them into (n, len(names)) of X.

    ``loss`` says what strict mode refuses, "" if nothing. Values are made when they are written, so that X
    and the table are the only large things in memory.
    """

    treatment: str
    names: list[str] = []  # noqa: RUF012
    write: Callable[[FloatArray], None] = lambda out: None
    loss: str = ""


def encode(
    table: Any, where: Callable[[str, int], str], strict: bool = False
) -> tuple[FloatArray, list[str], dict[str, str]]:
    """The columns of an Arrow table as X (n, d), the features' names, and each column's treatment.

    ``where(column, row)`` says in errors which field is meant.

    Examples
    --------
    >>> import pyarrow as pa
    >>> towns = ["Rome", "Oslo", "Rome", None]
    >>> table = pa.table({"age": [30, None, 50, 40], "town": towns, "earth": [1, 1, 1, 1]})
    >>> X, names, treatments = encode(table, where=lambda column, row: f"{column}, row {row}")
    >>> names
    ['age', 'age (missing)', 'town=Oslo', 'town=Rome', 'town (missing)']
    >>> X[1]
    array([40.,  1.,  1.,  0.,  0.], dtype=float32)
    >>> treatments["age"], treatments["earth"]
    ('number, 1 missing filled with the median 40 and flagged', 'constant, dropped')
    """
    plans: dict[str, Encoded] = {}
    for name in table.column_names:
        plans[name] = _encoded(table[name], name, partial(where, name))
        if strict and plans[name].loss:
            raise ValueError(
                f"{plans[name].loss}. Without strict=True: {plans[name].treatment}. "
                "Mend the column, or leave it out with features=[...]."
            )
    names = [feature for plan in plans.values() for feature in plan.names]
    X = np.zeros((table.num_rows, len(names)), np.float32)
    at = 0
    for plan in plans.values():
        plan.write(X[:, at : at + len(plan.names)])
        at += len(plan.names)
    return X, names, {name: plan.treatment for name, plan in plans.items()}


def _encoded(column: Any, name: str, where: Callable[[int], str]) -> Encoded:
    import pyarrow as pa

    kind = column.type
    if column.null_count == len(column):
        return Encoded("empty, dropped", loss=f"{where(0)} and all others are empty")
    if pa.types.is_dictionary(kind) or is_text(kind):
        return _categories(column.cast(pa.large_string()), name, where)
    if _is_number(kind):
        return _numbers(lambda: _floats(column, 1.0), "number", name, where)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _numbers(lambda: _days(column), "date -> days since 1970-01-01", name, where)
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        return _numbers(lambda: _days(column), "time -> days", name, where)
    if (pa.types.is_list(kind) or _is_other_list(kind)) and _is_number(kind.value_type):
        return _lists(column, name, where)
    return Encoded(f"{kind}, dropped", loss=f"{where(0)} is of type {kind}, which makes no feature")


def _numbers(values: Callable[[], FloatArray], kind: str, name: str, where: Callable[[int], str]) -> Encoded:
    """Values are float64, NaN = missing."""
    array = values()
    missing = np.isnan(array)
    _refuse_infinite(array, where)
    lost = int(missing.sum())
    present = array[~missing] if lost else array
    if not present.size:
        return Encoded("empty, dropped", loss=f"{where(0)} and all others are empty")
    constant = np.float32(present.min()) == np.float32(present.max())
    if constant and not lost:
        return Encoded("constant, dropped", loss=f"{where(0)} is {array[0]:g}, as are all others")
    median = float(np.median(present)) if lost else 0.0

    def write(out: FloatArray) -> None:
        array = values()
        if lost:
            missing = np.isnan(array)
            out[:, -1] = missing
            array[missing] = median
        if not constant:
            out[:, 0] = array

    if not lost:
        return Encoded(kind, [name], write)
    loss = f"{where(int(np.argmax(missing)))} and {lost - 1:,} others are empty"
    if constant:
        return Encoded(f"constant, dropped, but {lost:,} missing flagged", [f"{name} (missing)"], write, loss)
    treatment = f"{kind}, {lost:,} missing filled with the median {median:.6g} and flagged"
    return Encoded(treatment, [name, f"{name} (missing)"], write, loss)


def _lists(column: Any, name: str, where: Callable[[int], str]) -> Encoded:
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column).to_numpy()
    missing = np.isnan(lengths) if lengths.dtype.kind == "f" else np.zeros(lengths.size, bool)
    length = int(lengths[~missing][0])
    other = ~missing & (lengths != length)
    if other.any():
        row = int(np.argmax(other))
        raise ValueError(
            f"the lists of a column must have one length, but {where(row)} has {int(lengths[row])} entries "
            f"and the first has {length}. Pad or cut them, or leave the column out with features=[...]."
        )

    def blocks() -> Any:
        """Rows that are not missing, chunk by chunk: embeddings are large."""
        before = 0
        for chunk in column.chunks:
            rows = before + np.flatnonzero(~missing[before : before + len(chunk)])
            yield rows, chunk.flatten().to_numpy(zero_copy_only=False).reshape(rows.size, length)
            before += len(chunk)

    for rows, block in blocks():
        if not np.isfinite(block).all() or np.abs(block).max(initial=0) > LARGEST:
            row, place = np.argwhere(~(np.abs(block) <= LARGEST))[0]
            raise _infinite(f"{where(int(rows[row]))}, entry {place}", block[row, place])
    lost = int(missing.sum())

    def write(out: FloatArray) -> None:
        for rows, block in blocks():
            if rows.size == out.shape[0]:
                out[:, :length] = block
            else:
                out[rows, :length] = block
        if lost:
            out[missing, :length] = np.median(out[~missing, :length], axis=0)
            out[:, length] = missing

    names = [f"{name}[{i}]" for i in range(length)]
    if not lost:
        return Encoded(f"list of {length} numbers", names, write)
    return Encoded(
        f"list of {length} numbers, {lost:,} missing filled with the median and flagged",
        [*names, f"{name} (missing)"],
        write,
        f"{where(int(np.argmax(missing)))} and {lost - 1:,} others are empty",
    )


def _categories(column: Any, name: str, where: Callable[[int], str]) -> Encoded:
    import pyarrow.compute as pc

    every = pc.unique(column)
    values = pc.drop_null(every)
    values = values.filter(pc.not_equal(values, ""))
    missing = len(values) < len(every)
    many = len(values) + missing
    if not len(values):
        return Encoded("empty, dropped", loss=f"{where(0)} and all others are empty")
    if many == 1:
        return Encoded("constant, dropped", loss=f"{where(0)} is {values[0]}, as are all others")
    if many > MOST_CATEGORIES:
        return Encoded(
            f"text with {many:,} different values, dropped{_almost_numbers(column, where)}",
            loss=f"{where(0)} is text, one of {many:,} different values",
        )
    categories = pc.take(values, pc.sort_indices(values))

    def write(out: FloatArray) -> None:
        codes = pc.fill_null(pc.index_in(column, value_set=categories), len(categories)).to_numpy()
        out[np.arange(codes.size), codes] = 1

    names = [f"{name}={value}" for value in categories.to_pylist()]
    return Encoded(f"one-hot ({many} categories)", names + [f"{name} (missing)"] * missing, write)


def _almost_numbers(column: Any, where: Callable[[int], str]) -> str:
    """A hint where a few odd fields have turned a column of numbers into text."""
    import pyarrow.compute as pc

    odd = pc.invert(pc.match_substring_regex(column, f"^$|{NUMBER}"))
    count = pc.sum(odd).as_py()
    if 0 < count <= 0.1 * (len(column) - column.null_count):
        row = pc.index(odd, True).as_py()
        return f"; all but {count:,} are numbers (first: {where(row)} says {column[row].as_py()!r})"
    return ""


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    t = pa.types
    return bool(t.is_integer(kind) or t.is_floating(kind) or t.is_boolean(kind) or t.is_decimal(kind))


def _is_other_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _floats(column: Any, unit: float) -> FloatArray:
    """A float64 array of its own, NaN = missing."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    array: FloatArray = np.array(column.cast(pa.float64(), safe=False).to_numpy())
    return array if unit == 1.0 else array * unit


def _days(column: Any) -> FloatArray:
    import pyarrow as pa

    unit = "D" if pa.types.is_date32(column.type) else getattr(column.type, "unit", "ms")
    wide = pa.types.is_date64(column.type) or column.type.bit_width == 64
    return _floats(column.cast(pa.int64() if wide else pa.int32()), DAY[unit])


def _refuse_infinite(array: FloatArray, where: Callable[[int], str]) -> None:
    with np.errstate(invalid="ignore"):
        bad = np.abs(array) > LARGEST
    if bad.any():
        row = int(np.argmax(bad))
        raise _infinite(where(row), array[row])


def _infinite(place: str, value: float) -> ValueError:
    return ValueError(
        f"features must be finite numbers below {LARGEST:.1e}, but {place} is {value:g}. "
        "Write a finite number, or leave the field empty to have it filled."
    )

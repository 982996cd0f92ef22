"""What is wrong with a table that cannot be read, and where: errors that name file, column and row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

AS_WHOLE = (
    "pandas turns whole numbers into floats where one is missing: convert the ids with astype('Int64') "
    "before the file is written."
)


def as_utf8(start: bytes = b"") -> str:
    """How to make a file UTF-8; two bytes at its start tell UTF-16 from what is most often Latin-1.

    Examples
    --------
    >>> as_utf8()
    'Save it as UTF-8, for instance with: iconv -f latin1 -t utf-8 OLD > NEW'
    """
    known = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin1"
    return f"Save it as UTF-8, for instance with: iconv -f {known} -t utf-8 OLD > NEW"


def markers() -> list[str]:
    """The words that stand for a missing value in a CSV file: empty, NA, NaN, null and the like."""
    import pyarrow.csv

    return list(pyarrow.csv.ConvertOptions().null_values)


def blame(file: str, batches: Iterable[Any], types: dict[str, Any]) -> None:
    """Raise for the first raw field that is not UTF-8 or, where a type is wanted, not of that type.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"w": [b"1.5", b"heavy"]})
    >>> blame("edges.csv", [batch], {"w": pa.float64()})
    Traceback (most recent call last):
    ValueError: edges.csv, column 'w' must hold numbers, but data row 2 says 'heavy'. Mend that row...
    """
    before = 0
    for batch in batches:
        refused = {name: _first_refused(batch[name], type) for name, type in types.items()}
        rows = {name: row for name, row in refused.items() if row is not None}
        if rows:
            name = min(rows, key=rows.__getitem__)
            raise _bad_field(file, name, before + rows[name], batch[name][rows[name]].as_py(), types[name])
        before += batch.num_rows


def empty(path: Path) -> ValueError:
    """The file has nothing in it, or only a header."""
    return ValueError(
        f"{path.name} is empty: a table needs a header and at least one row. Was it written to the end?"
    )


def repeated_header(file: str, row: int) -> ValueError:
    """The header stands again in the middle; ``row`` counts from 0."""
    return ValueError(
        f"{file} repeats its header in data row {row + 1}, as files do that were glued together. "
        "Delete that line; the header belongs at the top only."
    )


def _bad_field(file: str, name: str, row: int, value: bytes, type: Any) -> ValueError:
    try:
        said = value.decode()
    except UnicodeDecodeError:
        return ValueError(f"{file}, column {name!r}, data row {row + 1}: {value!r} is not UTF-8. {as_utf8()}")
    if said == name:
        return repeated_header(file, row)
    ids = "int" in str(type)
    wanted = "whole numbers, as the ids of the nodes are" if ids else "numbers"
    way_out = "Mend that row, or name another column."
    if ids and re.fullmatch(r"-?\d+\.0*", said):
        way_out = AS_WHOLE
    return ValueError(
        f"{file}, column {name!r} must hold {wanted}, but data row {row + 1} says {said!r}. {way_out}"
    )


def _first_refused(values: Any, type: Any) -> int | None:
    """The first of some raw fields that is not text, or not of the type; found by halving."""
    if _castable(values, type):
        return None
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _castable(values[low:middle], type) else (low, middle)
    return low


def _castable(values: Any, type: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        text = pc.utf8_trim_whitespace(values.cast(pa.string()))
        if type is not None:
            marked = pc.is_in(text, value_set=pa.array(markers()))
            pc.if_else(marked, pa.scalar(None, pa.string()), text).cast(type)
    except pa.ArrowInvalid:
        return False
    return True

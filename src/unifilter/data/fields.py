"""What fields of a table are: text, dates where all of them are dates, missing where they say so."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from unifilter.data.diagnosis import markers

DATE = r"^\d{4}-\d\d-\d\d([ T]\d\d:.*)?$"


def is_text(type: Any) -> bool:
    """Whether an Arrow type is text, in any of its layouts."""
    return str(type) in ("string", "large_string", "string_view")


def plain_text(table: Any) -> Any:
    """Text as views, which Polars writes, lacks half of Arrow's functions."""
    import pyarrow as pa

    fields = [(f.name, pa.large_string() if str(f.type) == "string_view" else f.type) for f in table.schema]
    return table.cast(pa.schema(fields))


def with_dates(table: Any, columns: Sequence[str]) -> Any:
    """Text that is a date in every field as dates, as in CSV."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in columns:
        column = table[name]
        if not is_text(column.type) or not pc.all(pc.match_substring_regex(column, f"^$|{DATE}")).as_py():
            continue
        given = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
        for zone in (None, "UTC"):
            with suppress(pa.ArrowInvalid):  # no day of the calendar: text
                dates = given.cast(pa.timestamp("us", zone))
                table = table.set_column(table.column_names.index(name), name, dates)
                break
    return table


def without_markers(table: Any, ids: str | None) -> Any:
    """Missing where a text field is empty or says NA; Arrow does it for numbers only."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for i, (name, type) in enumerate(zip(table.column_names, table.schema.types, strict=True)):
        if is_text(type) and name != ids:
            missing = pc.is_in(table[name], value_set=pa.array(markers()))
            if pc.any(missing).as_py():
                table = table.set_column(i, name, pc.if_else(missing, pa.scalar(None, type), table[name]))
    return table

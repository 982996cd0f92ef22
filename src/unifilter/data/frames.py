"""Tables in memory: pandas, Polars, Arrow, as if they were files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unifilter.data.files import BLOCK_ROWS, TableFile
from unifilter.data.recipes import kind_of


@dataclass(frozen=True)
class Frame(TableFile):
    """An Arrow table; made by :func:`open_frame`."""

    table: Any = None

    def _batches(self, columns: Sequence[str], types: dict[str, Any] | None = None) -> Iterator[Any]:
        import pyarrow as pa

        for batch in self.table.select(list(columns)).to_batches(max_chunksize=BLOCK_ROWS):
            yield pa.Table.from_batches([batch])


def open_frame(table: Any, name: str) -> Frame:
    """A table in memory under a name for messages; an index is no column.

    Examples
    --------
    >>> import pandas as pd
    >>> open_frame(pd.DataFrame({"src": ["a"], "dst": ["b"]}), "table").names
    ('src', 'dst')
    """
    import pyarrow as pa

    pandas, arrow = hasattr(table, "iloc") and hasattr(table, "columns"), hasattr(table, "__arrow_c_stream__")
    if not (pandas or (arrow and hasattr(table, "schema"))):
        raise ValueError(
            f"a table is a path, or a pandas, Polars or Arrow table, but {type(table).__name__} came."
        )
    try:
        found = pa.Table.from_pandas(table, preserve_index=False) if pandas else pa.table(table)
        found = pa.table([_decoded(column) for column in found.columns], names=found.column_names)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise ValueError(
            f"the {name} cannot be read: {error}. Columns need a name of their own and one plain type each."
        ) from error
    if not found.num_rows:
        raise ValueError(f"the {name} is empty: at least one row is needed.")
    types = dict(zip(found.column_names, found.schema.types, strict=True))
    return Frame(Path(name), tuple(found.column_names), types, "", found)


def _decoded(column: Any) -> Any:
    """Categories as their values; numbers that were declared categories stay such."""
    import pyarrow as pa

    value = column.type.value_type if pa.types.is_dictionary(column.type) else None
    return column if value is None or kind_of(value) == "number" else column.cast(value)

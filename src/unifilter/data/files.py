"""Tables on disk: CSV, Parquet and Feather behind one door.

Rows are counted from 1, without the header: "data row 3". In a CSV file a field that is empty or says NA,
NaN, null or the like is missing, in every column but the ids.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from unifilter.data.diagnosis import as_utf8, blame, empty, repeated_header
from unifilter.data.fields import is_text, plain_text, with_dates, without_markers

# What a file name may end in, and what separates the fields; "" where the format itself knows its columns.
ENDINGS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t", ".parquet": "", ".feather": ""}
BLOCK_BYTES, BLOCK_ROWS = 1 << 24, 1 << 20  # parsed at a time: of a CSV file, of another one


@dataclass(frozen=True)
class TableFile:
    """A file with a header and at least one row; made by :func:`open_table`.

    ``types`` are the columns' Arrow types, None for CSV, which has none.
    """

    path: Path
    names: tuple[str, ...]
    types: dict[str, Any] | None
    delimiter: str

    def __str__(self) -> str:
        return self.path.name

    def require(self, **arguments: str | None) -> None:
        """Each column that an argument names is there, once."""
        for argument, name in arguments.items():
            if name is not None and self.names.count(name) != 1:
                raise ValueError(
                    f"{self} must have one column {name!r} ({argument}=), but has {self.names.count(name)}: "
                    f"its columns are {', '.join(map(repr, self.names))[:300]}. {self._way_out(argument)}"
                )

    def find(self, name: str | None) -> str | None:
        """The column of this name, or the only one that differs from it in capital letters alone."""
        alike = [n for n in self.names if name is not None and n.casefold() == name.casefold()]
        return alike[0] if len(alike) == 1 and name not in self.names else name

    def read(self, columns: Sequence[str], ids: str | None = None, text: Sequence[str] = ()) -> Any:
        """The columns as one Arrow table; ``ids`` and ``text`` are not guessed to be numbers or dates."""
        import pyarrow as pa

        as_text = {name: pa.string() for name in (ids, *text) if name is not None}
        with self._explained({name: as_text.get(name) for name in columns}):
            if self.types is not None:
                table = plain_text(pa.concat_tables(self._batches(columns)).select(columns))
                return with_dates(table, [name for name in columns if name not in as_text])
            import pyarrow.csv

            table = pyarrow.csv.read_csv(self._bytes(), *self._csv_options(columns, as_text)).select(columns)
            if any(pa.types.is_binary(t) for t in table.schema.types):  # so Arrow guesses what is not UTF-8
                raise pa.ArrowInvalid("not UTF-8")
        self._refuse_repeated_header(table, 0)
        self._refuse_unclosed_quote(table)
        return without_markers(table, ids)

    def stream(self, types: dict[str, Any]) -> Iterator[Any]:
        """Record batches of a million rows or so, with columns of the wanted types."""
        import pyarrow as pa

        schema = pa.schema(list(types.items()))
        before, held, count = 0, [], 0
        with self._explained(types):
            for table in self._batches(list(types), types):
                held.append(table.select(list(types)).cast(schema))
                count += table.num_rows
                if self.types is None:
                    self._refuse_repeated_header(held[-1], before)
                    self._refuse_unclosed_quote(held[-1])
                before += table.num_rows
                if count >= BLOCK_ROWS:
                    yield _one_batch(held)
                    held, count = [], 0
        if count:
            yield _one_batch(held)

    def _batches(self, columns: Sequence[str], types: dict[str, Any] | None = None) -> Iterator[Any]:
        import pyarrow as pa

        if self.types is None:
            import pyarrow.csv

            for batch in pyarrow.csv.open_csv(self._bytes(), *self._csv_options(columns, types or {})):
                yield pa.Table.from_batches([batch])
        elif self.path.suffix.lower() == ".parquet":
            import pyarrow.parquet

            file = pyarrow.parquet.ParquetFile(self.path)
            for batch in file.iter_batches(batch_size=BLOCK_ROWS, columns=list(columns)):
                yield pa.Table.from_batches([batch])
        else:
            reader = _feather(self.path, included_fields=[self.names.index(name) for name in columns])
            for i in range(reader.num_record_batches):
                yield pa.Table.from_batches([reader.get_batch(i)])

    def _bytes(self) -> Any:
        import pyarrow as pa

        return pa.input_stream(str(self.path), compression="gzip" if _zipped(self.path) else None)

    def _csv_options(self, columns: Sequence[str], types: dict[str, Any], threads: bool = True) -> Any:
        import pyarrow.csv as pc

        return (
            pc.ReadOptions(block_size=BLOCK_BYTES, use_threads=threads),
            pc.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            pc.ConvertOptions(include_columns=list(columns), column_types=types),
        )

    def _way_out(self, argument: str) -> str:
        if self.types is None:
            found = [d for d in ";\t| ," if len(self.names) == 1 and d in self.names[0]]
            if found:
                return f"If its fields are separated by {found[0]!r}, pass delimiter={found[0]!r}."
            if all(name.replace(".", "", 1).isdigit() for name in self.names):
                return "Its first line looks like data: put a line with the columns' names above it."
        return f"Name a column that it has with {argument}=..."

    def _refuse_unclosed_quote(self, table: Any) -> None:
        """A quotation mark that is never closed makes one field of all lines behind it."""
        if not table.num_rows:
            return
        last = [
            table[name][-1].as_py() for name in table.column_names if is_text(table.schema.field(name).type)
        ]
        long = next((value for value in last if value and "\n" in value), None)
        if long is None:  # a last row on one line has swallowed nothing
            return
        stream, quotes = self._bytes(), 0
        while block := stream.read(BLOCK_BYTES):
            quotes += block.count(b'"')
        if quotes % 2:
            raise ValueError(
                f"{self} has a quotation mark that is never closed: a field that begins {long[:30]!r} holds "
                f"the {long.count(chr(10))} lines behind it. Close it, or double it if it is text."
            )

    def _refuse_repeated_header(self, table: Any, before: int) -> None:
        """Files that were glued together have the header again, somewhere in the middle."""
        import pyarrow.compute as pc

        text = [field.name for field in table.schema if is_text(field.type)]
        for row in pc.indices_nonzero(pc.equal(table[text[0]], text[0])).to_pylist() if text else ():
            if all(str(table[name][row]) == name for name in table.column_names):
                raise repeated_header(str(self), before + row)

    @contextmanager
    def _explained(self, types: dict[str, Any]) -> Iterator[None]:
        """Arrow's errors as ours; a CSV file is read again, raw and slowly, to find the row."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            reason = error
            if self.types is None:
                import pyarrow.csv

                raw = {name: pa.binary() for name in types}
                try:
                    options = self._csv_options(list(types), raw, threads=False)
                    blame(str(self), pyarrow.csv.open_csv(self._bytes(), *options), types)
                except (pa.ArrowException, OSError) as again:  # without threads Arrow counts rows
                    reason = again
            raise ValueError(
                f"{self} cannot be read: {reason}. Mend that place, or write the file again."
            ) from error


def open_table(path: Any, delimiter: str | None = None, name: str = "table") -> TableFile:
    r"""Check that the file is there, has an ending that we know, a header and a row.

    A table in memory is as good; ``name`` is what messages call it.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> _ = file.write_text("src,dst\na,b\n")
    >>> open_table(file).names
    ('src', 'dst')
    """
    if not isinstance(path, str | PathLike):
        from unifilter.data.frames import open_frame

        return open_frame(path, name)
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder, and a table is one file: name a file in it.")
    if path.exists() and not path.is_file():
        raise ValueError(
            f"tables are read twice, so {str(path)!r} must be a file, but is a pipe or a device: write what "
            "comes through it to a file first."
        )
    if not path.is_file():
        near = get_close_matches(path.name, [p.name for p in path.parent.glob("*")], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise FileNotFoundError(f"there is no file {str(path)!r} (looked from {Path.cwd()}).{hint}")
    ending = next((e for e in sorted(ENDINGS, key=len, reverse=True) if path.name.lower().endswith(e)), None)
    if ending is None:
        raise ValueError(
            f"{path.name} must end in one of {', '.join(ENDINGS)}, so that its format is known. "
            "Rename it, or write the table in one of these formats."
        )
    if path.stat().st_size == 0:
        raise empty(path)
    if ENDINGS[ending]:
        separator = "\t" if delimiter == "\\t" else delimiter or ENDINGS[ending]  # a shell writes no tab
        if len(separator) != 1 or separator in '"\r\n' or not separator.isascii():
            raise ValueError(f"delimiter must be one character, such as ';' or '\\t', but is {separator!r}.")
        names = _csv_header(path, separator)
        other = _separator(names) if delimiter is None else None
        if other is not None:
            names, separator = _csv_header(path, other), other
        return TableFile(path, names, None, separator)
    schema = _arrow_schema(path)
    return TableFile(path, tuple(schema.names), dict(zip(schema.names, schema.types, strict=True)), "")


def _csv_header(path: Path, delimiter: str) -> tuple[str, ...]:
    try:
        with gzip.open(path) if _zipped(path) else path.open("rb") as file:
            line = file.readline()
            rows = any(row.strip() for row in file)
        header = line.decode("utf-8-sig").rstrip("\r\n")
        if "\r" in header and not rows:
            raise ValueError(f"the lines of {path.name} end as on old Macs: save it with line ends of \\n.")
        names = next(csv.reader([header], delimiter=delimiter), [])
    except (gzip.BadGzipFile, EOFError) as error:
        raise ValueError(f"{path.name} ends in .gz but is not gzip: {error}. Rename or pack it.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"the header of {path.name} is not UTF-8 text: {error}. {as_utf8(line)}") from error
    if not rows or not names:
        raise empty(path)
    return tuple(names)


def _separator(names: tuple[str, ...]) -> str | None:
    """What separates the fields of a header that the usual character leaves whole, if it is one of these.

    Examples
    --------
    >>> _separator(("id;label",)), _separator(("id",)), _separator(("id;a|b",)), _separator(("id", "a;b"))
    (';', None, None, None)
    """
    found = [d for d in ";\t|," if len(names) == 1 and d in names[0]]
    return found[0] if len(found) == 1 else None


def _arrow_schema(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        if path.suffix.lower() == ".parquet":
            file = pyarrow.parquet.ParquetFile(path)
            schema, rows = file.schema_arrow, file.metadata.num_rows
        else:
            reader = _feather(path)
            schema = reader.schema
            rows = any(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))
    except (pa.ArrowException, OSError) as error:
        kind = path.suffix.removeprefix(".")
        raise ValueError(f"{path.name} is not a {kind} file: {error}. Was it written to the end?") from error
    if not rows:
        raise empty(path)
    return schema


def _zipped(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _feather(path: Path, **options: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path)), options=pa.ipc.IpcReadOptions(**options))


def _one_batch(tables: list[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(tables).combine_chunks().to_batches()[0]

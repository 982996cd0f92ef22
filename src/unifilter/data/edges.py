"""Edge tables, streamed into pairs of node numbers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from unifilter._types import BoolArray, FloatArray, IntArray
from unifilter.data.fields import is_text
from unifilter.data.files import TableFile, open_table
from unifilter.data.ids import NodeIndex, check_id_type, common_type, node_ids

SAMPLE = 1000  # unknown ids that are looked at, to say why
USUAL = (("src", "dst"), ("source", "target"), ("from", "to"), ("u", "v"))


class Edges(NamedTuple):
    """Known edges as node numbers, and a count of the others."""

    arcs: IntArray  # (2, a), int32: as they came, direction, loops and duplicates included
    weights: FloatArray | None
    rows: int
    unknown: int
    first_unknown: str
    each: tuple[int, ...] = ()  # rows of every table
    cause: str = ""  # why most unknown ends are unknown, where that is plain


class EdgeColumns(NamedTuple):
    """The columns of an edge table that matter; ``weight`` may be None."""

    source: str
    target: str
    weight: str | None


def open_edges(
    edges: Any,
    delimiter: str | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    name: str = "edge table",
) -> tuple[list[TableFile], EdgeColumns]:
    """One table, or a list of tables that have the same columns and are read as one."""
    tables = list(edges) if isinstance(edges, list | tuple) else [edges]
    if not tables:
        raise ValueError("edges must name a table, or a list of them, but the list is empty.")
    numbers = range(1, len(tables) + 1)
    names = [name] if len(tables) == 1 else [f"{name} {i}" for i in numbers]
    files = [open_table(table, delimiter, called) for table, called in zip(tables, names, strict=True)]
    columns = edge_columns(files[0], source, target, weight)
    for file in files[1:]:
        edge_columns(file, *columns)
    return files, columns


def edge_columns(
    file: TableFile, source: str | None = None, target: str | None = None, weight: str | None = None
) -> EdgeColumns:
    """Those that were named, or the usual ones; ids are whole numbers or text, weights are numbers."""
    import pyarrow as pa

    if source is None and target is None:
        source, target = _usual(file, weight)
    columns = EdgeColumns(source or USUAL[0][0], target or USUAL[0][1], weight)
    file.require(**columns._asdict())
    if columns.source == columns.target:
        raise ValueError(f"source and target must be two columns of {file}, but both are {columns.source!r}.")
    if columns.weight in columns[:2]:
        raise ValueError(
            f"the weight must be another column of {file} than the ends of edges, but is {columns.weight!r}."
        )
    types = file.types or {}  # CSV has none
    for name in columns[:2] if types else ():
        check_id_type(types[name], f"{file}, column {name!r}")
    kind = types.get(columns.weight or "")
    if kind is not None and not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise ValueError(
            f"{file}, column {columns.weight!r} must hold numbers, but has type {kind}. "
            "Write the weights as numbers, or pass weight=None."
        )
    return columns


def _usual(file: TableFile, weight: str | None) -> tuple[str, str]:
    """The first usual pair of names that the table has, in small or capital letters, or its only columns."""
    names = [name for name in file.names if name != weight]
    for pair in USUAL:
        found = [[name for name in names if name.casefold() == end] for end in pair]
        if all(len(ends) == 1 for ends in found):
            return found[0][0], found[1][0]
    # In CSV the names of an unusual pair may be a first edge, in a file without a header.
    if file.types is not None and len(names) == 2:
        return names[0], names[1]
    return USUAL[0]


def ids_in_edges(files: Sequence[TableFile], columns: EdgeColumns) -> Any:
    """Every id that the edges name, sorted: the nodes of a graph that has no node table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    csv = any(file.types is None for file in files)
    kind = pa.string() if csv else common_type(*_kinds(files, columns))
    found = pa.chunked_array([], kind)
    wanted = dict.fromkeys(columns[:2], kind)
    for batch in (batch for file in files for batch in file.stream(wanted)):
        ends = [pc.unique(batch[name]) for name in columns[:2]]
        found = pa.chunked_array([*found.chunks, *ends], kind)
        if found.num_chunks > 16:  # now and then: all that is known is hashed anew
            found = pa.chunked_array([pc.unique(found)])
    unique = pc.drop_null(pc.unique(found))
    if is_text(kind):
        unique = unique.filter(pc.not_equal(unique, ""))
    where = f"{listed(files)}, columns {columns.source!r} and {columns.target!r}"
    ids = node_ids(unique, where, guess=csv)
    return pc.take(ids, pc.sort_indices(ids))


def listed(files: Sequence[TableFile]) -> str:
    """Their names, for messages."""
    return " and ".join(map(str, files))


def _kinds(files: Sequence[TableFile], columns: EdgeColumns) -> list[Any]:
    """The types of the ends, of those tables that have types."""
    return [file.types[name] for file in files if file.types is not None for name in columns[:2]]


def read_edges(
    files: Sequence[TableFile],
    columns: EdgeColumns,
    ids: Any,
    nodes: str,
    strict: bool,
    *,
    whole: bool = True,
) -> Edges:
    """Stream the edge tables through a :class:`NodeIndex`; memory is 8 bytes an edge and one batch.

    An edge with an end that is missing or no node is dropped and counted; strict mode refuses it. A table of
    which nothing is left is always refused, and so are ids that are off by one from the nodes' (``nodes``
    names them in errors), if the tables have the ``whole`` graph's edges: of a few more edges, that some end
    at the node after the last one says nothing. The two columns are looked up side by side, in two threads.
    """
    index = NodeIndex(ids, *_kinds(files, columns))
    seen, found = _Ends(index), list[Edges]()
    with ThreadPoolExecutor(2) as pool:
        for file in files:
            found.append(_read_one(file, columns, seen, pool))
    if whole and any(one.unknown for one in found):
        _refuse_off_by_one(listed(files), nodes, seen)
    cause = seen.cause()
    for file, one in zip(files, found, strict=True):
        if one.unknown == one.rows or (one.unknown and strict):
            why = f"These ends are nodes but for {cause}. " if cause else ""
            lost_all = f"{why}Ids must be written alike: the first node is {index.ids[0].as_py()!r}."
            way_out = "Add the nodes, delete the edges, or pass strict=False to have them dropped."
            raise ValueError(
                f"every edge must join two nodes of {nodes}, but {one.unknown:,} of {one.rows:,} in {file} "
                f"do not (first: {one.first_unknown}). {lost_all if one.unknown == one.rows else way_out}"
            )
    firsts = [
        one.first_unknown if len(files) == 1 else f"{file}, {one.first_unknown}"
        for file, one in zip(files, found, strict=True)
        if one.unknown
    ]
    each, unknown = tuple(one.rows for one in found), sum(one.unknown for one in found)
    arcs, weights = [one.arcs for one in found], [one.weights for one in found]
    found.clear()  # so that each part is freed once it is copied
    joined = None if columns.weight is None else _joined(weights)
    return Edges(_joined(arcs), joined, sum(each), unknown, firsts[0] if firsts else "", each, cause)


def _read_one(file: TableFile, columns: EdgeColumns, seen: _Ends, pool: ThreadPoolExecutor) -> Edges:
    import pyarrow as pa

    index = seen.index
    types = dict.fromkeys(columns[:2], index.type)
    if columns.weight is not None:
        types[columns.weight] = pa.float64()
    arcs, weights = [], []
    rows, unknown, first = 0, 0, ""
    for batch in file.stream(types):
        ends = [batch[name] for name in columns[:2]]
        pairs = np.stack(list(pool.map(index.numbers, ends)))
        known: BoolArray = np.logical_and(pairs[0] >= 0, pairs[1] >= 0)
        lost = known.size - int(np.count_nonzero(known))
        seen.add(ends, pairs)
        if lost and not unknown:
            first = _first_unknown(ends, known, rows)
        arcs.append(pairs[:, known] if lost else pairs)
        if columns.weight is not None:
            values = _weights(batch[columns.weight], f"{file}, column {columns.weight!r}", rows)
            weights.append(values[known] if lost else values)
        rows, unknown = rows + known.size, unknown + lost
    return Edges(_joined(arcs), _joined(weights) if weights else None, rows, unknown, first)


class _Ends:
    """What tells why ends are unknown: the span of ids that are numbers, a sample of unknown texts.

    Parameters
    ----------
    index : NodeIndex
        Of the nodes.
    """

    def __init__(self, index: NodeIndex) -> None:
        self.index = index
        self.low, self.high = np.inf, -np.inf
        self.unknown: list[Any] = []

    def add(self, columns: Sequence[Any], numbers: IntArray) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        for column, found in zip(columns, numbers, strict=True):
            if not self.index.numeric:
                if len(self.unknown) < SAMPLE and (found < 0).any():
                    self.unknown += pc.drop_null(column.filter(pa.array(found < 0)))[:SAMPLE].to_pylist()
                continue
            ends = pc.min_max(column).as_py()
            if ends["min"] is not None:
                self.low, self.high = min(self.low, ends["min"]), max(self.high, ends["max"])

    def cause(self) -> str:
        """What most of the unknown ids would be known without, be it blanks, zeros or capitals."""
        import pyarrow as pa
        import pyarrow.compute as pc

        ids, unknown = self.index.ids, pa.array(self.unknown, self.index.type)
        steps = (
            ("blanks", pc.utf8_trim_whitespace),
            ("leading zeros", lambda column: pc.utf8_ltrim(column, characters="0")),
            ("capital letters", pc.utf8_lower),
        )
        for name, stripped in steps if self.unknown else ():
            ids, unknown = stripped(ids), stripped(unknown)
            if 2 * pc.sum(pc.is_in(unknown, value_set=ids)).as_py() > len(unknown):
                return name
        return ""


def _refuse_off_by_one(files: str, nodes: str, seen: _Ends) -> None:
    """Ids that count from 1 in one file and from 0 in the other would join the wrong nodes."""
    index = seen.index
    up = seen.high == index.high + 1 and seen.low > index.low
    down = seen.low == index.low - 1 and seen.high < index.high
    if index.without_gaps and (up or down):
        raise ValueError(
            f"the ids in {files} run from {seen.low} to {seen.high}, those of {nodes} from {index.low} to "
            f"{index.high}: it looks as if one counts from {index.low} and the other from "
            f"{index.low + (1 if up else -1)}. Shift one by 1; if they are right, delete the edges to nodes "
            "that are not there."
        )


def _first_unknown(ends: list[Any], known: BoolArray, before: int) -> str:
    row = int(np.argmin(known))
    source, target = (end[row].as_py() for end in ends)
    return f"data row {before + row + 1}: {source!r} -> {target!r}"


def _weights(column: Any, where: str, before: int) -> FloatArray:
    values: FloatArray = column.to_numpy(zero_copy_only=False)
    bad = ~((values >= 0) & (values < np.inf))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"{where} must hold finite weights that are not negative, but data row {before + row + 1} is "
            f"{column[row].as_py()}. Mend the row, or pass weight=None."
        )
    return values


def _joined(parts: list[Any]) -> Any:
    """Concatenated along the last axis; each part is given up as soon as it is copied."""
    if len(parts) == 1:
        return parts[0]
    whole = np.empty((*parts[0].shape[:-1], sum(part.shape[-1] for part in parts)), parts[0].dtype)
    at = whole.shape[-1]
    while parts:
        part = parts.pop()
        whole[..., at - part.shape[-1] : at] = part
        at -= part.shape[-1]
    return whole

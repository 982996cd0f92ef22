"""From the nodes' own ids, whole numbers or text, to node numbers 0 .. n-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from unifilter._types import IntArray
from unifilter.data.diagnosis import AS_WHOLE
from unifilter.data.fields import is_text

# Whole numbers are looked up in an array as long as their range, if that is at most so many times n.
GAPS = 4
# Below so many ids Arrow's search is as good as ours, which has to be compiled first.
FEW = 1 << 16


def node_ids(column: Any, where: str, guess: bool) -> Any:
    """Checked ids as one Arrow array: whole numbers or text, none missing.

    ``where`` names file and column in errors. ``guess`` is for CSV, where all is text: ids that are all
    written as whole numbers become such, but "007" stays what it is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> node_ids(pa.array(["2", "10"]), "nodes.csv, column 'id'", guess=True).type
    DataType(int64)
    >>> node_ids(pa.array(["2", "010"]), "nodes.csv, column 'id'", guess=True).type
    DataType(string)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    check_id_type(column.type, where)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    missing = pc.is_null(column)
    if is_text(column.type):
        missing = pc.or_kleene(missing, pc.equal(column, ""))
    if pc.any(missing).as_py():
        raise ValueError(
            f"{where} must name every node, but data row {pc.index(missing, True).as_py() + 1} is empty. "
            "Fill it, delete the row, or pass id=None to number the rows from 0."
        )
    if guess:
        column = _whole_numbers(column, where)
    if pa.types.is_string(column.type) and column.nbytes > np.iinfo(np.int32).max:
        column = column.cast(pa.large_string())  # one array of plain text has 32-bit offsets
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def check_id_type(type: Any, where: str) -> None:
    """Whole numbers or text: floats may have lost digits, and nothing else is compared safely."""
    import pyarrow as pa

    value = type.value_type if pa.types.is_dictionary(type) else type
    if pa.types.is_integer(value) or is_text(value):
        return
    as_text = "convert the ids with astype('str') before the file is written."
    way_out = AS_WHOLE if pa.types.is_floating(value) else as_text
    raise ValueError(f"{where} must hold whole numbers or text, but has type {type}. {way_out}")


def common_type(*types: Any) -> Any:
    """In which Arrow type ids of several types compare: as whole numbers if all are, else as text."""
    import pyarrow as pa

    types = tuple(t.value_type if pa.types.is_dictionary(t) else t for t in types)
    if all(pa.types.is_integer(t) for t in types):
        wide = [t == pa.uint64() for t in types]
        if not any(wide):
            return pa.int64()
        if all(wide):
            return pa.uint64()
    return pa.large_string()


class NodeIndex:
    """The way from ids to node numbers.

    Parameters
    ----------
    ids : pyarrow array of length n
        Whole numbers or text, none missing; an id that is repeated stands for its first node.
    *types : pyarrow types
        Those of the columns that will be looked up; they decide how ids compare. Whole numbers compare as
        such, and as text with text: node 7 is "7".

    Examples
    --------
    >>> import pyarrow as pa
    >>> index = NodeIndex(pa.array(["ann", "bob", "ann"]))
    >>> index.numbers(pa.array(["bob", "eve", None, "ann"], index.type))
    array([ 1, -1, -1,  0], dtype=int32)
    """

    def __init__(self, ids: Any, *types: Any) -> None:
        import pyarrow as pa

        self.type = common_type(ids.type, *types)
        self.ids = ids.cast(self.type)
        self.numeric = bool(pa.types.is_integer(self.type))
        self.low = self.high = 0
        self._direct: IntArray | None = None
        self._slots: IntArray | None = None
        n = len(ids)
        if self.numeric and n:
            values = self.ids.to_numpy()
            self.low, self.high = int(values.min()), int(values.max())
            if self.high - self.low < GAPS * n + FEW:
                self._direct = np.full(self.high - self.low + 1, -1, np.int32)
                # Backwards, so that of equal ids the first one stays.
                self._direct[self._distance(values)[::-1]] = np.arange(n, dtype=np.int32)[::-1]
        if self._direct is None and n > FEW:
            from unifilter.data.lookup import build

            self._keys, self._offsets = _byte_strings(self.ids)
            self._slots = np.full((1 << (2 * n).bit_length(), 2), -1, np.int32)
            build(self._keys, self._offsets, self._slots, np.empty(n, np.int32))

    @property
    def without_gaps(self) -> bool:
        """Whether the ids are all the whole numbers from ``low`` to ``high``."""
        return self.numeric and self.high - self.low + 1 == len(self.ids)

    def numbers(self, values: Any) -> IntArray:
        """The node number of every id, -1 where there is no such node. Threads may share an index.

        ``values`` is an Arrow array of type ``self.type``.
        """
        import pyarrow.compute as pc

        if self._direct is not None:
            at = self._distance((pc.fill_null(values, self.low) if values.null_count else values).to_numpy())
            known = at < self._direct.size
            inside = known.all()
            found = self._direct[at] if inside else np.where(known, self._direct[at * known], np.int32(-1))
        elif self._slots is not None:
            from unifilter.data.lookup import find

            found = np.empty(len(values), np.int32)
            find(*_byte_strings(values), self._keys, self._offsets, self._slots, found)
        else:
            return np.asarray(pc.fill_null(pc.index_in(values, value_set=self.ids), -1))
        if values.null_count:
            found[pc.is_null(values).to_numpy(zero_copy_only=False)] = -1
        return found

    def first_rows(self) -> IntArray:
        """For every id the number of the first node that has it; ids may be repeated.

        Examples
        --------
        >>> import pyarrow as pa
        >>> NodeIndex(pa.array([5, 7, 5])).first_rows()
        array([0, 1, 0], dtype=int32)
        """
        return self.numbers(self.ids)

    def _distance(self, values: IntArray) -> Any:
        # Unsigned, a number below the lowest id is as far off as one above the highest.
        return (values - values.dtype.type(self.low)).view(np.uint64)


def _whole_numbers(column: Any, where: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        numbers = pc.cast(column, pa.int64())
        return numbers if pc.all(pc.equal(pc.cast(numbers, column.type), column)).as_py() else column
    except pa.ArrowInvalid:
        pass
    if pc.all(pc.match_substring_regex(column, r"^-?\d+\.\d*$")).as_py():
        check_id_type(pa.float64(), f"{where} (data row 1: {column[0].as_py()})")
    return column


def _byte_strings(values: Any) -> tuple[Any, IntArray]:
    """Text, or whole numbers as eight bytes each, as one byte array and the offsets of its stretches."""
    n, skipped = len(values), values.offset
    if not is_text(values.type):
        data = np.frombuffer(values.buffers()[1], np.uint8)
        return data, np.arange(skipped, skipped + n + 1) * 8
    offsets = np.frombuffer(values.buffers()[1], np.int64)[skipped : skipped + n + 1]
    bytes_ = values.buffers()[2]
    return np.frombuffer(bytes_, np.uint8) if bytes_ is not None else np.empty(0, np.uint8), offsets

"""Where a broken table is broken."""

import pyarrow as pa
import pytest

from unifilter.data.diagnosis import blame, markers


def batches(*columns):
    return [pa.record_batch([pa.array(values, pa.binary())], names=["c"]) for values in columns]


@pytest.mark.parametrize("bad", [0, 1, 4, 6])
def test_the_first_bad_row_is_found_across_batches(bad):
    rows = [b"1", b" 2 ", b"NA", b"", b"5", b"6", b"7"]
    rows[bad] = b"heavy"
    rows[-1] = b"also heavy" if bad != 6 else rows[-1]
    with pytest.raises(
        ValueError, match=f"f.csv, column 'c' must hold numbers, but data row {bad + 1} says 'heavy'"
    ):
        blame("f.csv", batches(rows[:3], rows[3:]), {"c": pa.float64()})


def test_ids_that_pandas_made_floats_are_told_how_to_become_whole():
    """With a type that may miss some: int64 may not, and a missing one is why they are floats."""
    with pytest.raises(ValueError, match=r"data row 2 says '21.0'. pandas turns .* astype\('Int64'\) before"):
        blame("f.csv", batches([b"", b"21.0"]), {"c": pa.int64()})


def test_of_two_columns_the_earlier_row_is_blamed():
    batch = pa.record_batch({"a": [b"1", b"2", b"x"], "b": [b"1", b"y", b"3"]})
    with pytest.raises(ValueError, match="column 'b' must hold whole numbers, .* data row 2 says 'y'"):
        blame("f.csv", [batch], {"a": pa.int64(), "b": pa.int64()})


def test_bytes_that_are_no_text_are_shown():
    with pytest.raises(ValueError, match=r"column 'c', data row 2: b'\\xff' is not UTF-8"):
        blame("f.csv", batches([b"a", b"\xff"]), {"c": None})


def test_a_field_that_says_its_own_name_is_a_header():
    with pytest.raises(ValueError, match="f.csv repeats its header in data row 2"):
        blame("f.csv", batches([b"1", b"c"]), {"c": pa.int64()})


def test_nobody_is_blamed_for_what_is_fine():
    fine = [b"1", b" -2.5e3", *(m.encode() for m in markers())]
    assert blame("f.csv", batches(fine), {"c": pa.float64()}) is None
    assert blame("f.csv", batches([b"\xc3\xbc", b""]), {"c": None}) is None

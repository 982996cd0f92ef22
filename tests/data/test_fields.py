"""Fields of tables: dates that were text, and text that is missing."""

from datetime import datetime as dt
from datetime import timezone

import pyarrow as pa
import pyarrow.parquet
import pytest

from unifilter.data.fields import is_text, plain_text, with_dates, without_markers
from unifilter.data.files import open_table


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["2024-05-01", None, ""], [dt(2024, 5, 1), None, None]),
        (["2024-05-01 10:30", "2024-05-02T10:30:15"], [dt(2024, 5, 1, 10, 30), dt(2024, 5, 2, 10, 30, 15)]),
        (["2024-05-01T10:30Z"], [dt(2024, 5, 1, 10, 30, tzinfo=timezone.utc)]),
        (["2024-05-01", "soon"], ["2024-05-01", "soon"]),
        (["2024-13-01"], ["2024-13-01"]),
    ],
)
def test_text_that_is_dates_throughout_is_dates_in_every_format(written, read, tmp_path):
    pyarrow.parquet.write_table(pa.table({"when": written, "also": written}), tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet").read(["when", "also"], text=["also"])
    assert table["when"].to_pylist() == read
    assert table["also"].to_pylist() == written


def test_only_the_columns_that_are_asked_for_become_dates():
    table = with_dates(pa.table({"a": ["2024-05-01"], "b": ["2024-05-01"], "c": [3]}), ["b", "c"])
    assert [str(t) for t in table.schema.types] == ["string", "timestamp[us]", "int64"]


def test_views_become_plain_text_and_the_rest_stays():
    table = plain_text(pa.table({"a": pa.array(["x"], pa.string_view()), "b": [1]}))
    assert [str(t) for t in table.schema.types] == ["large_string", "int64"]
    assert is_text(table.schema.field("a").type)


def test_words_for_missing_are_missing_but_in_ids():
    table = without_markers(pa.table({"id": ["NA", "x"], "town": ["NA", "Oslo"]}), "id")
    assert table["id"].to_pylist() == ["NA", "x"]
    assert table["town"].to_pylist() == [None, "Oslo"]

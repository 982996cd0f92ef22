"""Node tables: rows that say the same, rows that do not, and places in errors."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet
import pytest

from unifilter.data.files import open_table
from unifilter.data.nodes import read_nodes


@pytest.fixture
def read(tmp_path):
    def read(strict=False, **columns):
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / "n.parquet")
        return read_nodes(open_table(tmp_path / "n.parquet"), "id", "label", None, strict)

    return read


SAME = {
    "number": [1.0, None, 1.0],
    "nan": [float("nan"), 0.0, float("nan")],
    "text": ["x", None, "x"],
    "day": [dt.date(2020, 1, 1), None, dt.date(2020, 1, 1)],
    "vector": [[1, 2], [3, 4], [1, 2]],
}


def test_equal_rows_are_merged_whatever_their_columns_hold(read):
    nodes = read(id=["a", "b", "a"], label=["u", "v", "u"], **SAME)
    assert nodes.ids.to_pylist() == ["a", "b"]
    assert nodes.y.tolist() == [0, 1]
    assert nodes.X.shape[0] == 2
    assert (nodes.rows, nodes.merged) == (3, 1)


@pytest.mark.parametrize("column", SAME)
def test_rows_that_differ_in_any_column_are_refused(column, read):
    columns = SAME | {column: [*SAME[column][:2], SAME[column][1]]}
    with pytest.raises(
        ValueError, match=f"id 'a' has two rows that differ in column {column!r}: data row 1 says"
    ):
        read(id=["a", "b", "a"], label=["u", "v", "u"], **columns)


def test_labels_that_differ_are_refused(read):
    with pytest.raises(
        ValueError, match="differ in column 'label': data row 1 says 'u', data row 3 says None"
    ):
        read(id=["a", "b", "a"], label=["u", "v", None])


def test_strict_mode_wants_every_id_once(read):
    with pytest.raises(ValueError, match=r"1 rows repeat an id \(first: data row 3, id 'a'\)"):
        read(id=["a", "b", "a"], label=["u", "v", "u"], strict=True)


def test_places_in_errors_are_those_of_the_file_though_rows_were_merged(read):
    with pytest.raises(ValueError, match=r"column 'x', data row 4 \(id 'c'\) is inf"):
        read(id=["a", "a", "b", "c"], label=["u", "u", "v", "u"], x=[1.0, 1.0, 2.0, float("inf")])


def test_the_index_that_pandas_stores_is_left_out(read):
    nodes = read(id=["a", "b"], label=["u", "v"], __index_level_0__=[5, 6], x=[1, 2])
    assert nodes.columns == ("x",)
    assert nodes.treatments == {"x": "number", "__index_level_0__": "row number of pandas, dropped"}


def test_a_column_that_divides_the_nodes_is_no_feature(tmp_path):
    (tmp_path / "n.csv").write_text(
        "id,x,label,part\na,1,u,train\nb,2,v,VAL\nc,3,u,\na,1,u,train\nd,4,v,test\n"
    )
    file = open_table(tmp_path / "n.csv")
    nodes = read_nodes(file, "id", "label", None, False, "part")
    assert nodes.columns == ("x",)
    assert {part: mask.tolist() for part, mask in nodes.masks.items()} == {
        "train": [True, False, False, False],
        "val": [False, True, False, False],
        "test": [False, False, False, True],
    }
    assert read_nodes(file, "id", "label", None, False).masks == {}
    with pytest.raises(ValueError, match="features must not contain the split, but name 'part'"):
        read_nodes(file, "id", "label", ["x", "part"], False, "part")
    with pytest.raises(
        ValueError, match="split must be another column of n.csv than id and label, but is 'label'"
    ):
        read_nodes(file, "id", "label", None, False, "label")

"""Tables in memory give what the same tables on disk give."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from unifilter.data import read_tables
from unifilter.data.files import open_table
from unifilter.data.newcomers import read_newcomers

EDGES = pd.DataFrame({"src": ["ann", "bob", "cleo", "ann"], "dst": ["bob", "cleo", "zed", "cleo"]})
NODES = pd.DataFrame(
    {
        "id": ["ann", "bob", "cleo"],
        "age": [30.0, np.nan, 50.0],
        "town": pd.Categorical(["Rome", "Oslo", "Rome"]),
        "since": pd.to_datetime(["2024-01-01", "2024-01-03", "2024-02-01"]),
        "label": ["cat", "dog", None],
    },
    index=[7, 8, 9],
)


@pytest.mark.parametrize("kind", [lambda df: df, lambda df: pa.Table.from_pandas(df, preserve_index=False)])
def test_frames_are_read_as_files_are(tmp_path, kind):
    EDGES.to_parquet(tmp_path / "edges.parquet")
    NODES.astype({"town": str}).to_parquet(tmp_path / "nodes.parquet", index=False)
    wanted = read_tables(tmp_path / "edges.parquet", tmp_path / "nodes.parquet")
    found = read_tables(kind(EDGES), kind(NODES))
    np.testing.assert_array_equal(found.X, wanted.X)
    np.testing.assert_array_equal(found.y, wanted.y)
    assert found.columns == wanted.columns
    assert found.ids.to_pylist() == wanted.ids.to_pylist()
    assert str(found.ingestion) == str(wanted.ingestion)
    assert (found.graph.n, found.graph.m) == (3, 3)


def test_newcomers_come_from_frames_too():
    dataset = read_tables(EDGES, NODES)
    new = pd.DataFrame(
        {"id": ["dora"], "age": [20.0], "town": ["Oslo"], "since": pd.to_datetime(["2024-01-01"])}
    )
    found = read_newcomers(dataset, new, pd.DataFrame({"src": ["dora"], "dst": ["ann"]}))
    assert found.X.shape == (1, dataset.d)
    assert found.edges.tolist() == [[3], [0]]


def test_numbers_that_were_declared_categories_are_categories_and_ids_and_labels_what_they_were():
    edges = pd.DataFrame({"src": pd.Categorical([10, 11]), "dst": pd.Categorical([11, 12])})
    nodes = pd.DataFrame({"id": [10, 11, 12], "zip": [1010, 1020, 1010], "label": [1, 2, 1]})
    found = read_tables(edges, nodes.astype("category"))
    assert found.columns == ("zip=1010", "zip=1020")
    assert (found.ids.to_pylist(), found.classes, found.graph.m) == ([10, 11, 12], ("1", "2"), 2)
    for new in (nodes, nodes.astype("category")):
        assert read_newcomers(found, new.assign(id=[20, 21, 22])).X.tolist() == found.X.tolist()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (EDGES[:0], "the edge table is empty"),
        ([["a", "b"]], "pandas, Polars or Arrow table, but list came"),
        (pd.DataFrame({"src": [1, "a"], "dst": [1, 2]}), "one plain type each"),
        (pd.DataFrame([["a", "b"]], columns=["src", "src"]), "name of their own"),
        (pd.DataFrame({"src": pd.cut([1, 2], 2), "dst": [1, 2]}), "one plain type each"),
        (pd.Series(["a", "b"]), "but Series came"),
        (pd.DataFrame({"a": [1], "b": [2], "c": [3]}), "edge table must have one column 'src'"),
    ],
)
def test_what_does_not_fit_is_named(table, said):
    with pytest.raises(ValueError, match=said):
        read_tables(table, NODES)


def test_a_large_table_comes_in_batches(monkeypatch):
    from unifilter.data import frames

    monkeypatch.setattr(frames, "BLOCK_ROWS", 3)
    file = open_table(pd.DataFrame({"src": np.arange(10), "dst": np.arange(10)[::-1]}))
    assert [t.num_rows for t in file._batches(["dst", "src"])] == [3, 3, 3, 1]
    assert file.read(["dst"]).column("dst").to_pylist() == list(range(9, -1, -1))

"""Any tables at all: read, saved, loaded."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unifilter.data.dataset import Dataset
from unifilter.data.tables import read_tables

from .tablefiles import write

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
IDS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=12, unique=True),
    st.lists(st.integers(-5, 20), min_size=2, max_size=12, unique=True),
    st.lists(TEXT, min_size=2, max_size=12, unique=True),
)


@st.composite
def tables(draw):
    """A node table with a number, a text and a label column, and edges among its nodes."""
    ids = draw(IDS)
    n = len(ids)
    number = draw(
        st.lists(
            st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=n, max_size=n
        )
    )
    text = draw(st.lists(st.none() | TEXT, min_size=n, max_size=n))
    label = [
        "u",
        "v",
        *draw(st.lists(st.sampled_from(["u", "v", "w", None]), min_size=n - 2, max_size=n - 2)),
    ]
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = draw(st.lists(ends, min_size=1, max_size=30))
    number = pa.array(number, pa.float64())
    return {"id": ids, "number": number, "text": pa.array(text, pa.string()), "label": label}, pairs


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
@settings(max_examples=40)
@given(tables())
def test_tables_make_a_dataset_that_survives_the_disk(ending, made):
    nodes, pairs = made
    edges = {"src": [nodes["id"][u] for u, _ in pairs], "dst": [nodes["id"][v] for _, v in pairs]}
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(Path(folder, f"{name}.{ending}"), t) for name, t in (("e", edges), ("n", nodes))]
        dataset = read_tables(*paths)
        dataset.save(Path(folder) / "saved")
        loaded = Dataset.load(Path(folder) / "saved")
        assert dataset.ids.to_pylist() == loaded.ids.to_pylist()
        same = str if ending == "csv" else lambda value: value  # ids "0" and "1" in CSV are numbers
        assert [same(i) for i in loaded.ids.to_pylist()] == [same(i) for i in nodes["id"]]
        assert dataset.arcs.T.tolist() == loaded.arcs.T.tolist() == [list(pair) for pair in pairs]
        assert [None if c < 0 else loaded.classes[c] for c in loaded.y] == nodes["label"]
        np.testing.assert_array_equal(dataset.X, loaded.X)
        np.testing.assert_array_equal(dataset.graph.indices, loaded.graph.indices)
        assert loaded.columns == dataset.columns
        assert loaded.ingestion == dataset.ingestion
        if "number" in dataset.columns:
            column = dataset.X[:, dataset.columns.index("number")]
            present = [i for i, value in enumerate(nodes["number"].to_pylist()) if value is not None]
            wanted = np.array(nodes["number"].to_pylist(), float)[present]
            np.testing.assert_allclose(column[present], wanted, rtol=1e-6)

"""Nodes that arrive after training, whatever their tables hold."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unifilter import Graph
from unifilter.data.dataset import Dataset
from unifilter.data.ingestion import Ingestion
from unifilter.data.newcomers import read_newcomers
from unifilter.data.tables import read_tables

from .tablefiles import write

OLD_NODES = (
    "id,age,town,tall,earth,label\na,30,Rome,1.5,1,x\nb,,Oslo,2.5,1,y\nc,50,Rome,1.0,1,x\nd,44,01,2.0,1,\n"
)
OLD_EDGES = "src,dst\na,b\nb,c\nc,d\n"
COLUMNS = ("age", "age (missing)", "town=01", "town=Oslo", "town=Rome", "tall")
NEW_NODES = "id,age,town,tall\ne,20,Oslo,1.0\nf,25,Rome,3.0\n"
NEW_EDGES = "src,dst\ne,a\nf,e\n"


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def old(file):
    def read(nodes=OLD_NODES, edges=OLD_EDGES, **arguments):
        return read_tables(file("edges.csv", edges), file("nodes.csv", nodes), **arguments)

    return read


@pytest.fixture
def read(file):
    def read(dataset, nodes=NEW_NODES, edges=NEW_EDGES, **arguments):
        return read_newcomers(dataset, file("n.csv", nodes), file("e.csv", edges), **arguments)

    return read


def test_newcomers_are_encoded_as_the_trained_nodes_were(old, read, tmp_path):
    dataset = old()
    assert dataset.columns == COLUMNS
    new = read(dataset)
    assert new.X.tolist() == [[20, 0, 0, 1, 0, 1], [25, 0, 0, 0, 1, 3]]
    assert new.X.dtype == np.float32
    assert new.edges.tolist() == [[4, 5], [0, 4]]
    assert new.edges.dtype == np.int64
    assert new.weights is None
    assert new.ids.to_pylist() == ["e", "f"]
    assert new.notes == []
    dataset.save(tmp_path / "saved")
    again = read(Dataset.load(tmp_path / "saved"))
    np.testing.assert_array_equal(again.X, new.X)
    assert again.edges.tolist() == new.edges.tolist()


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather"])
def test_every_format_gives_the_same_newcomers(ending, old, tmp_path):
    nodes = write(
        tmp_path / f"n.{ending}",
        {"tall": [1.0, None], "label": ["x", "y"], "id": ["e", "f"], "town": ["01", "01"], "age": [20, 25]},
    )
    edges = write(tmp_path / f"e.{ending}", {"dst": ["a", "e"], "src": ["e", "f"]})
    new = read_newcomers(old(), nodes, edges)
    assert new.X.tolist() == [[20, 0, 1, 0, 0, 1], [25, 0, 1, 0, 0, 1.75]]
    assert new.edges.tolist() == [[4, 5], [0, 4]]
    assert new.notes == [
        f"n.{ending}, column 'tall', data row 2 (id 'f') and 0 others are empty: filled with the training "
        "median 1.75, unflagged, as none was empty for training"
    ]


def test_what_was_filled_dropped_or_merged_is_noted(old, read):
    new = read(
        old(),
        "id,age,town,tall\ne,20,Oslo,1.0\nf,,Bern,3.0\nf,,Bern,3.0\ng,1,,2.0\n",
        "src,dst\ne,a\nf,zed\na,b\n,e\nc,d\ng,g\nf,e\n",
    )
    assert new.X.tolist() == [[20, 0, 0, 1, 0, 1], [44, 1, 0, 0, 0, 3], [1, 0, 0, 0, 0, 2]]
    assert new.edges.tolist() == [[4, 6, 5], [0, 6, 4]]
    assert new.notes == [
        "n.csv, column 'age', data row 2 (id 'f') and 0 others are empty: filled with the training median "
        "44, flagged",
        "n.csv, column 'town', data row 4 (id 'g') and 0 others are empty, as none was for training: all 0; "
        "n.csv, column 'town', data row 2 (id 'f') is 'Bern', a new category: all 0",
        "n.csv: 1 of 4 rows repeat others and were merged",
        "e.csv: 2 edges dropped for an end that is no node (first: data row 2: 'f' -> 'zed')",
        "e.csv: 2 edges dropped for joining two nodes of the trained graph, which is frozen (first: 'a' -> "
        "'b')",
        "n.csv: 1 nodes have no edge (first: id 'g')",
    ]


BAD = {
    "a known id": (
        "id,age,town,tall\ne,1,Oslo,1\nb,1,Oslo,1\n",
        NEW_EDGES,
        "n.csv, column 'id' must hold ids that are new, but data row 2 says 'b', a node of the",
    ),
    "two rows that differ": (
        "id,age,town,tall\ne,1,Oslo,1\ne,2,Oslo,1\n",
        NEW_EDGES,
        "id 'e' has two rows that differ in column 'age'",
    ),
    "an empty id": (
        "id,age,town,tall\n,1,Oslo,1\n",
        NEW_EDGES,
        "must name every node, but data row 1 is empty",
    ),
    "a missing column": (
        "id,age,tall\ne,1,1\n",
        NEW_EDGES,
        "n.csv must have one column 'town', as for training, but has 0: its columns are 'id', 'age', "
        "'tall'. Add it; where nothing is known, fields may be empty",
    ),
    "a repeated column": (
        "id,age,age,town,tall\ne,1,1,Oslo,1\n",
        NEW_EDGES,
        "column 'age', as for training, but has 2",
    ),
    "no id column": ("name,age,town,tall\ne,1,Oslo,1\n", NEW_EDGES, "must have one column 'id' (id=)"),
    "a word among numbers": (
        "id,age,town,tall\ne,1,Oslo,1\nf,old,Oslo,1\n",
        NEW_EDGES,
        "n.csv, column 'age', data row 2 (id 'f') says 'old'. Mend the field",
    ),
    "dates for numbers": (
        "id,age,town,tall\ne,2020-01-01,Oslo,1\n",
        NEW_EDGES,
        "n.csv, column 'age', data row 1 (id 'e') is of type date32",
    ),
    "infinite": (
        "id,age,town,tall\ne,1,Oslo,inf\n",
        NEW_EDGES,
        "n.csv, column 'tall', data row 1 (id 'e') is inf",
    ),
    "places of merged rows": (
        "id,age,town,tall\ne,1,Oslo,1\ne,1,Oslo,1\nf,1,Oslo,inf\n",
        NEW_EDGES,
        "n.csv, column 'tall', data row 3 (id 'f') is inf",
    ),
    "no edge column": (NEW_NODES, "from,dst\ne,a\n", "e.csv must have one column 'src' (source=)"),
    "only unknown ends": (
        NEW_NODES,
        "src,dst\nE,A\n",
        "must join two nodes of n.csv and the trained graph, but 1 of 1 in e.csv",
    ),
    "an empty file": (NEW_NODES, "src,dst\n", "e.csv is empty"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused_with_file_place_and_way_out(case, old, read):
    nodes, edges, said = BAD[case]
    with pytest.raises(ValueError, match=re.escape(said)):
        read(old(), nodes, edges)


def test_columns_are_named_as_for_training_unless_told_otherwise(old, read):
    nodes, edges = "who;x;label\na;1;u\nb;2;v\n", "from;to;w\na;b;2\n"
    names = {"source": "from", "target": "to", "weight": "w", "id": "who"}
    dataset = old(nodes, edges, delimiter=";", **names)
    new = read(dataset, "who;x\nc;5\n", "from;to;w\nc;a;0.5\n")
    assert (new.X.tolist(), new.edges.tolist(), new.weights.tolist()) == ([[5]], [[2], [0]], [0.5])
    new = read(
        dataset,
        "name,x\nc,5\n",
        "s,t,much\na,b,9\nc,a,0.25\n",
        source="s",
        target="t",
        weight="much",
        id="name",
        delimiter=",",
    )
    assert (new.X.tolist(), new.edges.tolist(), new.weights.tolist()) == ([[5]], [[2], [0]], [0.25])
    with pytest.raises(ValueError, match="column 'w' must hold finite weights that are not negative"):
        read(dataset, "who;x\nc;5\n", "from;to;w\nc;a;-1\n")


def test_rows_without_ids_are_numbered_on(old, read):
    dataset = old("x,label\n1,a\n2,b\n", "src,dst\n0,1\n", id=None)
    new = read(dataset, "x\n8\n9\n", "src,dst\n2,0\n3,2\n")
    assert new.ids.to_pylist() == [2, 3]
    assert new.edges.tolist() == [[2, 3], [0, 2]]


@pytest.mark.parametrize(("ids", "others"), [([0, 1], [2, 3]), ([0, 1], ["x", "2"]), (["u", "v"], [0, 1])])
def test_old_and_new_ids_may_be_of_different_types(ids, others, tmp_path):
    nodes = write(tmp_path / "n.parquet", {"id": ids, "x": [1, 2], "label": ["a", "b"]})
    dataset = read_tables(write(tmp_path / "e.parquet", {"src": ids[:1], "dst": ids[1:]}), nodes)
    new = read_newcomers(
        dataset,
        write(tmp_path / "new.parquet", {"id": others, "x": [3, 4]}),
        write(tmp_path / "more.csv", {"src": [str(i) for i in others], "dst": [str(ids[1]), str(others[0])]}),
    )
    assert new.ids.to_pylist() == others
    assert new.edges.tolist() == [[2, 3], [1, 2]]


def test_an_edge_to_the_node_after_the_last_is_dropped_like_any_other(old, read):
    """In a whole graph it would mean that one table counts from 0 and the other from 1."""
    dataset = old("id,x,label\n0,1,a\n1,2,b\n2,4,b\n", "src,dst\n0,1\n1,2\n")
    new = read(dataset, "id,x\n3,5\n", "src,dst\n3,1\n3,4\n")
    assert new.edges.tolist() == [[3], [1]]
    assert new.notes == ["e.csv: 1 edges dropped for an end that is no node (first: data row 2: 3 -> 4)"]


def test_edges_among_old_nodes_only_leave_none(old, read):
    new = read(old(), edges="src,dst\na,c\n")
    assert new.edges.shape == (2, 0)
    assert [note.split(": ")[1].split(" for ")[0] for note in new.notes] == [
        "1 edges dropped",
        "2 nodes have no edge (first",
    ]


@pytest.mark.parametrize("how", ["row", "log1p"])
def test_features_that_were_scaled_row_by_row_are_scaled(how, old, read):
    dataset = old()
    plain = read(dataset).X
    wanted = plain / plain.sum(axis=1, keepdims=True) if how == "row" else np.log1p(plain)
    np.testing.assert_allclose(read(dataset.preprocess(how)).X, wanted, rtol=1e-6)


def test_standardized_features_are_refused_since_their_means_are_gone(old, read):
    with pytest.raises(ValueError, match=r"Pass the dataset from before preprocess\('standard'\)"):
        read(old().preprocess("standard"))


def test_an_empty_weight_is_none(old, read):
    dataset = old(edges="src,dst,w\na,b,2\nb,c,1\n", weight="w", features=["age"])
    new = read(dataset, nodes="id,age\ne,5\n", edges="src,dst,w\ne,a,heavy\n", weight="")
    assert new.weights is None


def test_missing_weights_are_noted(old, read):
    dataset = old(edges="src,dst,w\na,b,2\nb,c,1\n", weight="w")
    dataset = replace(dataset, ingestion=None, columns=("x",), X=dataset.X[:, :1])
    new = read(dataset, "id,x\ne,1\n", "src,dst\ne,a\n")
    assert new.notes == [
        "e.csv: edges have no weights, though those of the trained graph do; pass weight=..."
    ]


def made(columns=()):
    graph = Graph.from_edges([[0, 1], [1, 2]])
    return Dataset(graph, np.eye(3, 2), np.array([0, 1, 0]), "made", columns=columns)


def test_features_of_a_dataset_that_was_not_a_table_are_found_by_name(read):
    new = read(made(("u", "v")), "id,extra,v,u\n3,9,1,2\n4,9,3,4\n", "src,dst\n3,0\n4,3\n")
    assert new.X.tolist() == [[2, 1], [4, 3]]
    assert new.edges.tolist() == [[3, 4], [0, 3]]
    with pytest.raises(
        ValueError, match="one column 'v'.* not read from a table: give numeric columns the names"
    ):
        read(made(("u", "v")), "id,u,w\n3,1,2\n")
    with pytest.raises(ValueError, match="column 'v', data row 1 .* are empty, and no median is known"):
        read(made(("u", "v")), "id,u,v\n3,1,\n")


def test_features_without_names_are_found_by_their_order(read):
    new = read(made(), ",id,name,p,q\n0,3,z,1,2\n1,4,y,3,4\n", "src,dst\n3,0\n4,3\n")
    assert new.X.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="must have 2 numeric columns beside the id 'id', .* but has 1: 'p'"):
        read(made(), "id,name,p\n3,z,1\n")
    with pytest.raises(ValueError, match=r"but has 3: 'p', 'q', 'r'"):
        read(made(), "id,p,q,r\n3,0,1,2\n")


def test_other_features_than_those_of_the_table_are_not_made_by_its_recipes(old, read):
    dataset = old()
    other = replace(dataset, columns=tuple("pqrstu"))
    with pytest.raises(ValueError, match="one column 'p'"):
        read(other)


def test_a_dataset_that_an_older_version_saved_is_read_by_its_columns(old, read):
    dataset = old("id,x,label\na,1,u\nb,2,v\n", "src,dst\na,b\n")
    values = {k: v for k, v in dataset.ingestion.to_json().items() if k not in ("recipes", "arguments")}
    new = read(replace(dataset, ingestion=Ingestion.from_json(values)), "id,x\nc,7\n", "src,dst\nc,a\n")
    assert new.X.tolist() == [[7]]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=4)
ROWS = st.lists(
    st.tuples(
        st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False),
        st.none() | TEXT,
        st.none() | st.booleans(),
        st.none() | st.dates(),
    ),
    min_size=3,
    max_size=8,
)
TYPES = {"number": pa.float64(), "text": pa.string(), "truth": pa.bool_(), "day": pa.date32()}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_the_training_table_read_again_as_newcomers_gives_X(ending, rows):
    columns = {k: pa.array(v, TYPES[k]) for k, v in zip(TYPES, zip(*rows, strict=True), strict=True)}
    q = len(rows)
    with tempfile.TemporaryDirectory() as folder:
        nodes = write(Path(folder) / f"n.{ending}", {"id": range(q), **columns})
        edges = write(Path(folder) / f"e.{ending}", {"src": [0], "dst": [1]})
        dataset = read_tables(edges, nodes, label=None)
        dataset.save(Path(folder) / "saved")
        new = read_newcomers(
            Dataset.load(Path(folder) / "saved"),
            write(Path(folder) / f"new.{ending}", {"id": range(q, 2 * q), **columns}),
            write(Path(folder) / f"more.{ending}", {"src": [q], "dst": [0]}),
        )
    np.testing.assert_array_equal(new.X, dataset.X)


def test_edges_of_newcomers_may_lie_in_several_tables(file):
    dataset = read_tables(file("edges.csv", OLD_EDGES), file("nodes.csv", OLD_NODES))
    new = file("new.csv", NEW_NODES)
    whole = read_newcomers(dataset, new, file("all.csv", NEW_EDGES))
    head, one, other = NEW_EDGES.splitlines()
    halves = [file(f"{i}.csv", f"{head}\n{row}\n") for i, row in enumerate((one, other))]
    np.testing.assert_array_equal(read_newcomers(dataset, new, halves).edges, whole.edges)

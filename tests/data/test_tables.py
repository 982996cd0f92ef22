"""Your own data: what people write into two files, and what becomes of it."""

import re

import pyarrow as pa
import pytest

from unifilter.data.tables import read_tables

from .tablefiles import EDGES, NODES, write


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "tsv.gz", "parquet", "feather"])
def test_every_format_gives_the_same_dataset(ending, tmp_path):
    edges, nodes = write(tmp_path / f"e.{ending}", EDGES), write(tmp_path / f"n.{ending}", NODES)
    dataset = read_tables(edges, nodes)
    assert dataset.graph.indices.tolist() == [1, 0, 2, 1, 3, 2]
    assert dataset.X.tolist() == [[1], [2], [3], [4]]
    assert dataset.y.tolist() == [0, 1, -1, 0]
    assert dataset.classes == ("cat", "dog")
    assert dataset.ids.to_pylist() == ["a", "b", "c", "d"]
    assert dataset.columns == ("x",)
    assert dataset.arcs.tolist() == [[0, 1, 2], [1, 2, 3]]


def test_a_row_number_of_edges_is_no_column_that_is_named(files):
    said = str(read_tables(*files(",src,dst,when\n0,0,1,5\n", "id,label\n0,a\n1,b\n")).ingestion)
    assert "edges: 1 rows, when not used" in said


@pytest.mark.parametrize("features", ["age", ["age", "age"], ("age",)])
def test_a_feature_is_read_once_however_it_is_named(features, files):
    dataset = read_tables(*files("src,dst\n0,1\n", "id,age,z,label\n0,1,3,a\n1,2,5,b\n"), features=features)
    assert dataset.columns == ("age",)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (pa.array([5, 3, 900_000_000_000]), pa.int64()),
        (pa.array([5, 3, 9], pa.int32()), pa.int32()),
        (pa.array([5, 3, 2**64 - 1], pa.uint64()), pa.uint64()),
        (pa.array(["007", "7", "ü b"]), pa.string()),
        (pa.array(["a", "b", "c"], pa.large_string()), pa.large_string()),
        (pa.array(["a", "b", "c"]).dictionary_encode(), pa.string()),
    ],
)
def test_ids_come_back_unchanged(written, read, tmp_path):
    nodes = write(tmp_path / "nodes.parquet", {"id": written, "label": ["a", "b", "a"]})
    edges = write(tmp_path / "edges.parquet", {"src": written.take([2, 1]), "dst": written.take([0, 2])})
    dataset = read_tables(edges, nodes)
    assert dataset.ids.type == read
    assert dataset.ids.to_pylist() == written.to_pylist()
    assert dataset.arcs.tolist() == [[2, 1], [0, 2]]


@pytest.mark.parametrize(
    ("ids", "type"),
    [
        (["1", "02", "3"], pa.string()),
        (["1", "x", "null"], pa.string()),
        (["1", "-2", "3"], pa.int64()),
    ],
)
def test_ids_in_csv_are_numbers_only_if_nothing_is_lost(ids, type, files):
    edges, nodes = files(f"src,dst\n{ids[0]},{ids[2]}\n", "id,label\n" + "".join(f"{i},{i}\n" for i in ids))
    dataset = read_tables(edges, nodes)
    assert dataset.ids.type == type
    assert [str(i) for i in dataset.ids.to_pylist()] == ids
    assert dataset.arcs.tolist() == [[0], [2]]


def test_numbers_and_text_compare_as_text(tmp_path):
    edges = write(tmp_path / "edges.parquet", {"src": [1, 2], "dst": [2, 3]})
    nodes = write(tmp_path / "nodes.parquet", {"id": ["3", "2", "1"], "label": [0, 1, 0]})
    assert read_tables(edges, nodes).arcs.tolist() == [[2, 1], [1, 0]]


def test_without_a_node_table_the_nodes_are_those_of_the_edges(files):
    dataset = read_tables(files("src,dst\n10,9\n9,7\n,7\n")[0])
    assert dataset.ids.to_pylist() == [7, 9, 10]
    assert dataset.X.shape == (3, 0)
    assert dataset.y.tolist() == [-1, -1, -1]
    assert dataset.graph.m == 2
    assert dataset.ingestion.unknown == 1
    assert str(dataset.ingestion).startswith("nodes: no table")


def test_without_ids_nodes_are_rows(files):
    edges, nodes = files("src,dst\n0,1\n1,2\n", "x,label\n1,a\n2,b\n3,a\n")
    dataset = read_tables(edges, nodes, id=None)
    assert dataset.arcs.tolist() == [[0, 1], [1, 2]]
    assert dataset.ids.to_pylist() == [0, 1, 2]


def test_weights_follow_their_edges_when_others_are_dropped(files):
    edges, nodes = files("src,dst,w\n0,1,2.5\n7,8,9\n1,2,0.5\n0,1,1\n")
    dataset = read_tables(edges, nodes, weight="w")
    assert dataset.graph.to_scipy().toarray()[0, 1] == 3.5
    assert dataset.graph.to_scipy().toarray()[2, 1] == 0.5
    assert dataset.ingestion.unknown == 1


def test_the_summary_tells_what_was_dropped_encoded_and_filled(files):
    edges, nodes = files(
        "src,dst\na,b\na,b\nb,b\nb,zed\n",
        "id,age,town,joined,earth,label\na,1,Rome,1970-01-03,1,u\nb,,Oslo,1970-01-02,1,v\nb,,Oslo,1970-01-02,1,v\n"
        "c,5,,1970-01-04,1,\n",
    )
    dataset = read_tables(edges, nodes)
    assert str(dataset.ingestion).splitlines() == [
        "nodes: 4 rows, 1 repeated and merged, 1 unlabelled, 1 without an edge",
        "edges: 4 rows, 1 dropped for an end that is no node (data row 4: 'b' -> 'zed'), 1 self-loops "
        "dropped, 1 repeated and merged",
        "columns: 4, from which 6 features",
        "  age: number, 1 missing filled with the median 3 and flagged",
        "  town: one-hot (3 categories)",
        "  joined: date -> days since 1970-01-01",
        "  earth: constant, dropped",
    ]
    assert dataset.X.tolist() == [[1, 0, 0, 1, 0, 2], [3, 1, 1, 0, 0, 1], [5, 0, 0, 0, 1, 3]]


@pytest.mark.parametrize(
    ("edges", "nodes", "said"),
    [
        ("src,dst\n0,9\n0,1\n", "id,x,label\n0,1,a\n1,2,b\n", "edges.csv do not (first: data row 1: 0 -> 9)"),
        (
            "src,dst\n0,1\n",
            "id,x,label\n0,1,a\n1,2,b\n1,2,b\n",
            "1 rows repeat an id (first: data row 3, id 1)",
        ),
        (
            "src,dst\n0,1\n",
            "id,x,label\n0,1,a\n1,,b\n2,3,a\n",
            "column 'x', data row 2 (id 1) and 0 others are empty",
        ),
        (
            "src,dst\n0,1\n",
            "id,x,label\n0,1,a\n1,1,b\n",
            "column 'x', data row 1 (id 0) is 1, as are all others",
        ),
        (
            "src,dst\n0,1\n",
            "id,x,label\n0,,a\n1,,b\n",
            "column 'x', data row 1 (id 0) and all others are empty",
        ),
    ],
    ids=["unknown node", "repeated row", "missing number", "constant column", "empty column"],
)
def test_strict_mode_refuses_what_is_otherwise_mended(edges, nodes, said, files):
    paths = files(edges, nodes)
    assert read_tables(*paths).n >= 2
    with pytest.raises(ValueError, match=re.escape(said)):
        read_tables(*paths, strict=True)


def test_strict_mode_accepts_clean_tables(tmp_path):
    edges, nodes = write(tmp_path / "e.csv", EDGES), write(tmp_path / "n.csv", NODES)
    assert read_tables(edges, nodes, strict=True).ingestion == read_tables(edges, nodes).ingestion


def test_chosen_features_are_the_only_ones(files):
    edges, nodes = files("src,dst\n0,1\n", "id,x,y,label\n0,1,5,a\n1,2,6,b\n")
    assert read_tables(edges, nodes, features=["y"]).columns == ("y",)
    assert read_tables(edges, nodes, features=[]).X.shape == (2, 0)
    with pytest.raises(ValueError, match=r"features must not contain the label, but name 'label'"):
        read_tables(edges, nodes, features=["x", "label"])


def test_the_row_numbers_of_pandas_are_no_feature(files):
    edges, nodes = files("src,dst\n0,1\n", ",id,x,label\n0,0,5,a\n1,1,6,b\n")
    dataset = read_tables(edges, nodes)
    assert dataset.columns == ("x",)
    assert dataset.ingestion.columns[""] == "row number of pandas, dropped"


def test_nan_in_parquet_is_missing_and_refused_in_strict_mode(tmp_path):
    nodes = write(tmp_path / "n.parquet", NODES | {"x": [1.0, float("nan"), 3.0, 5.0]})
    edges = write(tmp_path / "e.parquet", EDGES)
    assert read_tables(edges, nodes).X[1].tolist() == [3, 1]
    with pytest.raises(ValueError, match=r"column 'x', data row 2 \(id 'b'\) and 0 others are empty"):
        read_tables(edges, nodes, strict=True)


def test_columns_are_found_where_only_capital_letters_differ(tmp_path):
    (tmp_path / "e.csv").write_text("From,To\na,b\n")
    (tmp_path / "n.csv").write_text("ID,x,Label\na,1,-1\nb,2,0\nc,3,1\n")
    data = read_tables(tmp_path / "e.csv", tmp_path / "n.csv")
    assert data.y.tolist() == [-1, 0, 1]
    assert data.columns == ("x",)
    names = {"source": "From", "target": "To", "id": "ID", "label": "Label"}
    assert names.items() <= data.ingestion.arguments.items()
    assert data.ingestion.minus_ones == 1


def test_a_column_of_the_very_name_goes_before_one_that_is_alike(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\na,b\n")
    (tmp_path / "n.csv").write_text("ID,id,Label,LABEL\n1,a,p,q\n2,b,r,s\n")
    with pytest.raises(ValueError, match="must have one column 'label'"):
        read_tables(tmp_path / "e.csv", tmp_path / "n.csv")
    data = read_tables(tmp_path / "e.csv", tmp_path / "n.csv", label="LABEL")
    assert data.ids.to_pylist() == ["a", "b"]


def test_edges_of_weight_0_are_said_to_be_none(files):
    dataset = read_tables(*files("src,dst,w\n0,1,2\n1,2,0\n0,2,0\n"), weight="w")
    assert dataset.graph.m == 1
    assert "edges: 3 rows, 2 of weight 0, which are no edges" in str(dataset.ingestion)
    assert dataset.arcs.tolist() == [[0], [1]]  # nor for models that use direction


def test_several_tables_of_edges_are_one_graph(tmp_path):
    nodes = write(tmp_path / "n.csv", NODES)
    parts = [{end: ids[:1] for end, ids in EDGES.items()}, {end: ids[1:] for end, ids in EDGES.items()}]
    halves = [write(tmp_path / f"{i}.csv", part) for i, part in enumerate(parts)]
    whole, joined = (read_tables(edges, nodes) for edges in (write(tmp_path / "e.csv", EDGES), halves))
    assert joined.arcs.tolist() == whole.arcs.tolist()
    assert joined.graph.indices.tolist() == whole.graph.indices.tolist()
    assert joined.ingestion.edge_rows == whole.ingestion.edge_rows == 3
    assert "edges: 3 rows (0.csv 1, 1.csv 2)" in str(joined.ingestion)
    assert joined.about["edges"] == ", ".join(map(str, halves))
    assert read_tables([pa.table(part) for part in parts], nodes).arcs.tolist() == whole.arcs.tolist()
    assert read_tables(halves).n == 4  # ids across files

"""Your own data: whatever people write into two files, and what becomes of it."""

import gzip
import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unifilter.data.dataset import Dataset
from unifilter.data.tables import read_tables

NODES = {"id": ["a", "b", "c", "d"], "x": [1.0, 2.0, 3.0, 4.0], "label": ["cat", "dog", None, "cat"]}
EDGES = {"src": ["a", "b", "c"], "dst": ["b", "c", "d"]}


def write(path: Path, columns: dict) -> Path:
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=2)
    else:
        delimiter = "\t" if ".tsv" in path.name else ","
        options = pyarrow.csv.WriteOptions(delimiter=delimiter)
        with gzip.open(path, "wb") if path.suffix == ".gz" else path.open("wb") as file:
            pyarrow.csv.write_csv(table, file, options)
    return path


@pytest.fixture
def files(tmp_path):
    """Writes two CSV files from text and returns their paths."""

    def write_text(edges: str | bytes, nodes: str | bytes = "id,x,label\n0,1,a\n1,2,b\n2,3,a\n"):
        paths = tmp_path / "edges.csv", tmp_path / "nodes.csv"
        for path, text in zip(paths, (edges, nodes), strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return paths

    return write_text


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
        "nodes: 4 rows, 1 repeated and merged, 1 unlabelled",
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


NODE_ROWS = "id,x,label\n0,1,a\n1,2,b\n2,3,a\n"
BAD = {
    "empty file": ("", NODE_ROWS, "edges.csv is empty: a table needs a header and at least one row"),
    "only a header": ("src,dst\n", NODE_ROWS, "edges.csv is empty"),
    "wrong delimiter": ("src;dst\n0;1\n", NODE_ROWS, "separated by ';', pass delimiter=';'"),
    "missing column": (
        "from,to\n0,1\n",
        NODE_ROWS,
        "edges.csv must have one column 'src' (source=), but has 0: its columns are 'from', 'to'. Name a",
    ),
    "missing label": (
        "src,dst\n0,1\n",
        "id,x\n0,1\n1,2\n",
        "nodes.csv must have one column 'label' (label=)",
    ),
    "column twice": ("src,src,dst\n0,1,2\n", NODE_ROWS, "one column 'src' (source=), but has 2"),
    "no header": ("0,1\n1,2\n", NODE_ROWS, "Its first line looks like data"),
    "text in a weight column": (
        "src,dst,w\n0,1,2\n1,2,heavy\n",
        NODE_ROWS,
        "edges.csv, column 'w' must hold numbers, but data row 2 says 'heavy'",
    ),
    "negative weight": (
        "src,dst,w\n0,1,2\n1,2,-3\n",
        NODE_ROWS,
        "column 'w' must hold finite weights that are not",
    ),
    "missing weight": ("src,dst,w\n0,1,2\n1,2,\n", NODE_ROWS, "but data row 2 is None"),
    "inf in features": (
        "src,dst\n0,1\n",
        "id,x,label\n0,1,a\n1,inf,b\n",
        "nodes.csv, column 'x', data row 2 (id 1) is inf. Write a finite number",
    ),
    "too large a number": ("src,dst\n0,1\n", "id,x,label\n0,1,a\n1,1e39,b\n", "data row 2 (id 1) is 1e+39"),
    "all nodes unlabelled": (
        "src,dst\n0,1\n",
        "id,x,label\n0,1,\n1,2,\n",
        "nodes.csv, column 'label' must tell two or more classes apart, but labels no node at all",
    ),
    "one class only": ("src,dst\n0,1\n", "id,x,label\n0,1,a\n1,2,a\n", "holds one class only ('a')"),
    "classes -1 and 1": ("src,dst\n0,1\n", "id,x,label\n0,1,1\n1,2,-1\n", "-1 is read as unlabelled"),
    "measurements as labels": (
        "src,dst\n0,1\n",
        "id,x,label\n0,1,1.5\n1,2,3\n",
        "data row 1 is 1.5, a measurement",
    ),
    "float ids": (
        "src,dst\n0,1\n",
        "id,x,label\n0.0,1,a\n1.0,2,b\n",
        "nodes.csv, column 'id' (data row 1: 0.0) must hold whole numbers or text, but has type double",
    ),
    "float ids in edges": (
        "src,dst\n0.0,1.0\n",
        NODE_ROWS,
        "column 'src' must hold whole numbers, as the ids of the nodes are, but data row 1 says '0.0'",
    ),
    "an empty id": (
        "src,dst\n0,1\n",
        "id,x,label\n0,1,a\n,2,b\n",
        "must name every node, but data row 2 is empty",
    ),
    "ids that count from 1": (
        "src,dst\n1,2\n2,3\n",
        NODE_ROWS,
        "ids in edges.csv run from 1 to 3, those of nodes.csv from 0 to 2",
    ),
    "nodes that count from 1": (
        "src,dst\n0,1\n1,2\n",
        "id,x,label\n1,1,a\n2,2,b\n3,4,b\n",
        "one counts from 1 and the other from 0",
    ),
    "header repeated among numbers": (
        "src,dst\n0,1\nsrc,dst\n1,2\n",
        NODE_ROWS,
        "edges.csv repeats its header in data row 2",
    ),
    "header repeated among text": (
        "src,dst\na,b\nsrc,dst\nb,a\n",
        "id,label\na,u\nb,v\n",
        "edges.csv repeats its header in data row 2",
    ),
    "header repeated in nodes": (
        "src,dst\n0,1\n",
        "id,x,label\n0,1,a\nid,x,label\n1,2,b\n",
        "nodes.csv repeats its header in data row 2",
    ),
    "non-UTF-8 id": (
        "src,dst\na,Z\u00fc\n".encode("latin-1"),
        "id,label\na,u\nb,v\n",
        r"edges.csv, column 'dst', data row 1: b'Z\xfc' is not UTF-8. Save it as UTF-8",
    ),
    "non-UTF-8 feature": (
        "src,dst\n0,1\n",
        "id,town,label\n0,Bern,a\n1,Z\u00fcrich,b\n".encode("latin-1"),
        r"nodes.csv, column 'town', data row 2: b'Z\xfcrich' is not UTF-8",
    ),
    "non-UTF-8 header": (
        "src,dst\n0,1\n",
        "id,gr\u00f6sse,label\n0,1,a\n".encode("latin-1"),
        "header of nodes.csv",
    ),
    "ragged row": ("src,dst\n0,1\n1,2,3\n", NODE_ROWS, "edges.csv cannot be read: CSV parse error: Row #3"),
    "conflicting rows": (
        "src,dst\n0,1\n",
        "id,x,label\n0,1,a\n1,2,b\n1,5,b\n",
        "id 1 has two rows that differ in column 'x': data row 2 says 2, data row 3 says 5",
    ),
    "nothing in common": ("src,dst\na ,b \n", "id,label\na,u\nb,v\n", "first: data row 1: 'a ' -> 'b '"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_file_place_and_way_out(case, files):
    edges, nodes, said = BAD[case]
    paths = files(edges, nodes)
    for strict in (False, True):
        with pytest.raises(ValueError, match=re.escape(said)) as error:
            read_tables(*paths, weight="w" if "weight" in case else None, strict=strict)
        assert not isinstance(error.value, pa.ArrowException)


def test_source_and_target_are_two_columns(files):
    with pytest.raises(ValueError, match="must be two columns of edges.csv, but both are 'src'"):
        read_tables(*files("src,dst\n0,1\n"), target="src")


def test_a_file_that_is_not_there_is_named_with_its_neighbour(files):
    edges, nodes = files("src,dst\n0,1\n")
    with pytest.raises(FileNotFoundError, match="there is no file .*edge.csv.*Did you mean 'edges.csv'"):
        read_tables(edges.with_name("edge.csv"), nodes)


def test_text_weights_in_parquet_are_refused_by_type(tmp_path):
    edges = write(tmp_path / "e.parquet", EDGES | {"w": ["1", "2", "3"]})
    with pytest.raises(ValueError, match="e.parquet, column 'w' must hold numbers, but has type string"):
        read_tables(edges, write(tmp_path / "n.parquet", NODES), weight="w")


@pytest.mark.parametrize("column", ["id", "src"])
def test_float_ids_in_parquet_are_refused_by_type(column, tmp_path):
    edges, nodes = {"src": [0, 1], "dst": [1, 0]}, {"id": [0, 1], "label": ["a", "b"]}
    (nodes if column == "id" else edges)[column] = [0.0, 1.0]
    paths = write(tmp_path / "e.parquet", edges), write(tmp_path / "n.parquet", nodes)
    with pytest.raises(
        ValueError, match=f"column {column!r} must hold whole numbers or text, but has type double"
    ):
        read_tables(*paths)


def test_nan_in_parquet_is_missing_and_refused_in_strict_mode(tmp_path):
    nodes = write(tmp_path / "n.parquet", NODES | {"x": [1.0, float("nan"), 3.0, 5.0]})
    edges = write(tmp_path / "e.parquet", EDGES)
    assert read_tables(edges, nodes).X[1].tolist() == [3, 1]
    with pytest.raises(ValueError, match=r"column 'x', data row 2 \(id 'b'\) and 0 others are empty"):
        read_tables(edges, nodes, strict=True)


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

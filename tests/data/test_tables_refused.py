"""Tables that make no dataset: each error names file, place and way out."""

import re

import pyarrow as pa
import pytest

from unifilter.data.tables import read_tables

from .tablefiles import EDGES, NODES, write

NODE_ROWS = "id,x,label\n0,1,a\n1,2,b\n2,3,a\n"
BAD = {
    "empty file": ("", NODE_ROWS, "edges.csv is empty: a table needs a header and at least one row"),
    "only a header": ("src,dst\n", NODE_ROWS, "edges.csv is empty"),
    "wrong delimiter": ("src dst\n0 1\n", NODE_ROWS, "separated by ' ', pass delimiter=' '"),
    "missing column": (
        "payer,paid\n0,1\n",
        NODE_ROWS,
        "edges.csv must have one column 'src' (source=), but has 0: its columns are 'payer', 'paid'. Name a",
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
        "nodes.csv, column 'label' must hold classes, but data row 1 is 1.5, a measurement",
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


def test_id_and_label_are_two_columns(files):
    with pytest.raises(ValueError, match="must be two columns of nodes.csv, but both are 'id'"):
        read_tables(*files("src,dst\n0,1\n"), label="id")


def test_a_weight_is_a_column_of_its_own(files):
    with pytest.raises(
        ValueError, match="must be another column of edges.csv than the ends of edges, but is 'dst'"
    ):
        read_tables(*files("src,dst\n0,1\n"), weight="dst")


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

"""From flags to a dataset."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose

from unifilter import Graph, read_tables
from unifilter.cli.tables import Source, check_labels, check_reach, refuse_rare
from unifilter.data import Dataset, load


@pytest.fixture
def files(tmp_path):
    (tmp_path / "e.csv").write_text("from;to;w\nann;bob;1\nbob;cleo;2\ncleo;zed;1\n")
    (tmp_path / "n.csv").write_text("who;age;height;kind\nann;30;1.7;cat\nbob;40;1.8;dog\ncleo;50;1.6;\n")
    return tmp_path / "e.csv", tmp_path / "n.csv"


def test_raw_features_are_as_they_came(files):
    edges, nodes = files
    names = {"source": "from", "target": "to", "id": "who", "label": "kind", "delimiter": ";"}
    source = Source(edges=[edges], nodes=nodes, preprocessing="standard", features="age", **names)
    assert source.raw().X.ravel().tolist() == [30, 40, 50]
    assert abs(source.dataset().X.mean()) < 1e-6
    with pytest.raises(ValueError, match="none, row, standard, log1p, but is 'magic'"):
        Source(edges=[edges], preprocessing="magic").raw()


def test_an_empty_weight_is_none(files):
    edges, nodes = files
    names = {"source": "from", "target": "to", "id": "who", "label": "kind", "delimiter": ";"}
    assert not Source(edges=[edges], nodes=nodes, weight="", **names).raw().graph.weighted


def test_columns_of_tables_are_standardised_and_named_graphs_left_alone(files):
    edges, nodes = files
    names = {"source": "from", "target": "to", "id": "who", "label": "kind", "delimiter": ";"}
    X = Source(edges=[edges], nodes=nodes, **names).dataset().X
    assert_allclose(X.std(axis=0), 1, rtol=1e-5)  # years and metres weigh the same
    assert Source("sbm:n=50").dataset().preprocessing == "none"
    assert Source(edges=[edges], source="from", target="to", delimiter=";").dataset().preprocessing == "none"


def test_every_flag_reaches_read_tables(files):
    edges, nodes = files
    names = {"source": "from", "target": "to", "weight": "w", "id": "who", "label": "kind", "delimiter": ";"}
    ours = Source(
        edges=[edges], nodes=nodes, features="age, height,age", preprocessing="none", **names
    ).dataset()
    theirs = read_tables(edges, nodes, features=["age", "height"], **names)
    assert ours.ids.to_pylist() == theirs.ids.to_pylist() == ["ann", "bob", "cleo"]
    assert (ours.X == theirs.X).all()
    assert ours.columns == ("age", "height")
    assert ours.classes == ("cat", "dog")
    assert ours.graph.weights.tolist() == theirs.graph.weights.tolist()


@pytest.mark.parametrize(
    ("file", "name"), [("papers/edges.csv.gz", "papers"), ("papers/cites.tsv", "cites"), ("Links.csv", "x")]
)
def test_data_are_called_by_a_name_that_tells_something(tmp_path, file, name):
    edges = tmp_path / "x" / file
    edges.parent.mkdir(parents=True)
    text = "src,dst\n0,1\n1,2\n".replace(",", "\t" if file.endswith("tsv") else ",")
    edges.write_bytes(gzip.compress(text.encode()) if file.endswith("gz") else text.encode())
    assert Source(edges=[edges]).dataset().name == name


def test_strict_refuses_what_would_be_dropped(files):
    edges, nodes = files
    names = {"source": "from", "target": "to", "id": "who", "label": "kind", "delimiter": ";"}
    with pytest.raises(ValueError, match="zed"):
        Source(edges=[edges], nodes=nodes, strict=True, **names).dataset()


def test_many_edges_that_are_dropped_are_noted_with_their_cause(tmp_path, capsys):
    (tmp_path / "e.csv").write_text("src,dst\n1,2\n2,x\nx,y\n")
    (tmp_path / "n.csv").write_text("id,a,label\n01,1,u\n02,2,v\nx,3,u\ny,4,v\n")
    Source(edges=[tmp_path / "e.csv"], nodes=tmp_path / "n.csv").raw()
    said = capsys.readouterr().err
    assert said.startswith(
        "note: 67% of the edges were dropped for an end that is no node (first: data row 1: "
    )
    assert "nodes but for leading zeros" in said


def test_an_empty_name_stands_for_none(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\n0,1\n1,2\n")
    (tmp_path / "n.csv").write_text("age\n1\n2\n3\n")
    found = Source(edges=[tmp_path / "e.csv"], nodes=tmp_path / "n.csv", id="", label="").dataset()
    assert (found.n, found.d, found.classes) == (3, 1, ())


def test_a_name_is_loaded_and_preprocessed():
    found = Source("sbm:n=100", preprocessing="standard").dataset()
    assert found.preprocessing == "standard"
    assert found.graph.m == load("sbm:n=100").graph.m


def test_tables_are_preprocessed_too(files):
    edges, nodes = files
    names = {"source": "from", "target": "to", "id": "who", "label": "kind", "delimiter": ";"}
    found = Source(edges=[edges], nodes=nodes, preprocessing="standard", **names).dataset()
    assert abs(found.X.mean(axis=0)).max() < 1e-6


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "neither came"),
        ({"name": "cora", "edges": ["e.csv"]}, "both came"),
        ({"name": "sbm", "nodes": "n.csv"}, "--nodes belongs to --edges"),
    ],
)
def test_what_does_not_go_together_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Source(**wrong).dataset()


def _labelled(*names):
    y = np.array([sorted(set(names)).index(n) for n in names])
    graph = Graph.from_edges([[0], [1]], n=len(names))
    return Dataset(graph, np.ones((len(names), 1), np.float32), y, classes=tuple(sorted(set(names))))


def test_doubtful_labels_are_noted():
    assert check_labels(_labelled(*"aaabbb")) == []
    notes = check_labels(_labelled(*"aaabcd", "A ", "A "))
    assert "classes 'A ', 'b', 'c', 'd': fewer than 3 labelled nodes" in notes[0]
    assert "classes 'A ', 'a' are different classes, though only spaces or capital letters" in notes[1]
    many = check_labels(_labelled(*"aaabbbcdefghij"))[0]
    assert many.startswith("classes 'c', 'd', 'e', 'f', 'g' and 3 more: fewer than 3")


def test_nodes_that_no_labelled_node_is_joined_to_are_noted():
    """Two rings: in the second nobody has a label."""
    u = np.arange(40)
    graph = Graph.from_edges(np.stack([u, np.where(u % 20 == 19, u - 19, u + 1)]))
    y = np.where(u < 10, u % 2, -1)
    X = np.ones((40, 1), np.float32)
    assert check_reach(Dataset(graph, X, y, classes=("a", "b"))) == [
        "20 of the 30 nodes to predict are joined to no labelled node, however far: test scores say nothing "
        "of them."
    ]
    assert check_reach(Dataset(graph, X, np.where(u == 39, 0, y), classes=("a", "b"))) == []
    (said,) = check_reach(Dataset(Graph.from_edges([[3], [3]], n=40), X, y, classes=("a", "b")))
    assert said == "no edge joins two different nodes: features alone tell them apart."


def test_a_comparison_wants_every_class_in_every_part():
    refuse_rare(_labelled(*"aaabbb"))
    with pytest.raises(ValueError, match="class 'b': fewer than 3 labelled nodes"):
        refuse_rare(_labelled(*"aaabb"))

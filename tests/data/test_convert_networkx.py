"""NetworkX: there and back, with whatever people hang on their nodes."""

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from unifilter import Graph
from unifilter.data.dataset import Dataset
from unifilter.data.newcomers import read_newcomers

from .test_convert import assert_same, datasets


@given(datasets())
def test_networkx_gives_back_what_it_got(dataset):
    G = dataset.to_networkx()
    back = Dataset.from_networkx(G, label="label", weight="weight" if dataset.graph.weighted else None)
    assert_same(back, dataset)
    assert back.columns == dataset.columns
    assert back.name == dataset.name


def test_attributes_are_treated_as_columns_are():
    G = nx.path_graph(4)
    values = {
        "age": [1, 2, None, 3],
        "town": ["x", "y", "x", "y"],
        "v": [np.array([i, 0.5]) for i in range(4)],
    }
    for name, column in values.items():
        nx.set_node_attributes(G, {i: v for i, v in enumerate(column) if v is not None}, name)
    nx.set_node_attributes(G, {0: 7, 1: 9, 3: 7}, "kind")
    dataset = Dataset.from_networkx(G, label="kind")
    assert dataset.y.tolist() == [0, 1, -1, 0]
    assert dataset.classes == ("7", "9")
    assert dataset.columns == ("age", "age (missing)", "town=x", "town=y", "v[0]", "v[1]")
    assert dataset.X[2].tolist() == [2, 1, 1, 0, 2, 0.5]
    assert dataset.ingestion.unlabelled == 1
    assert Dataset.from_networkx(G, label="kind", features=["town"]).columns == ("town=x", "town=y")


def test_newcomers_are_encoded_as_the_attributes_were(tmp_path):
    G = nx.Graph([("a", "b"), ("b", "c")])
    nx.set_node_attributes(G, {"a": 1, "c": 3}, "age")
    nx.set_node_attributes(G, {"a": "Rome", "b": "Oslo", "c": "Rome"}, "town")
    (tmp_path / "n.csv").write_text("id,town,age\nd,Rome,\ne,Bern,7\n")
    (tmp_path / "e.csv").write_text("src,dst\nd,a\ne,d\n")
    new = read_newcomers(Dataset.from_networkx(G), tmp_path / "n.csv", tmp_path / "e.csv")
    assert new.X.tolist() == [[2, 1, 0, 1], [7, 0, 0, 0]]  # the median, and a town that is new
    assert new.edges.tolist() == [[3, 4], [0, 3]]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_every_kind_of_graph_is_taken(kind):
    G = kind()
    G.add_edge("a", "b", w=2.0)
    G.add_edge("b", "c")
    G.add_edge("c", "c")
    if kind().is_multigraph():
        G.add_edge("a", "b", w=3.0)
    dataset = Dataset.from_networkx(G, weight="w")
    assert dataset.ids.to_pylist() == ["a", "b", "c"]
    assert dataset.graph.self_loops == 1
    weight = 5 if kind().is_multigraph() else 2
    assert dataset.graph.to_scipy().toarray().tolist() == [[0, weight, 0], [weight, 0, 1], [0, 1, 0]]
    assert not Dataset.from_networkx(G).graph.weighted
    directions = G.number_of_edges() if G.is_directed() else 2 * G.number_of_edges() - 1  # a loop has one
    assert dataset.arcs.shape == (2, directions)


def test_the_order_of_an_edge_s_ends_is_no_direction():
    one, other = nx.Graph([(0, 1), (1, 2), (2, 2)]), nx.Graph()
    other.add_nodes_from(range(3))
    other.add_edges_from([(2, 2), (2, 1), (1, 0)])
    arcs = [{*zip(*Dataset.from_networkx(G).arcs.tolist(), strict=True)} for G in (one, other)]
    assert arcs == [{(0, 1), (1, 0), (1, 2), (2, 1), (2, 2)}] * 2
    assert Dataset.from_networkx(nx.DiGraph([(1, 0)])).arcs.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("nodes", "ids"),
    [
        ([0, 1, 2], None),
        ([2, 1, 0], [2, 1, 0]),
        (["b", "a"], ["b", "a"]),
        ([(0, 1), (1, 1)], ["(0, 1)", "(1, 1)"]),
        (["a", 1], ["a", "1"]),
    ],
)
def test_nodes_become_ids(nodes, ids):
    G = nx.Graph()
    G.add_nodes_from(nodes)
    got = Dataset.from_networkx(G).ids
    assert (got if got is None else got.to_pylist()) == ids


def test_nodes_that_look_alike_are_refused():
    with pytest.raises(ValueError, match="nodes must differ when written as text"):
        Dataset.from_networkx(nx.Graph([(1, "1")]))
    twice = Dataset(Graph.from_edges([[0], [1]]), np.eye(2), np.array([0, 1]), ids=pa.array(["a", "a"]))
    with pytest.raises(ValueError, match="has each node once, but ids repeat"):
        twice.to_networkx()


def test_attributes_of_mixed_kinds_are_refused():
    G = nx.path_graph(2)
    nx.set_node_attributes(G, {0: 1, 1: "one"}, "x")
    with pytest.raises(ValueError, match="the values of node attribute 'x' must be of one kind"):
        Dataset.from_networkx(G)


def test_infinite_attributes_are_refused_by_node():
    G = nx.path_graph(2)
    nx.set_node_attributes(G, {0: 1.0, 1: float("inf")}, "x")
    with pytest.raises(ValueError, match="attribute 'x' of node 1 is inf"):
        Dataset.from_networkx(G)


def test_labels_that_are_nowhere_are_refused():
    with pytest.raises(ValueError, match="node attribute 'kind' must tell two or more classes apart"):
        Dataset.from_networkx(nx.path_graph(3), label="kind")

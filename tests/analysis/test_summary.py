"""The whole look at a dataset, and the odd ones among datasets."""

import json
import time

import numpy as np
import pytest

from conftest import GRAPHS
from unifilter import Dataset, Graph
from unifilter.analysis import analyze
from unifilter.data import load


@pytest.mark.parametrize("name", GRAPHS)
def test_counts_are_those_of_networkx(name):
    import networkx as nx

    graph = GRAPHS[name]()
    found = analyze(Dataset(graph, np.ones((graph.n, 1)), np.arange(graph.n) % 2), K=5, probes=2)
    G = nx.from_scipy_sparse_array(graph.to_scipy())
    parts = list(nx.connected_components(G))
    assert (found.components, found.largest) == (len(parts), max(map(len, parts)))
    assert found.isolated == nx.number_of_isolates(G)
    degrees = [d for _, d in G.degree()]
    assert found.degrees["median"] == np.median(degrees)
    assert (found.degrees["max"], found.degrees["mean"]) == (max(degrees), pytest.approx(np.mean(degrees)))
    assert dict(found.degree_counts.T.tolist()) == {d: degrees.count(d) for d in set(degrees)}


def test_labels_outside_the_mask_are_not_read(generator):
    """Any other label there gives the same answer."""
    data = load("sbm:n=400,h=0.7")
    mask = generator.random(400) < 0.5
    other = np.where(mask, data.y, generator.integers(0, 5, 400))
    first, second = (analyze(Dataset(data.graph, data.X, y), mask, K=5) for y in (data.y, other))
    assert first.to_json() == second.to_json()
    assert first.used == mask.sum()
    assert first.used + first.unlabelled == 400


def test_the_same_seed_gives_the_same_analysis_and_another_one_nearly():
    data = load("sbm:n=400,h=0.7")
    one, again, other = (analyze(data, seed=s) for s in (0, 0, 1))
    assert one.to_json() == again.to_json()
    assert one.to_json() != other.to_json()
    np.testing.assert_allclose(one.density.smooth(width=0.2)[1], other.density.smooth(width=0.2)[1], atol=0.1)


ODD = {
    "no labels": (np.ones((6, 2)), np.full(6, -1)),
    "one class": (np.ones((6, 2)), np.zeros(6, int)),
    "no features": (np.ones((6, 0)), np.array([0, 1, 0, 1, 0, 1])),
    "labels on isolated nodes only": (np.ones((6, 2)), np.array([-1, -1, -1, -1, 0, 1])),
    "one labelled edge": (np.ones((6, 2)), np.array([0, 1, -1, -1, -1, -1])),
}


@pytest.mark.parametrize("what", ODD)
def test_an_odd_dataset_is_analyzed_and_written(what):
    graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]], n=6)
    found = analyze(Dataset(graph, *ODD[what]))
    assert found.regime.name
    text = json.dumps(found.to_json(), allow_nan=False)
    assert json.loads(text)["isolated"] == 2


def test_a_graph_without_edges_is_analyzed():
    found = analyze(
        Dataset(Graph.from_edges(np.empty((2, 0), int), n=5), np.eye(5), np.array([0, 1, 0, 1, 0]))
    )
    assert found.regime.name == "unknown"
    assert (found.m, found.components, found.isolated) == (0, 5, 5)
    lam = found.density.lam[found.density.weight > 0.5]
    np.testing.assert_allclose(lam, 1)


def test_a_graph_without_nodes_is_refused():
    empty = Dataset(Graph.from_edges(np.empty((2, 0), int), n=0), np.empty((0, 1)), np.empty(0, int))
    with pytest.raises(ValueError, match="no nodes"):
        analyze(empty)


def test_pubmed_takes_seconds(mirror):
    data = load("pubmed")
    analyze(load("digits"), K=2)  # compiles the kernels
    start = time.process_time()  # of this process only: other work on the machine does not count
    found = analyze(data)
    assert time.process_time() - start < 15
    assert found.regime.name == "strong homophily"
    assert found.homophily["edge"].value == pytest.approx(0.802, abs=5e-4)

"""Directions of edges reach the models that use them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csr_array

from unifilter import Graph, GraphClassifier, Training
from unifilter.estimator.graphs import arcs_of

N = 120
TRAINING = Training(epochs=60, lr=0.02)


@pytest.fixture(scope="module")
def arcs():
    """From every even node to 6 odd ones: without directions, all nodes look alike."""
    rng = np.random.default_rng(0)
    matched = [2 * rng.permutation(N // 2) + 1 for _ in range(6)]
    return np.concatenate([np.stack([np.arange(0, N, 2), odd]) for odd in matched], axis=1)


@pytest.fixture(scope="module")
def X():
    return np.concatenate([np.ones((N, 1)), np.random.default_rng(1).normal(size=(N, 3))], axis=1)


@pytest.fixture(scope="module")
def known():
    return np.random.default_rng(2).random(N) < 0.5


def fitted(X, known, graph):
    y = np.where(known, np.arange(N) % 2, -1)
    made = GraphClassifier("dirgnn", {"layers": 1, "hidden": 16}, TRAINING, random_state=0)
    return made.fit(X, y, graph=graph)


def accuracy(made, known):
    return (made.transduction_ == np.arange(N) % 2)[~known].mean()


@pytest.mark.parametrize("shape", ["edges", "sparse", "dense"])
def test_a_label_that_shows_only_in_the_directions_is_learned(arcs, X, known, shape):
    A = csr_array(coo_array((np.ones(arcs.shape[1]), tuple(arcs)), shape=(N, N)))
    A.data[:] = 1
    graph = {"edges": arcs, "sparse": A, "dense": A.toarray()}[shape]
    made = fitted(X, known, graph)
    assert accuracy(made, known) > 0.95
    assert not made.record_.notes


def test_reversed_arcs_give_another_model(arcs, X, known):
    forward, backward = fitted(X, known, arcs), fitted(X, known, arcs[::-1])
    assert np.abs(forward.label_distributions_ - backward.label_distributions_).max() > 0.01


def test_the_directions_of_a_newcomer_s_edges_count(arcs, X, known):
    made = fitted(X, known, arcs)
    leaving = np.stack([np.full(6, N), np.arange(1, 12, 2)])
    assert made.predict([[1, 0, 0, 0]], leaving).tolist() == [0]
    assert made.predict([[1, 0, 0, 0]], leaving[::-1]).tolist() == [1]


def test_a_graph_without_directions_teaches_nothing_here_and_the_record_says_so(arcs, X, known):
    made = fitted(X, known, Graph.from_edges(arcs, n=N))
    assert accuracy(made, known) < 0.7
    assert made.record_.notes == ["the dataset has no arcs: both directions are the undirected graph's"]


def test_a_model_that_insists_on_directions_is_given_them(arcs, X, known):
    y = np.where(known, np.arange(N) % 2, -1)
    GraphClassifier("gcn", {"directed": True}, Training(epochs=2)).fit(X, y, graph=arcs)
    with pytest.raises(ValueError, match="the dataset has no arcs"):
        GraphClassifier("gcn", {"directed": True}).fit(X, y, graph=Graph.from_edges(arcs, n=N))


def test_arcs_are_the_edges_as_they_came():
    edges = np.array([[0, 0, 2, 1], [1, 1, 0, 1]])
    assert_array_equal(arcs_of(edges, 3), edges)
    assert_array_equal(arcs_of(edges.T, 3), edges)
    stored_zero = csr_array((np.array([2.0, 0.0]), np.array([1, 2]), np.array([0, 1, 2, 2])), shape=(3, 3))
    assert_array_equal(arcs_of(stored_zero, 3), [[0], [1]])
    assert arcs_of(None, 3) is None
    assert arcs_of(Graph.from_edges(edges, n=3), 3) is None

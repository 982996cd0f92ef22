"""Where an estimator's graph comes from."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.neighbors import kneighbors_graph

from unifilter import Graph, bases, lanczos, propagation
from unifilter.estimator.graphs import OnGraph, arcs_of, dense
from unifilter.models._basis import Basis


class Bare(OnGraph):
    """An estimator that is nothing but its graph."""

    def __init__(self, neighbors=3):
        self.neighbors = neighbors


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 4))


def test_without_a_graph_every_node_is_joined_to_its_nearest(X):
    found = Bare(neighbors=3)._graph(X, None).to_scipy().toarray()
    A = kneighbors_graph(X, 3).toarray()
    assert_array_equal(found, np.maximum(A, A.T))


def test_a_graph_is_taken_in_every_shape(X):
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 30, (2, 60))
    edges = edges[:, edges[0] != edges[1]]
    wanted = Graph.from_edges(edges, n=30)
    A = wanted.to_scipy()
    for given in (wanted, A, csr_array(A), A.toarray(), edges):
        found = Bare()._graph(X, given)
        assert_array_equal(found.to_scipy().toarray(), A.toarray())


def test_two_nodes_and_two_edges_are_edges_not_a_matrix():
    """A (2, 2) array could be either; edges are what a user has."""
    assert Bare()._graph(np.zeros((2, 1)), np.array([[0, 1], [1, 0]])).m == 1


def test_one_node_is_alone():
    assert Bare()._graph(np.zeros((1, 2)), None).m == 0


def test_a_graph_of_another_size_is_refused(X):
    with pytest.raises(ValueError, match="the graph has 4 nodes, but X has 30 rows"):
        Bare()._graph(X, Graph.from_edges([[0], [3]]))


def test_edges_beyond_the_rows_are_refused_with_what_grids_need(X):
    with pytest.raises(
        ValueError, match="names node 40, but X has 30 rows, from 0 to 29.* where no graph is"
    ):
        Bare()._graph(X, [[0, 1], [1, 40]])
    assert Bare()._graph(X, np.empty((2, 0), int)).m == 0


def test_sparse_features_become_dense(X):
    assert_array_equal(dense(csr_array(X)), X)
    assert dense(X) is X


def test_rows_of_training_keep_their_basis_and_new_ones_look_at_their_nearest(X):
    """A new row takes the place of a row of D_new^-1/2 A_new D^-1/2, and is not seen by the old nodes."""
    K, owner = 4, Bare(neighbors=3)
    graph = owner._graph(X, None)
    P = propagation(graph, dtype=torch.float64)
    V, T, norm = lanczos(P, torch.from_numpy(X), K)
    inputs = Basis(V, T, norm, bases.monomial(T, norm * T.e1, K))
    new = np.random.default_rng(2).normal(size=(2, 4))
    rows = np.concatenate([X[[5]], new, X[[0]]])
    found = owner._inputs_of(rows, rows, inputs, graph.degrees).V
    assert_array_equal(found[:, [0, 3]], V[:, [5, 0]])

    p = np.zeros((2, 30))
    distance = ((new[:, None] - X[None]) ** 2).sum(axis=2)
    for i, near in enumerate(np.argsort(distance, axis=1)[:, :3]):
        p[i, near] = 1 / np.sqrt(3 * graph.degrees[near])
    previous, current = np.zeros_like(new), new / norm.numpy()
    for k in range(K + 1):
        assert_allclose(found[k, 1:3], current, atol=1e-10)
        if k < K:
            alpha, beta = T.alpha[k].numpy(), T.beta.numpy()
            following = p @ V[k].numpy() - alpha * current - (beta[k - 1] * previous if k else 0)
            previous, current = current, following / beta[k]


def test_a_graph_of_networkx_is_told_the_way():
    networkx = pytest.importorskip("networkx")
    for given in (networkx.path_graph(5), networkx.DiGraph([(0, 1)])):
        with pytest.raises(ValueError, match=r"Dataset\.from_networkx\(graph\) gives X, y and graph"):
            arcs_of(given, 5)

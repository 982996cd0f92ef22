import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, random_array

from unifilter import Graph

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60)


@given(PAIRS)
def test_edges_become_the_symmetric_loop_free_matrix_of_ones(pairs):
    edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_edges(edges.T, n=13)
    wanted = np.zeros((13, 13))
    wanted[edges[:, 0], edges[:, 1]] = wanted[edges[:, 1], edges[:, 0]] = 1
    np.fill_diagonal(wanted, 0)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), wanted)
    assert graph.m == wanted.sum() / 2


@given(PAIRS)
def test_every_input_line_is_accounted_for(pairs):
    graph = Graph.from_edges(np.array(pairs, dtype=np.int64).reshape(-1, 2).T, n=13)
    arcs = 2 * graph.m - graph.one_way
    assert len(pairs) == arcs + graph.duplicates + graph.self_loops


@pytest.mark.parametrize("layout", ["(2, m)", "(m, 2)", "tensor", "list"])
def test_every_layout_of_edges_gives_the_same_graph(layout):
    edges = np.array([[0, 1, 2, 2], [1, 2, 3, 0]])
    given = {
        "(2, m)": edges,
        "(m, 2)": edges.T,
        "tensor": torch.from_numpy(edges),
        "list": edges.tolist(),
    }[layout]
    graph = Graph.from_edges(given)
    assert graph.indptr.tolist() == [0, 2, 4, 7, 8]
    assert graph.indices.tolist() == [1, 2, 0, 2, 0, 1, 3, 2]


def test_neighbours_are_sorted_and_indices_are_small(graph):
    for i in range(graph.n):
        row = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        assert (np.diff(row) > 0).all()
    assert graph.indices.dtype == graph.indptr.dtype == np.int32


def test_repr_counts_what_was_changed():
    graph = Graph.from_edges([[0, 0, 1, 3, 3], [1, 1, 0, 3, 4]], n=6)
    assert repr(graph) == (
        "Graph(n=6, m=2, duplicates merged: 1, self-loops dropped: 1, one-way edges completed: 1, "
        "isolated nodes: 2)"
    )


def test_weights_add_up_and_the_larger_direction_counts():
    graph = Graph.from_edges([[0, 0, 1, 1, 2], [1, 1, 0, 2, 0]], weights=[1.0, 2.0, 2.5, 4.0, 0.0])
    np.testing.assert_array_equal(graph.to_scipy().toarray(), [[0, 3, 0], [3, 0, 4], [0, 4, 0]])
    np.testing.assert_array_equal(graph.degrees, [3, 7, 4])
    assert "weighted" in repr(graph)


def test_degrees_of_weighted_isolated_nodes_are_exactly_zero(generator):
    graph = Graph.from_edges(
        generator.integers(0, 500, (2, 2000)), n=600, weights=generator.random(2000) + 0.1
    )
    np.testing.assert_allclose(graph.degrees, graph.to_scipy().sum(axis=1))
    assert (graph.degrees[500:] == 0).all()


def test_scipy_round_trip():
    A = random_array((30, 30), density=0.1, random_state=np.random.default_rng(0))
    A.setdiag(0)
    graph = Graph.from_scipy(A)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), np.maximum(A.toarray(), A.toarray().T))
    assert not Graph.from_scipy((A > 0).astype(float)).weighted


def test_edges_lists_each_edge_once(graph):
    u, v = graph.edges()
    assert u.size == graph.m
    assert (u < v).all()
    rebuilt = Graph.from_edges([u, v], n=graph.n)
    np.testing.assert_array_equal(rebuilt.indices, graph.indices)


def test_a_graph_cannot_be_changed(graph):
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 1
    with pytest.raises(AttributeError):
        graph.indices = None


@pytest.mark.parametrize("n", [0, 5])
def test_a_graph_without_edges_is_legal(n):
    graph = Graph.from_edges(np.empty((2, 0), int), n=n)
    assert (graph.n, graph.m, graph.isolated) == (n, 0, n)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edges": np.zeros((3, 4), int)}, r"shape (2, m) or (m, 2), but have shape (3, 4)"),
        ({"edges": [[0, 1.5], [1, 2]]}, "whole numbers"),
        ({"edges": [["a"], ["b"]]}, "read_tables"),
        ({"edges": [[0, -3], [1, 2]]}, "edge 1 has source -3"),
        ({"edges": [[0, 1], [1, 5]], "n": 4}, "edge 1 has target 5. Pass n >= 6"),
        ({"edges": [[1, 2], [2, 3]], "n": 3}, "count from 1 need edges - 1"),
        ({"edges": [[0, 1], [1, 2]], "n": -1}, "n must not be negative"),
        ({"edges": [[0, 1], [1, 2]], "weights": [1.0]}, "one entry an edge, shape (2,)"),
        ({"edges": [[0, 1], [1, 2]], "weights": [1.0, np.nan]}, "edge 1 has weight nan"),
        ({"edges": [[0, 1], [1, 2]], "weights": [-1.0, 1.0]}, "edge 0 has weight -1.0"),
        ({"edges": [[0, 1], [1, 2]], "weights": [1.0, np.inf]}, "edge 1 has weight inf"),
        ({"edges": [[0, 1], [1, 2]], "weights": ["x", "y"]}, "must be numbers"),
        ({"edges": [[0, 1, 1], [1, 0, 2]], "undirected": False}, "A[1, 2] = 1, A[2, 1] = 0"),
    ],
)
def test_bad_input_is_named_with_its_first_offender(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Graph.from_edges(**arguments)


def test_an_undirected_graph_passes_the_strict_door():
    assert Graph.from_edges([[0, 1, 1, 2], [1, 0, 2, 1]], undirected=False).m == 2


def test_an_adjacency_matrix_must_be_square():
    with pytest.raises(ValueError, match="square"):
        Graph.from_scipy(coo_array(np.ones((2, 3))))


def test_small_weights_are_not_lost_behind_a_large_one():
    graph = Graph.from_edges([[0, 2, 3], [1, 3, 4]], n=7, weights=[1e10, 1e-6, 1e-6])
    np.testing.assert_allclose(graph.degrees, [1e10, 1e10, 1e-6, 2e-6, 1e-6, 0, 0], rtol=1e-12)


def test_zeros_that_a_matrix_stores_are_no_edges():
    A = csr_array(([1.0, 0.0, 1.0, 0.0], ([0, 0, 1, 2], [1, 2, 0, 0])), shape=(3, 3))
    graph = Graph.from_scipy(A)
    assert (graph.m, graph.weighted) == (1, False)
    assert A.nnz == 4  # and the matrix stays as it was

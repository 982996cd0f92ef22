"""Every operator against its matrix, written out with the textbook formula."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.graph import Graph
from unifilter.models._operators import Sparse, adjacency, averaging, edge_index, from_arcs, smoothing

# One-way arcs, both ways, a duplicate, a self-loop; nodes 4 and 5 have no arc out.
ARCS = np.array([[0, 1, 1, 2, 2, 3, 0, 3], [1, 0, 2, 3, 3, 3, 4, 0]])
N = 6
LIKE = torch.zeros(0, dtype=torch.float64)


def by_hand(directed: bool, loops: bool) -> torch.Tensor:
    A = torch.zeros(N, N, dtype=torch.float64)
    for u, v in ARCS.T:
        if u != v or loops:
            A[u, v] = 1
    return A if directed else torch.maximum(A, A.T)


def matrix(operator) -> torch.Tensor:
    return operator @ torch.eye(N, dtype=torch.float64)


@pytest.fixture
def tiny() -> Graph:
    return Graph.from_edges(ARCS, n=N)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("loops", [False, True])
def test_smoothing_divides_by_the_roots_of_the_row_sums_on_both_sides(tiny, directed, loops):
    A = by_hand(directed, loops) + torch.eye(N, dtype=torch.float64)
    s = A.sum(dim=1) ** -0.5
    assert_close(matrix(smoothing(tiny, LIKE, ARCS, directed, loops)), s[:, None] * A * s)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("loops", [False, True])
def test_smoothing_without_self_loops_keeps_columns_of_nodes_that_no_arc_leaves(tiny, directed, loops):
    A = by_hand(directed, loops)
    s = A.sum(dim=1).clamp_min(1) ** -0.5
    found = matrix(smoothing(tiny, LIKE, ARCS, directed, loops, self_loops=False))
    assert_close(found, s[:, None] * A * s)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
def test_averaging_gives_rows_that_sum_to_one_or_have_no_neighbour(tiny, directed, self_loops, transposed):
    A = by_hand(directed, loops=False)
    A = (A.T if transposed else A) + (torch.eye(N, dtype=torch.float64) if self_loops else 0)
    wanted = A / A.sum(dim=1, keepdim=True).clamp_min(1)
    found = averaging(tiny, LIKE, ARCS, directed, self_loops=self_loops, transposed=transposed)
    assert_close(matrix(found), wanted)


def test_a_self_loop_of_the_data_weighs_two_beside_the_added_one(tiny):
    found = matrix(averaging(tiny, LIKE, ARCS, data_loops=True))
    assert found[3, 3] == 2 * found[3, 0]


@pytest.mark.parametrize("self_loops", [False, True])
def test_adjacency_is_nothing_normalised(graph, X, self_loops):
    A = torch.from_numpy(graph.to_scipy().toarray()) + self_loops * torch.eye(graph.n, dtype=torch.float64)
    assert_close(adjacency(graph, X, self_loops) @ X, A @ X, rtol=1e-12, atol=1e-12)


def test_smoothing_of_an_undirected_graph_is_P_with_self_loops(graph, X):
    assert_close(smoothing(graph, X) @ X, dense(graph, self_loops=True) @ X, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("build", [smoothing, averaging])
def test_the_backward_of_a_directed_operator_is_its_transpose(tiny, build):
    operator = build(tiny, LIKE, ARCS, directed=True)
    X = torch.randn(N, 3, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda X: operator @ X, X)
    G = torch.randn(N, 3, dtype=torch.float64)
    (operator @ X).backward(G)
    assert_close(X.grad, matrix(operator).T @ G)


def test_an_operator_without_entries_gives_zeros():
    empty = Sparse(from_arcs(np.empty((2, 0), int), 3, True, True), LIKE).to("cpu")
    assert_close(empty @ torch.ones(3, 2, dtype=torch.float64), torch.zeros(3, 2, dtype=torch.float64))


def test_edge_index_lists_whom_a_node_listens_to_once(tiny):
    j, i = edge_index(tiny, LIKE, ARCS, directed=True)
    heard = torch.zeros(N, N)
    heard.index_put_((i, j), torch.ones(i.numel()), accumulate=True)
    assert_close(heard, (by_hand(True, False) + torch.eye(N)).float())


def test_without_arcs_a_directed_convention_is_refused_with_the_way_out(tiny):
    with pytest.raises(ValueError, match="no arcs. Give it some, or use directed=False"):
        smoothing(tiny, LIKE, None, directed=True)

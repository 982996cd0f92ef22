import numpy as np
import pytest

from unifilter import Graph
from unifilter.kernels.relabel import relabel


@pytest.mark.parametrize("only_lower", [False, True])
def test_the_count_of_equal_edges_is_kept_exactly(only_lower, generator):
    graph = Graph.from_edges(generator.integers(0, 50, (2, 200)), n=50)
    y = generator.integers(0, 4, 50)
    u, v = graph.edges()
    same = int((y[u] == y[v]).sum())
    before, proposals = y.copy(), generator.integers(0, 4, 50)
    got = relabel(graph.indptr, graph.indices, y, generator.permutation(50), proposals, same, 0, only_lower)
    assert got == (y[u] == y[v]).sum()
    if only_lower:
        assert got < same
    else:
        np.testing.assert_array_equal(y, proposals)
    assert (y != before).any()


def test_it_stops_at_the_target(generator):
    graph = Graph.from_edges(generator.integers(0, 500, (2, 3000)), n=500)
    y = np.zeros(500, np.int64)
    proposals = generator.integers(0, 5, 500)
    target = graph.m * 3 // 4
    got = relabel(graph.indptr, graph.indices, y, np.arange(500), proposals, graph.m, target, False)
    assert target - np.diff(graph.indptr).max() <= got <= target
    assert (y[-50:] == 0).all()

"""Structural relations against shortest paths, warped by FastDTW written with sets."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from models.test_warping import fast
from unifilter.graph import Graph
from unifilter.models import _structural
from unifilter.models._structural import _relation, structural_relations


def by_hand(graph: Graph, u: int, v: int, levels: int) -> list[float]:
    """f_k(u, v) from all shortest paths."""
    distance, degree = shortest_path(graph.to_scipy(), unweighted=True), np.diff(graph.indptr)
    f, total = [], 0.0
    for k in range(levels + 1):
        at = [Counter(degree[distance[w] == k].tolist()) for w in (u, v)]
        if not (at[0] and at[1]):
            break
        total += fast(*(np.array(sorted(a.items()), dtype=float) for a in at))[0]
        f.append(total)
    return f


@pytest.mark.parametrize("ties", ["structure", "node"])
def test_weights_fall_with_the_distance_of_the_neighbourhoods_and_sum_to_one_at_the_source(graph, ties):
    relations = structural_relations(graph.to_scipy(), 3, ties=ties)
    for k, (source, target, weight) in enumerate(relations):
        total = np.bincount(source, weight, graph.n)[np.unique(source)]
        np.testing.assert_allclose(total, 1.0, rtol=1e-12)
        for s in np.unique(source)[:3]:
            own = source == s
            f = np.array([by_hand(graph, int(s), int(t), 3)[k] for t in target[own]])
            wanted = np.exp(-f) / np.exp(-f).sum()
            np.testing.assert_allclose(weight[own], wanted, rtol=1e-9)


def test_an_arc_goes_by_what_its_source_computed_and_a_pair_chosen_twice_stands_twice():
    """FastDTW is not symmetric: 0 and 1 chose each other and disagree; 2 was chosen by 0 only."""
    f = np.array([1.0, 3.0, 2.0])
    source, target, weight = _relation(np.array([0, 0, 1]), np.array([1, 2, 0]), f, 3)
    arcs = list(zip(source.tolist(), target.tolist(), strict=True))
    assert sorted(arcs) == [(0, 1), (0, 1), (0, 2), (1, 0), (1, 0), (2, 0)]
    total = 2 * np.exp(-1) + np.exp(-3)
    wanted = {(0, 1): np.exp(-1) / total, (0, 2): np.exp(-3) / total, (1, 0): 0.5, (2, 0): 1.0}
    np.testing.assert_allclose(weight, [wanted[arc] for arc in arcs])


def test_weights_that_underflow_together_are_zero():
    weight = _relation(np.array([0]), np.array([1]), np.array([1e4]), 2).weight
    np.testing.assert_array_equal(weight, [0.0, 0.0])


def test_a_node_chooses_about_two_log_n_others_of_the_nearest_degree():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 200, (2, 700)), n=200)
    degree = np.diff(graph.indptr)
    count = math.floor(2 * math.log2(np.count_nonzero(degree))) + 1
    source, target, _ = structural_relations(graph.to_scipy(), 0)[0]
    half = source.size // 2  # what nodes chose; then the same pairs the other way
    np.testing.assert_array_equal(source[:half], target[half:])
    for v in np.flatnonzero(degree):
        gaps = np.sort(np.abs(degree[np.flatnonzero(degree)] - degree[v]))[1 : count + 1]
        chosen = target[:half][source[:half] == v]
        assert chosen.size == count == np.unique(chosen).size
        assert v not in chosen
        np.testing.assert_array_equal(np.sort(np.abs(degree[chosen] - degree[v])), gaps)


def test_of_two_equally_near_degrees_the_larger_is_taken():
    graph = Graph.from_edges([[0, 0, 0, 0, 1, 1], [1, 2, 3, 4, 2, 5]])  # degrees 4, 3, 2, 1, 1, 1
    source, target, _ = structural_relations(graph.to_scipy(), 0, candidates=1)[0]
    assert target[: source.size // 2][source[: source.size // 2] == 1].tolist() == [0]


def test_ties_by_structure_do_not_depend_on_the_numbering_and_ties_by_node_do():
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 150, (2, 600))
    order = rng.permutation(150)
    same = {}
    for ties in ("structure", "node"):
        both = []
        for number in (np.arange(150), order):
            A = Graph.from_edges(number[edges], n=150).to_scipy()
            source, target, _ = structural_relations(A, 0, ties=ties)[0]
            back = np.argsort(number)
            both.append(Counter(zip(back[source].tolist(), back[target].tolist(), strict=True)))
        same[ties] = both[0] == both[1]
    assert same == {"structure": True, "node": False}


def test_pairs_have_no_relation_beyond_the_reach_of_either():
    graph = Graph.from_edges([[0, 1, 2, 5], [1, 2, 3, 6]], n=8)  # a path of 4, two isolated nodes, a pair
    relations = structural_relations(graph.to_scipy(), 4, candidates=7)
    assert [set(r.source.tolist()) for r in relations] == [
        {0, 1, 2, 3, 5, 6},
        {0, 1, 2, 3, 5, 6},
        {0, 1, 2, 3},
        {0, 3},
        set(),
    ]


def test_a_graph_that_would_take_hours_is_refused_with_a_model_that_can(monkeypatch):
    monkeypatch.setattr(_structural, "STEPS", 10)
    with pytest.raises(ValueError, match="gat needs no such search"):
        structural_relations(Graph.from_edges([[0, 1], [1, 2]]).to_scipy(), 2)

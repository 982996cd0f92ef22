import numpy as np
import pytest

from reproduce.measured import GRAPHS, SMALL, measured, nothing
from unifilter import Dataset, Graph
from unifilter.data import load
from unifilter.reproduce.datasets import PART, take
from unifilter.reproduce.part import Scale


def test_loops_and_repeated_lines_of_a_raw_list_are_counted():
    arcs = np.array([[0, 1, 1, 2, 2], [1, 0, 2, 2, 1]])
    graph = Graph.from_edges(arcs[:, arcs[0] != arcs[1]])
    dataset = Dataset(graph, np.eye(3), np.array([0, 0, 1]), arcs=arcs)
    found = take(dataset, {}, "cpu")
    assert found["list"] == {"listed": 5, "loops": 1, "repeated": 2}
    assert found["graph"]["homophily"] == 0.5


def test_unlabelled_nodes_take_no_part_in_the_homophily():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2]]))
    assert take(Dataset(graph, np.eye(3), np.array([0, 0, -1])), {}, "cpu")["graph"]["homophily"] == 1.0


def test_the_tables_hold_every_graph(tmp_path):
    counts, homophily = PART.show(measured(PART, SMALL, tmp_path), SMALL)
    assert counts.rows["nodes n"][GRAPHS[0]].ours.mean == 200
    assert homophily.rows["h"][GRAPHS[1]].ours.mean == pytest.approx(0.1)
    assert not PART.show(nothing(SMALL, tmp_path / "empty"), SMALL)


def test_the_raw_lists_of_real_graphs_explain_the_printed_edges(mirror, tmp_path):
    scale = Scale(graphs=("cora", "chameleon"))
    results = measured(PART, scale, tmp_path)
    (claim,) = PART.check(results, scale)
    assert claim.holds
    assert "cora 5,278 edges, printed 5,429, 10,858 lines" in claim.evidence
    counts, _, lists = PART.show(results, scale)
    edges = counts.rows["edges m"]
    assert (edges["cora"].ours.mean, edges["cora"].printed) == (5278, 5429)
    assert (edges["cora"].verdict(0), edges["chameleon"].verdict(0)) == ("below", "agrees")
    assert lists.rows["lines of the raw edge list"]["cora"].ours.mean == load("cora").arcs.shape[1]

import numpy as np
import pytest
import torch

from unifilter import lanczos, mix, propagation, signal_frequency
from unifilter.bases import released
from unifilter.data import load
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph
from unifilter.reproduce.as_printed import LOOPS, measure, take
from unifilter.reproduce.part import Scale
from unifilter.reproduce.printed import printed
from unifilter.reproduce.protocols import trials
from unifilter.train.run import training_homophily

WHAT = {"tau": 0.3, "preprocess": "none", "protocol": "quota:1", "loops": False}


def test_the_sums_are_those_of_the_vectors_themselves():
    """Edge by edge, of vectors written out; and they are twice the frequency of D^1/2 x."""
    data = load("sbm:n=150,h=0.3,d=5,power=2.5")
    found = take(data, WHAT, "cpu")["edges"]
    P, X = propagation(data.graph, dtype=torch.float64), data.features().double()
    h = training_homophily(data, trials(data, "quota:1")[0].split, [])
    V, T, norm = lanczos(P, X, 10)
    basis, d = mix(V, released(T, norm, 0.3, h)), torch.from_numpy(np.asarray(data.graph.degrees, float))
    u, v = (torch.from_numpy(end.astype(np.int64)) for end in data.graph.edges())
    for k in (0, 1, 5, 10):
        x = basis[k]
        sums = ((x[u] - x[v]) ** 2).sum(dim=0) / (d[:, None] * x * x).sum(dim=0)
        assert found[str(k)] == pytest.approx(float(sums.mean()), rel=1e-9)
        assert found[str(k)] == pytest.approx(
            2 * float(signal_frequency(P, d.sqrt()[:, None] * x).mean()), rel=1e-9
        )


def test_loops_count_in_degrees_if_asked():
    """A loop adds nothing to the differences, and its node's square to what divides them."""
    arcs = np.array([[0, 1, 2, 2], [1, 2, 3, 2]])
    X = np.array([[1.0], [2.0], [3.0], [5.0]])
    data = Dataset(Graph.from_edges(arcs), X, np.array([0, 1, 0, 1]), arcs=arcs)
    plain, looped = (take(data, {**WHAT, "loops": loops}, "cpu")["edges"]["0"] for loops in (False, True))
    assert plain == pytest.approx(6 / (1 + 2 * 4 + 2 * 9 + 25))
    assert looped == pytest.approx(6 / (1 + 2 * 4 + 3 * 9 + 25))


@pytest.mark.parametrize("graph", ["citeseer", "chameleon"])
def test_the_features_are_where_the_paper_prints_them(mirror, graph):
    what = {**measure(graph, 0.5, "row", Scale()).what, "protocol": "quota:1"}
    assert what["loops"] == (graph in LOOPS)
    first = take(load(graph), what, "cpu")["edges"]["0"]
    assert printed()["spectrum"][graph][0][0] == pytest.approx(first, abs=5e-5)

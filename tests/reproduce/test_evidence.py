import math

import numpy as np
import pytest
import torch

from unifilter import Dataset, Graph, lanczos, propagation
from unifilter.bases import monomial, released
from unifilter.data import load
from unifilter.reproduce.evidence import (
    ABOUT,
    TAU,
    H,
    cosines,
    edge_sums,
    expected_on_a_ring,
    measure,
    missing,
    scales,
)
from unifilter.reproduce.part import Scale


def test_the_exact_basis_keeps_theorem_4_and_the_released_one_does_not():
    found = cosines(load("sbm:n=300,h=0.3"), {"h": 0.22, "tau": 0.5, "preprocess": "none"}, "cpu")
    c = math.cos(math.pi / 2 * 0.78)
    assert found["exact"]["least"] == pytest.approx(c, abs=1e-9)
    assert found["exact"]["largest"] == pytest.approx(c, abs=1e-9)
    assert abs(found["released"]["median"] - c) > 0.1


@pytest.mark.parametrize("length", [0.2, 1.0, 8.0])
def test_the_released_u_1_turns_away_from_x_the_longer_x_is(length):
    data = load("sbm:n=200")
    P, x = propagation(data.graph, dtype=torch.float64), data.features().double()[:, :1]
    _, T, norm = lanczos(P, length * x / x.norm(), 3)
    u = (released(T, norm, TAU, H) - TAU * monomial(T, norm * T.e1, 3))[1, :, 0]
    c = math.cos(math.pi / 2 * (1 - H))
    assert float(u[0] / u.norm()) == pytest.approx(min(1, c / length))


def test_the_first_vector_is_not_among_the_cosines():
    """At length 100 it is at c/100 to u_1; all pairs without it are nearer."""
    data = load("sbm:n=200")
    x = data.features()[:, :1].numpy()
    found = cosines(
        Dataset(data.graph, 100 * x / np.linalg.norm(x), data.y),
        {"h": H, "tau": TAU, "preprocess": "none"},
        "cpu",
    )
    assert found["released"]["least"] > 2 * math.cos(math.pi / 2 * (1 - H)) / 100


def test_a_column_whose_krylov_space_ends_is_left_out():
    """The constant vector on a ring is an eigenvector of P: it has no second basis vector."""
    graph = Graph.from_edges(np.stack([np.arange(30), (np.arange(30) + 1) % 30]))
    X = np.stack([np.ones(30), np.random.default_rng(0).standard_normal(30)], axis=1)
    found = cosines(
        Dataset(graph, X, np.arange(30) % 2), {"h": 0.22, "tau": 0.5, "preprocess": "none"}, "cpu"
    )
    assert found["exact"]["least"] == pytest.approx(found["exact"]["largest"], abs=1e-9)


def test_lengths_of_columns_depend_on_the_scaling():
    data = Dataset(
        Graph.from_edges([[0, 1], [1, 2]]), np.array([[3.0, 0], [4.0, 0], [0, 5.0]]), np.array([0, 1, 0])
    )
    found = scales(data, {}, "cpu")
    assert found["none"]["largest"] == pytest.approx(5)
    assert found["row"]["largest"] == pytest.approx(2**0.5)


def test_small_classes_go_missing_from_the_test():
    y = np.array([0] * 70 + [1] * 20 + [2] * 10)
    graph = Graph.from_edges(np.stack([np.arange(99), np.arange(1, 100)]))
    found = missing(Dataset(graph, np.ones((100, 1)), y), {"splits": 2}, "cpu")
    assert found["missing"]["test"] >= 1  # a quota of 20: the class of 10 is used up, and that of 20 too
    assert found["largest"]["graph"] == 0.7
    assert found["largest"]["train"] < 0.5 < found["largest"]["test"]


def test_the_sum_over_edges_is_the_frequency_on_a_regular_graph_only():
    x = np.random.default_rng(0).standard_normal((30, 2))
    ring = Graph.from_edges(np.stack([np.arange(30), (np.arange(30) + 1) % 30]))
    path = Graph.from_edges(np.stack([np.arange(29), np.arange(1, 30)]))
    for graph, same in ((ring, True), (path, False)):
        found = edge_sums(Dataset(graph, x, np.zeros(30, int)), {}, "cpu")["mean"]
        assert (abs(found["definition"] - found["edges"]) < 1e-6) is same


def test_the_corrected_form_of_theorem_3_is_exact():
    for theta in torch.linspace(0, math.pi / 2, 5).tolist():
        wanted = 6 * (1 - math.cos(theta) ** 2) / 10
        assert expected_on_a_ring(theta) == pytest.approx(wanted, abs=1e-12)


def test_measures_of_a_graph_differ():
    found = [measure(about, "cora", Scale()) for about in ABOUT]
    assert len({m.name for m in found}) == len({m.take for m in found}) == 4

"""Lemma: 0 <= f(x) <= 1 for every signal on every graph."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from unifilter import Graph, propagation, signal_frequency

EPS = 1e-12


@given(st.integers(2, 25), st.integers(0, 80), st.integers(0, 2**31))
def test_the_frequency_of_any_signal_lies_between_0_and_1(n, m, seed):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, n, (2, m)), n=n, weights=rng.random(m))
    f = signal_frequency(
        propagation(graph, dtype=torch.float64), torch.from_numpy(rng.standard_normal((n, 3)))
    )
    assert ((f >= -EPS) & (f <= 1 + EPS)).all()


def test_both_ends_are_reached_on_a_bipartite_graph():
    graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]])
    root = torch.from_numpy(graph.degrees).sqrt()
    sign = torch.tensor([1.0, -1, 1, -1, 1], dtype=torch.float64)
    f = signal_frequency(propagation(graph, dtype=torch.float64), torch.stack([root, sign * root], dim=1))
    torch.testing.assert_close(f, torch.tensor([0.0, 1.0], dtype=torch.float64))


def test_without_the_symmetric_normalisation_the_bound_fails():
    """The hypothesis is P = D^-1/2 A D^-1/2; with A itself the value leaves [0, 1]."""
    A = torch.ones(4, 4, dtype=torch.float64) - torch.eye(4, dtype=torch.float64)
    assert signal_frequency(A, torch.ones(4, 1, dtype=torch.float64)) < -0.5

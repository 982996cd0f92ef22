"""Theorem 3: on random regular graphs the expected frequency grows with the angle to the constant vector.

The closed form in the paper's proof is wrong: it gives 1/4 for the constant vector itself, whose frequency
is 0. Right is n (1 - cos^2 theta) / (2 (n - 1)), and the theorem stands.
"""

import itertools

import numpy as np
import pytest
import torch

from unifilter import Graph, propagation, signal_frequency

n = 6


def expected_frequency(graph, x):
    """The mean over all 720 ways to place the signal on the graph: exact, no sampling."""
    orders = torch.tensor(list(itertools.permutations(range(n))))
    return float(signal_frequency(propagation(graph, dtype=torch.float64), x[orders].T).mean())


def at_angle(theta, seed=0):
    phi = torch.ones(n, dtype=torch.float64) / n**0.5
    other = torch.randn(n, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    other = other - (other @ phi) * phi
    return np.cos(theta) * phi + np.sin(theta) * other / other.norm()


def ring():
    return Graph.from_edges(np.stack([np.arange(n), (np.arange(n) + 1) % n]))


def octahedron():
    pairs = [(a, b) for a, b in itertools.combinations(range(n), 2) if a + b != n - 1]
    return Graph.from_edges(np.array(pairs))


THETAS = np.linspace(0, np.pi / 2, 6)  # the two forms cross at 45 degrees, which is not among them


@pytest.mark.parametrize("graph", [ring(), octahedron()], ids=["2-regular", "4-regular"])
def test_the_expected_frequency_grows_with_the_angle(graph):
    found = [expected_frequency(graph, at_angle(theta)) for theta in THETAS]
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("graph", [ring(), octahedron()], ids=["2-regular", "4-regular"])
@pytest.mark.parametrize("theta", THETAS)
def test_the_corrected_closed_form_is_exact_and_the_printed_one_is_not(graph, theta):
    found = expected_frequency(graph, at_angle(theta))
    square = np.cos(theta) ** 2
    corrected = n * (1 - square) / (2 * (n - 1))
    printed = (n + 1 - 2 * square) / (4 * (n - 1))
    assert found == pytest.approx(corrected, abs=1e-12)
    assert abs(found - printed) > 0.01


def test_on_a_graph_that_is_not_regular_the_constant_vector_has_a_frequency():
    star = Graph.from_edges(np.stack([np.zeros(n - 1, int), np.arange(1, n)]))
    assert expected_frequency(star, at_angle(0.0)) > 0.1

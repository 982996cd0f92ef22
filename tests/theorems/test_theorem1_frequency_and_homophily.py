"""Theorem 1: the frequency of an optimally filtered signal is proportional to 1 - h.

The proof assumes an optimal filter: representations equal within a class (c = 0) and equally far apart
between classes (g = 1), measured as (z_u - z_v)^2 over the edges and z_u^2 d_u over the nodes, that is for
D^1/2 z. Under these hypotheses it is an identity: over the class indicators, f = (1 - h) / 2.
"""

import numpy as np
import pytest
import torch

from unifilter import edge_homophily, propagation
from unifilter.graph.synthetic import block_model

HOMOPHILY = [0.05, 0.2, 0.4, 0.6, 0.8, 0.95]


def frequency_of(graph, Z):
    """f of all columns together: sum of z^T L z over 2 sum of z^T z."""
    P = propagation(graph, dtype=torch.float64)
    return float((Z * (Z - P @ Z)).sum() / (2 * (Z * Z).sum()))


def optimal(graph, y):
    root = torch.from_numpy(graph.degrees).sqrt()[:, None]
    return root * torch.nn.functional.one_hot(torch.from_numpy(y)).double()


@pytest.mark.parametrize("h", HOMOPHILY)
@pytest.mark.parametrize("power", [None, 2.3])
def test_an_optimal_signal_has_frequency_proportional_to_heterophily(h, power):
    graph, _, y = block_model(600, h, classes=4, power=power, generator=np.random.default_rng(0))
    exact = edge_homophily(graph, y, np.ones(600, bool))
    assert frequency_of(graph, optimal(graph, y)) == pytest.approx((1 - exact) / 2, abs=1e-12)


def test_two_classes_at_plus_and_minus_one_have_exactly_that_frequency():
    graph, _, y = block_model(400, 0.3, classes=2, generator=np.random.default_rng(0))
    root = torch.from_numpy(graph.degrees).sqrt()
    z = (root * torch.from_numpy(2.0 * y - 1))[:, None]
    assert frequency_of(graph, z) == pytest.approx(0.7, abs=1e-12)


def test_small_differences_within_a_class_change_little():
    """The proof neglects c^2 h against g^2 (1 - h): right to some percent at c = 0.1, h not near 1."""
    rng = np.random.default_rng(1)
    for h in HOMOPHILY[:-1]:
        graph, _, y = block_model(600, h, classes=4, generator=np.random.default_rng(0))
        root = torch.from_numpy(graph.degrees).sqrt()[:, None]
        noisy = optimal(graph, y) + root * torch.from_numpy(rng.uniform(-0.05, 0.05, (600, 4)))
        assert frequency_of(graph, noisy) == pytest.approx((1 - h) / 2, rel=0.05)


def test_without_an_optimal_filter_the_frequency_does_not_follow():
    """Raw random features: near 1/2 whatever the homophily."""
    found = []
    for h in HOMOPHILY:
        graph, X, _ = block_model(600, h, classes=4, signal=0, generator=np.random.default_rng(0))
        found.append(frequency_of(graph, torch.from_numpy(X)))
    assert np.ptp(found) < 0.03
    assert np.mean(found) == pytest.approx(0.5, abs=0.02)

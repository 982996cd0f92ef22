"""The spectral density against spectra that are known, and features against dense matrices."""

from math import comb

import numpy as np
import pytest
import torch
from scipy.integrate import trapezoid
from scipy.sparse import csr_array

from conftest import isolated, ring, star
from helpers import dense
from unifilter import Dataset, Graph, propagation
from unifilter.analysis.spectrum import Density, feature_frequencies, spectral_density


def density(graph, K, probes, seed=0):
    P = propagation(graph, dtype=torch.float64)
    return spectral_density(P, K, probes, np.random.default_rng(seed))


def test_every_probe_s_quadrature_is_that_of_gauss(graph):
    """v^T P^j v / n is exact for every degree j < 2K, breakdowns and isolated nodes included."""
    K, probes = 6, 5
    found = density(graph, K, probes, seed=3)
    v = np.random.default_rng(3).choice([-1.0, 1.0], (graph.n, probes))
    A = dense(graph).numpy()
    for j in range(2 * K):
        exact = (v * (np.linalg.matrix_power(A, j) @ v)).sum(axis=0) / graph.n
        ours = (found.weight * (1 - found.lam) ** j).sum(axis=1)
        np.testing.assert_allclose(ours, exact, atol=1e-12)


def test_on_a_ring_the_moments_are_the_closed_form():
    """tr P^j / n counts closed walks: binom(j, j/2) / 2^j for even j, 0 for odd; within 4 standard errors."""
    found = density(ring(400), K=20, probes=60)
    for j in range(1, 13):
        per_probe = (found.weight * (1 - found.lam) ** j).sum(axis=1)
        error = per_probe.std(ddof=1) / np.sqrt(60)
        truth = comb(j, j // 2) / 2**j if j % 2 == 0 else 0.0
        assert abs(per_probe.mean() - truth) <= 4 * error + 1e-12
        assert error < 0.02


def test_a_star_has_nearly_all_its_eigenvalues_at_1():
    found = density(star(200), K=5, probes=40)
    assert found.weight[np.abs(found.lam - 1) < 1e-9].sum() / 40 == pytest.approx(198 / 200, abs=0.01)


def test_the_smoothed_density_integrates_to_1_whatever_its_width(graph):
    for width in (None, 0.05, 0.3):
        lam, values = density(graph, K=10, probes=4).smooth(points=2001, width=width)
        assert (values >= 0).all()
        assert trapezoid(values, lam) == pytest.approx(1, abs=1e-6)


def test_mass_at_an_end_of_the_spectrum_stays_inside():
    lam, values = Density(np.array([[0.0]]), np.array([[1.0]])).smooth(points=4001, width=0.1)
    assert values[0] == pytest.approx(2 / (0.1 * np.sqrt(2 * np.pi)))
    assert trapezoid(values, lam) == pytest.approx(1, abs=1e-9)


def test_blocks_of_columns_do_not_change_the_density(monkeypatch):
    whole = density(ring(50), K=8, probes=6)
    monkeypatch.setattr("unifilter.analysis.spectrum.WORKSPACE", 1)
    apart = density(ring(50), K=8, probes=6)
    np.testing.assert_allclose(whole.lam, apart.lam, atol=1e-12)


@pytest.mark.parametrize("wrong", [{"K": 0}, {"probes": 0}])
def test_a_quadrature_needs_a_node_and_a_probe(wrong):
    with pytest.raises(ValueError, match="must be at least 1, but is 0"):
        density(ring(), **({"K": 3, "probes": 2} | wrong))


@pytest.mark.parametrize("sparse", [False, True])
def test_feature_frequencies_are_rayleigh_quotients(monkeypatch, sparse):
    monkeypatch.setattr("unifilter.analysis.spectrum.WORKSPACE", 32 * 33 * 2)  # two columns at a time
    graph, X = isolated(), np.random.default_rng(0).standard_normal((33, 7)).astype(np.float32)
    X[:, 3] = 0
    dataset = Dataset(graph, csr_array(X) if sparse else X, np.zeros(33, int))
    found = feature_frequencies(propagation(graph, dtype=torch.float64), dataset)
    x = X[:, [0, 1, 2, 4, 5, 6]].astype(np.float64)
    L = np.eye(33) - dense(graph).numpy()
    np.testing.assert_allclose(found.frequency, (x * (L @ x)).sum(axis=0) / (2 * (x * x).sum(axis=0)))
    assert found.mean == pytest.approx(float((x * (L @ x)).sum() / (2 * (x * x).sum())))
    assert found.energy.sum() == pytest.approx(1)
    assert found.zero_columns == 1


def test_no_features_have_no_frequency():
    graph = Graph.from_edges([[0, 1], [1, 2]])
    for X in (np.zeros((3, 0)), np.zeros((3, 2))):
        found = feature_frequencies(
            propagation(graph, dtype=torch.float64), Dataset(graph, X, np.array([0, 1, 0]))
        )
        assert found.frequency.size == 0
        assert np.isnan(found.mean)

import numpy as np
import pytest

from unifilter import edge_homophily
from unifilter.graph.synthetic import block_model, relabelled


@pytest.mark.parametrize("h", [0.0, 0.13, 0.5, 0.81, 1.0])
@pytest.mark.parametrize("power", [None, 2.5])
def test_the_block_model_has_the_wanted_edges_and_homophily(h, power, generator):
    graph, X, y = block_model(2000, h, classes=4, degree=12, power=power, generator=generator)
    assert graph.m == 12000
    assert edge_homophily(graph, y, np.ones(2000, bool)) == pytest.approx(h, abs=1e-12)
    assert np.bincount(y).tolist() == [500] * 4
    assert X.shape == (2000, 16)


def test_power_law_degrees_are_skewed_and_poisson_ones_are_not(generator):
    degrees = {
        power: np.diff(block_model(20000, 0.5, power=power, generator=generator).graph.indptr)
        for power in (None, 2.2)
    }
    assert degrees[None].max() < 40
    assert degrees[2.2].max() > 150
    assert degrees[None].mean() == degrees[2.2].mean() == 10


def test_features_know_the_class_as_far_as_the_signal_is_strong(generator):
    for signal, low, high in ((0.0, 0.0, 0.3), (8.0, 0.99, 1.0)):
        _, X, y = block_model(1000, 0.5, signal=signal, generator=generator)
        centres = np.stack([X[y == c].mean(axis=0) for c in range(5)])
        nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        assert low <= (nearest == y).mean() <= high + 1e-9


def test_nodes_are_in_no_order(generator):
    y = block_model(1000, 0.5, generator=generator).y
    assert 700 < np.count_nonzero(np.diff(y)) < 900


def test_the_same_seed_gives_the_same_graph():
    a, b = (block_model(500, 0.3, generator=np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(a.graph.indices, b.graph.indices)
    np.testing.assert_array_equal(a.X, b.X)


def test_too_many_edges_are_refused(generator):
    with pytest.raises(ValueError, match="within classes.*at most half"):
        block_model(20, 1.0, degree=10, generator=generator)


@pytest.mark.parametrize("h", [0.11, 0.2, 0.5, 0.7])
def test_relabelling_meets_the_wanted_homophily_on_the_same_graph(h, generator):
    """From 0.7 down to below 1/C, which random labels alone do not reach."""
    graph, _, y = block_model(1500, 0.7, classes=7, degree=6, generator=generator)
    sample = relabelled(graph, y, h, generator=generator)
    assert sample.graph is graph
    largest = np.diff(graph.indptr).max()
    got = edge_homophily(graph, sample.y, np.ones(1500, bool))
    assert abs(got - h) <= (largest + 1) / graph.m
    assert sample.X.shape == (1500, 100)
    assert (sample.X.sum(axis=1) == 1).all()


def test_what_cannot_be_met_is_an_error(generator):
    graph, _, y = block_model(60, 0.5, classes=2, degree=3, generator=generator)
    with pytest.raises(ValueError, match="stays at 1.0"):
        relabelled(graph, np.zeros(60, int), 0.2, generator=generator)
    with pytest.raises(ValueError, match="0.9 lies above it"):
        relabelled(graph, y, 0.9, generator=generator)

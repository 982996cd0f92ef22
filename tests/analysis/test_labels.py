"""Homophily with errors that can be trusted, and frequencies of labels against dense matrices."""

import numpy as np
import pytest

from helpers import dense
from unifilter import Graph, adjusted_homophily, class_homophily, label_informativeness, node_homophily
from unifilter.analysis.labels import label_frequencies, measure_homophily
from unifilter.graph.synthetic import block_model

OURS = {
    "node": node_homophily,
    "class": class_homophily,
    "adjusted": adjusted_homophily,
    "informativeness": label_informativeness,
}


def sample(n, h, seed=0, **options):
    return block_model(n, h, generator=np.random.default_rng(seed), **options)


def test_values_are_those_of_the_measures_on_the_same_labels(generator):
    graph, _, y = sample(400, 0.6)
    mask = generator.random(400) < 0.5
    found = measure_homophily(graph, y, mask, generator)
    assert {name: e.value for name, e in found.items() if name != "edge"} == {
        name: pytest.approx(measure(graph, y, mask)) for name, measure in OURS.items()
    }


def test_with_every_label_known_nothing_is_left_to_estimate(generator):
    graph, _, y = sample(300, 0.3)
    assert all(e.error == 0 for e in measure_homophily(graph, y, np.ones(300, bool), generator).values())


@pytest.mark.parametrize("h", [0.8, 0.3])
def test_standard_errors_are_the_spread_over_random_masks(h):
    """Never much too small; up to sqrt(2) too large for what pairs of nodes contribute."""
    graph, _, y = sample(1500, h, classes=3, power=2.5)
    rng = np.random.default_rng(1)
    found = [measure_homophily(graph, y, rng.random(1500) < 0.3, rng) for _ in range(60)]
    for name in ("edge", *OURS):
        spread = np.std([f[name].value for f in found], ddof=1)
        claimed = np.sqrt(np.mean([f[name].error ** 2 for f in found]))
        assert 0.75 < claimed / spread < 1.8, name


def test_standard_errors_shrink_with_the_number_of_nodes(generator):
    small, large = (
        measure_homophily(*sample(n, 0.7)[::2], generator.random(n) < 0.3, generator) for n in (400, 6400)
    )
    for name, estimate in large.items():
        assert estimate.error < 0.5 * small[name].error


def test_without_an_edge_between_labelled_nodes_there_is_no_homophily(generator):
    graph = Graph.from_edges([[0, 1], [1, 2]])
    assert measure_homophily(graph, np.array([0, -1, 1]), np.array([True, False, True]), generator) == {}


def test_label_frequency_is_the_rayleigh_quotient_of_the_indicator():
    graph, _, y = sample(120, 0.4, classes=3, degree=6)
    L = np.eye(120) - dense(graph).numpy()
    alive = np.diff(graph.indptr) > 0
    for c, label in enumerate(label_frequencies(graph, y, np.ones(120, bool), ("a", "b", "c"))):
        x = ((y == c) & alive).astype(np.float64)
        assert label.frequency == pytest.approx(x @ L @ x / (2 * x @ x))
        assert label.count == (y == c).sum()


def test_chance_is_the_mean_frequency_over_permutations(generator):
    graph, _, y = sample(60, 0.9, classes=3, degree=6)
    (first, *_) = label_frequencies(graph, y, np.ones(60, bool), ("a", "b", "c"))
    L = np.eye(60) - dense(graph).numpy()
    drawn = [
        (x @ L @ x) / (2 * x @ x) for x in (generator.permutation(y == 0).astype(float) for _ in range(4000))
    ]
    assert first.chance == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(4000))


def test_an_unlabelled_end_is_no_evidence_of_a_difference():
    """A path of one class with one unlabelled node in it: both parts are as smooth as they can be."""
    graph = Graph.from_edges([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
    y = np.array([0, 0, -1, 0, 0, -1])
    (label,) = label_frequencies(graph, y, y >= 0, ("a",))
    assert label.frequency == pytest.approx(0, abs=1e-15)
    assert (label.count, label.share) == (4, 1.0)


def test_a_class_without_a_labelled_neighbour_has_no_frequency():
    graph = Graph.from_edges([[0, 1], [1, 2]], n=4)
    labels = label_frequencies(graph, np.array([0, 0, 0, 1]), np.ones(4, bool), ("a", "b"))
    assert labels[0].frequency < 0.1
    assert np.isnan(labels[1].frequency)
    assert labels[1].share == 0.25

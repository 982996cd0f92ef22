import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from unifilter import (
    Graph,
    adjusted_homophily,
    class_homophily,
    edge_homophily,
    estimate_homophily,
    label_informativeness,
    node_homophily,
)
from unifilter.graph.synthetic import block_model

MEASURES = [
    edge_homophily,
    node_homophily,
    class_homophily,
    adjusted_homophily,
    label_informativeness,
    lambda *a: estimate_homophily(*a).value,
]


@pytest.fixture(scope="module")
def sample():
    return block_model(300, 0.35, classes=4, degree=8, generator=np.random.default_rng(0))


@pytest.fixture
def everyone(sample):
    return np.ones(sample.graph.n, bool)


def test_edge_homophily_counts_edges(sample, everyone):
    u, v = sample.graph.edges()
    assert edge_homophily(sample.graph, sample.y, everyone) == np.mean(sample.y[u] == sample.y[v])


def test_adjusted_homophily_is_the_assortativity_coefficient(sample, everyone):
    """Newman's coefficient, as NetworkX computes it."""
    G = nx.from_scipy_sparse_array(sample.graph.to_scipy())
    nx.set_node_attributes(G, dict(enumerate(sample.y.tolist())), "label")
    wanted = nx.attribute_assortativity_coefficient(G, "label")
    assert adjusted_homophily(sample.graph, sample.y, everyone) == pytest.approx(wanted, abs=1e-12)


def test_label_informativeness_is_normalised_mutual_information(sample, everyone):
    rows, cols = sample.y[sample.graph.rows()], sample.y[sample.graph.indices]
    wanted = mutual_info_score(rows, cols) / mutual_info_score(rows, rows)
    assert label_informativeness(sample.graph, sample.y, everyone) == pytest.approx(wanted, abs=1e-12)


def test_node_homophily_is_the_mean_of_neighbourhoods(sample, everyone):
    A = sample.graph.to_scipy().toarray()
    same = (A * (sample.y[:, None] == sample.y)).sum(axis=1)
    wanted = np.mean((same / np.maximum(A.sum(axis=1), 1))[A.sum(axis=1) > 0])
    assert node_homophily(sample.graph, sample.y, everyone) == pytest.approx(wanted)


def test_class_homophily_agrees_with_its_formula(sample, everyone):
    A, y = sample.graph.to_scipy().toarray(), sample.y
    excess = [A[y == c][:, y == c].sum() / A[y == c].sum() - np.mean(y == c) for c in range(4)]
    wanted = np.maximum(0, excess).sum() / 3
    assert class_homophily(sample.graph, y, everyone) == pytest.approx(wanted)


@pytest.mark.parametrize("measure", MEASURES)
def test_hidden_labels_do_not_matter(measure, sample, generator):
    """Neither through the mask nor as -1: the law that keeps test labels out of h."""
    mask = generator.random(sample.graph.n) < 0.6
    wanted = measure(sample.graph, sample.y, mask)
    shuffled = np.where(mask, sample.y, generator.integers(0, 4, sample.graph.n))
    assert measure(sample.graph, shuffled, mask) == wanted
    assert measure(sample.graph, np.where(mask, sample.y, -1), np.ones_like(mask)) == wanted


@pytest.mark.parametrize("measure", MEASURES)
def test_perfect_homophily_is_one_for_every_measure(measure):
    graph = Graph.from_edges([[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]])
    assert measure(graph, np.array([0, 0, 0, 1, 1, 1]), np.ones(6, bool)) == pytest.approx(1.0)


def test_chance_corrected_measures_are_zero_for_edges_at_random():
    """On a complete graph with equal classes the mean edge knows nothing."""
    n = 400
    graph = Graph.from_edges(np.stack(np.triu_indices(n, 1)))
    y = np.arange(n) % 4
    for measure in (class_homophily, adjusted_homophily, label_informativeness):
        assert abs(measure(graph, y, np.ones(n, bool))) < 0.01


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("power", [None, 2.2])
def test_the_standard_error_is_the_spread_over_random_label_sets(share, power):
    """400 random sets of labelled nodes; the spread of their estimates against the mean promised error."""
    rng = np.random.default_rng(5)
    graph, _, y = block_model(1000, 0.4, classes=4, degree=10, power=power, generator=rng)
    found = [estimate_homophily(graph, y, rng.random(graph.n) < share) for _ in range(400)]
    spread, promised = np.std([f.value for f in found]), np.mean([f.error for f in found])
    assert promised == pytest.approx(spread, rel=0.2)


def test_nothing_is_left_to_estimate_when_all_labels_are_known(sample, everyone):
    assert estimate_homophily(sample.graph, sample.y, everyone).error == 0


@pytest.mark.parametrize("measure", MEASURES)
def test_no_edge_between_labelled_nodes_is_an_error_that_says_what_to_do(measure):
    graph = Graph.from_edges([[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="none of the 2 edges joins two of the 2.*Label more nodes"):
        measure(graph, np.array([0, 1, 0]), np.array([True, False, True]))


def test_labels_and_mask_are_checked(sample, everyone):
    with pytest.raises(ValueError, match="-1 = unlabelled"):
        edge_homophily(sample.graph, sample.y.astype(float), everyone)
    with pytest.raises(ValueError, match="truth values"):
        edge_homophily(sample.graph, sample.y, np.arange(3))

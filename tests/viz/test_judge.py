"""Scores against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics

from unifilter.train.metrics import expected_calibration_error
from unifilter.viz import judge


@pytest.fixture
def sample(generator):
    p = generator.dirichlet(np.ones(4), 200)
    return p, generator.integers(0, 4, 200)


def test_confusion_and_scores_are_scikit_learn_s(sample):
    p, y = sample
    counts = judge.confusion_counts(p, y)
    np.testing.assert_array_equal(counts, metrics.confusion_matrix(y, p.argmax(axis=1)))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, p.argmax(axis=1))
    ours = judge.class_scores(counts)
    for name, theirs in (("precision", precision), ("recall", recall), ("F1", f1)):
        np.testing.assert_allclose(ours[name], theirs)


def test_of_what_is_not_there_nothing_is_said():
    found = judge.class_scores(np.array([[2, 0, 1], [1, 0, 0], [0, 0, 0]]))
    np.testing.assert_allclose(found["precision"], [2 / 3, np.nan, 0])  # the second is never predicted
    np.testing.assert_allclose(found["recall"], [2 / 3, 0, np.nan])  # the third has no node
    np.testing.assert_allclose(found["F1"], [2 / 3, 0, np.nan])


def test_reliability_bins_hold_every_node_and_the_overall_accuracy(sample):
    p, y = sample
    found = judge.reliability(p, y)
    assert found.nodes.sum() == 200
    assert found.nodes @ found.accuracy / 200 == pytest.approx((p.argmax(axis=1) == y).mean())
    assert found.nodes @ found.confidence / 200 == pytest.approx(p.max(axis=1).mean())


def test_full_confidence_falls_into_the_last_bin():
    assert judge.reliability(np.array([[1.0, 0.0]]), np.array([0])).confidence.tolist() == [1.0]


def test_the_most_uncertain_are_candidates_in_order(sample):
    p, _ = sample
    candidates = np.arange(200) % 2 == 0
    nodes = judge.most_uncertain(p, candidates, 10)
    confidence = p.max(axis=1)
    assert (nodes % 2 == 0).all()
    assert np.all(np.diff(confidence[nodes]) >= 0)
    assert confidence[nodes].max() <= np.delete(confidence[::2], nodes // 2).min()


def test_the_distance_from_the_diagonal_is_the_calibration_error_of_the_records(sample):
    p, y = sample
    y = np.where(np.arange(len(y)) % 2, p.argmax(axis=1), y)  # too sure here, too unsure there: bins matter
    found = judge.reliability(p, y)
    assert judge.reliability(p, y, bins=10).nodes.size < found.nodes.size
    distance = found.nodes @ np.abs(found.accuracy - found.confidence) / len(y)
    assert distance == pytest.approx(expected_calibration_error(p, y))

import numpy as np
import pytest

from unifilter.train.metrics import expected_calibration_error, scores


def test_scores_agree_with_a_hand_count():
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
    y = np.array([0, 1, 0, -1])
    found = scores(p, y, np.ones(4, bool))
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["macro_f1"] == pytest.approx(2 / 3)
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.8, 0.4]).mean())
    assert found["roc_auc"] == 1.0
    assert found["average_precision"] == 1.0


def test_only_labelled_nodes_of_the_mask_count():
    p = np.array([[0.9, 0.1], [0.9, 0.1]])
    assert scores(p, np.array([0, 1]), np.array([True, False]))["accuracy"] == 1.0
    assert scores(p, np.array([-1, 1]), np.array([True, False])) == {}


def test_more_than_two_classes_have_no_binary_scores():
    p = np.eye(3)
    assert "roc_auc" not in scores(p, np.arange(3), np.ones(3, bool))


def test_one_class_present_has_no_ranking():
    p = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert "roc_auc" not in scores(p, np.zeros(2, int), np.ones(2, bool))


@pytest.mark.parametrize("rare", [0, 1])
def test_average_precision_is_of_the_rarer_class(rare):
    """Ten of a thousand, told apart no better than by chance: near their share, not near 1."""
    y = np.full(1000, 1 - rare)
    y[:10] = rare
    sure = np.random.default_rng(0).permutation(np.linspace(0.01, 0.4, 1000))
    p = np.empty((1000, 2))
    p[:, rare], p[:, 1 - rare] = sure, 1 - sure
    assert scores(p, y, np.ones(1000, bool))["average_precision"] < 0.05


@pytest.mark.filterwarnings("error")
def test_rows_that_are_no_numbers_name_no_class():
    """The first class is what argmax makes of them, and it may be large."""
    p = np.array([[np.nan, np.nan], [0.1, 0.9], [np.nan, np.nan]])
    found = scores(p, np.array([0, 1, 0]), np.ones(3, bool))
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["macro_f1"] == pytest.approx(1 / 2)
    assert np.isnan(found["log_loss"])
    assert np.isnan(found["ece"])
    assert "roc_auc" not in found


def test_calibration_error_is_the_gap_between_confidence_and_accuracy():
    p = np.tile([0.9, 0.1], (10, 1))
    assert expected_calibration_error(p, np.array([0] * 6 + [1] * 4)) == pytest.approx(0.3)
    assert expected_calibration_error(np.array([[1.0, 0.0]] * 4), np.zeros(4, int)) == 0.0

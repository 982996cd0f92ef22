import numpy as np
import pytest
from scipy import stats

from unifilter.reproduce.ranks import cliques, critical_difference, friedman, mean_ranks


def test_friedmans_test_agrees_with_scipy_without_ties():
    scores = np.random.default_rng(0).random((6, 5))
    assert friedman(scores) == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue)


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_has_the_published_quantiles(k, q):
    assert critical_difference(k, 6) == pytest.approx(q * np.sqrt(k * (k + 1) / 36), rel=1e-3)


def test_equal_scores_share_their_rank():
    np.testing.assert_allclose(mean_ranks([[1.0, 1.0, 0.0]]), [1.5, 1.5, 3.0])


def test_groups_are_the_largest_within_the_distance():
    assert cliques([3.0, 1.0, 2.0], 1.0) == [[1, 2], [2, 0]]
    assert cliques([1.0, 2.0, 3.0], 5.0) == [[0, 1, 2]]
    assert cliques([1.0, 3.0], 1.0) == []

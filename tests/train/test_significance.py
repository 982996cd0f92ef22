"""Small samples, against scipy's own tests and against hand computations."""

import math

import numpy as np
import pytest
from scipy import stats

from unifilter.train.significance import holm, interval, paired


def test_holm_agrees_with_a_computation_by_hand():
    """p sorted: 0.005, 0.01, 0.03, 0.04; times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04; and never falling."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_1_and_leaves_a_single_test_alone():
    assert holm([0.9, 0.6, 0.8]) == [1.0, 1.0, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def test_the_interval_is_student_s():
    x = np.random.default_rng(0).normal(0.8, 0.02, 10)
    low, high = stats.t.interval(0.95, 9, loc=x.mean(), scale=stats.sem(x))
    assert interval(x) == pytest.approx((high - low) / 2, rel=1e-12)
    assert interval([0.8]) is None


def test_the_paired_test_is_scipy_s():
    rng = np.random.default_rng(1)
    a = rng.normal(0.8, 0.02, 10)
    b = a + rng.normal(0.01, 0.01, 10)
    assert paired(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-12)
    assert paired(a, b) == paired(b, a)


def test_with_overlap_it_is_nadeau_and_bengio_s():
    """Their t is that of the plain test, shrunk by sqrt(1 + r n_test / n_train); so is the interval."""
    rng = np.random.default_rng(2)
    a, ratio = rng.normal(0.8, 0.02, 10), 20 / 48
    b = a + rng.normal(0.02, 0.01, 10)
    shrunk = stats.ttest_rel(a, b).statistic / math.sqrt(1 + 10 * ratio)
    assert paired(a, b, ratio) == pytest.approx(2 * stats.t.sf(abs(shrunk), 9), rel=1e-12)
    assert interval(a - b, ratio) == pytest.approx(interval(a - b) * math.sqrt(1 + 10 * ratio), rel=1e-12)


def test_the_correction_is_exact_where_gaps_correlate_as_its_authors_assume():
    """A correlation of n_test / (n_test + n_train) between any two splits, and no difference in truth."""
    rng, ratio, times = np.random.default_rng(3), 1 / 3, 4000
    shared = ratio / (1 + ratio)
    gaps = rng.normal(0, math.sqrt(shared), (times, 1)) + rng.normal(0, math.sqrt(1 - shared), (times, 10))
    zero = np.zeros(10)
    assert np.mean([paired(gap, zero, ratio) < 0.05 for gap in gaps]) == pytest.approx(0.05, abs=0.012)
    assert np.mean([paired(gap, zero) < 0.05 for gap in gaps]) > 0.3


def test_without_spread_nothing_is_claimed():
    """Two splits with the same gap are no certainty."""
    a = np.array([0.5, 0.75, 1.0])
    assert paired(a, a) == 1.0
    assert paired(a[:1], a[1:2]) == 1.0
    assert paired(a, a + 0.25) == 1.0
    assert paired([0.1, 0.3], [0.0, 0.2]) == 1.0  # 0.3 - 0.2 is not 0.1 to the last digit
    assert math.isfinite(paired(a, a[::-1]))
    assert 0 < paired([0.7, 0.8], [0.6, 0.69]) < 0.1

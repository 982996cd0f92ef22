import numpy as np
import pytest

from reproduce.measured import SMALL, nothing
from unifilter.reproduce import errata_proofs


@pytest.fixture
def told(tmp_path):
    return lambda evidence: evidence(nothing(SMALL, tmp_path), SMALL)


@pytest.mark.parametrize("K", [1, 2, 5])
def test_weights_of_powers_are_bernsteins_filter(K):
    first = np.random.default_rng(K).normal(size=K + 1).tolist()
    lam = np.linspace(0, 2, 9)
    filtered = sum(
        w * errata_proofs.comb(K, k) * (2 - lam) ** (K - k) * lam**k / 2**K for k, w in enumerate(first)
    )
    p = 1 - lam / 2

    def sum_of_powers(weights):
        return sum(w * p**k for k, w in enumerate(weights))

    np.testing.assert_allclose(sum_of_powers(errata_proofs.powers(first)), filtered, atol=1e-12)
    assert np.abs(sum_of_powers(errata_proofs.powers(first, printed=True)) - filtered).max() > 0.1


def test_the_printed_index_is_told(told):
    said = told(errata_proofs.bernstein_weights)
    assert "gives (1, 2, 1), which is (I + P)²; with K - i it gives (0, 0, 1)." in said


def test_angles_stay_where_a_hypothesis_fails(told):
    said = told(errata_proofs.angles_that_stay)
    assert "meet at 90 degrees on a path" in said
    assert "meet at 180 degrees" in said
    A, x = np.ones((4, 4)) - np.eye(4), np.array([1.0, -1.0, 0.0, 0.5])  # with a share they vanish
    assert errata_proofs.angle(A, x) < 1e-3

import pytest
import torch

from unifilter import _checks


def test_a_share_lies_in_the_unit_interval():
    assert _checks.check_share(1, "h") == 1.0
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"h must lie in \[0, 1\]"):
            _checks.check_share(bad, "h")


def test_a_count_is_a_whole_number():
    assert _checks.check_count(torch.tensor(3), "K") == 3
    with pytest.raises(TypeError, match="K must be a whole number, but is '3'"):
        _checks.check_count("3", "K")


def test_the_first_value_that_is_not_finite_is_named():
    X = torch.zeros(3, 2)
    X[1, 1] = float("inf")
    X[2, 0] = float("nan")
    with pytest.raises(ValueError, match=r"2 of its entries are not \(first: X\[1, 1\] = inf\)"):
        _checks.check_finite(X, "X")

"""Exhibits are plain data; a difference is there only where both figures are."""

import pytest

from unifilter.viz.exhibit import Cell, Value


def test_a_difference_needs_both_figures():
    assert Cell(Value(89.0), printed=90.0).difference == pytest.approx(-1.0)
    assert Cell(Value(89.0)).difference is None
    assert Cell(printed=90.0).difference is None

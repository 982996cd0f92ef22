"""Exhibits are plain data; a difference is there only where both figures are."""

import math

import pytest

from unifilter.viz.exhibit import Cell, Plot, Series, Table, Value


def test_a_difference_needs_both_figures():
    assert Cell(Value(89.0), printed=90.0).difference == pytest.approx(-1.0)
    assert Cell(Value(89.0)).difference is None
    assert Cell(printed=90.0).difference is None


@pytest.mark.parametrize(
    ("cell", "verdict"),
    [
        (Cell(Value(89.0, 0.5, 10), 89.4), "agrees"),
        (Cell(Value(89.0, 0.5, 10), 89.6), "below"),
        (Cell(Value(89.0, 0.5, 10), 88.4), "above"),
        (Cell(Value(89.0, 0.5, 10), 89.6, printed_half=0.5), "agrees"),
        (Cell(Value(89.0, 0.5, 10)), "alone"),
        (Cell(printed=89.0), "alone"),
        (Cell(Value(math.nan), 89.0), "alone"),
        (Cell(Value(5278.0), 5429.0), "below"),
    ],
)
def test_a_cell_agrees_when_the_interval_of_the_difference_holds_zero(cell, verdict):
    assert cell.verdict(digits=2) == verdict


def test_a_printed_figure_stands_for_all_that_round_to_it():
    assert Cell(Value(0.2249), 0.22).verdict(digits=2) == "agrees"
    assert Cell(Value(0.2251), 0.22).verdict(digits=2) == "above"
    assert Cell(Value(0.2251), 0.22).verdict(digits=1) == "agrees"


def table(best, **means):
    return Table("t", "T", ["x"], {row: {"x": Cell(Value(m))} for row, m in means.items()}, best=best)


def test_the_best_of_a_column_may_be_several():
    assert table("highest", a=1.0, b=2.001, c=2.002).winners("x") == {"b", "c"}
    assert table("lowest", a=1.0, b=2.0).winners("x") == {"a"}
    assert table("none", a=1.0, b=2.0).winners("x") == set()
    assert table("highest", a=1.0).winners("x") == set()


def test_only_cells_that_were_run_are_counted():
    rows = {"a": {"x": Cell(Value(1.0), 1.0), "y": Cell(printed=1.0)}, "b": {"x": Cell(Value(2.0))}}
    found = Table("t", "T", ["x", "y"], rows).verdicts()
    assert found == {"agrees": 1, "above": 0, "below": 0, "alone": 1}


def test_categories_come_in_the_order_of_the_series():
    series = [Series("a", ["q", "p"], [1, 2]), Series("b", ["r", "p"], [1, 2])]
    assert Plot("p", "P", "x", "y", series).categories == ["q", "p", "r"]
    assert Plot("p", "P", "x", "y", [Series("a", [1.0], [1])]).categories == []

"""Recipes: a later table is encoded as the first one was."""

import datetime as dt
import json
import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unifilter.data.columns import learn
from unifilter.data.recipes import LARGEST, feature_names, features, kind_of


def where(column, row):
    return f"t.csv, column {column!r}, data row {row + 1}"


def later(first, second):
    """Features and notes of a later column, through JSON."""
    recipes, _ = learn(pa.table({"c": first}), where)
    X, notes = features(pa.table({"c": second}), json.loads(json.dumps(recipes)), where)
    return X.tolist(), notes


DAYS = [dt.date(1970, 1, 2), dt.date(1970, 1, 4), None]
NOTHING = pa.array([[], None], pa.list_(pa.int8()))
KINDS = {
    "numbers with gaps": ([1.0, None, 4.0, 7.0], [2.0, 5.0], [[2, 0], [5, 0]]),
    "numbers as another type": ([1.0, 4.0], pa.array([2, 5], pa.int8()), [[2], [5]]),
    "truth values as numbers": ([True, False], [0, 1], [[0], [1]]),
    "a later constant": ([1, 2], [9, 9], [[9], [9]]),
    "a constant with gaps": ([7, None], [8, None, 7], [[0], [1], [0]]),
    "dates in another unit": (DAYS, [dt.datetime(1970, 1, 3, 12)], [[2.5, 0]]),
    "times": ([dt.time(6), dt.time(12)], [dt.time(18)], [[0.75]]),
    "durations": ([dt.timedelta(1), dt.timedelta(2)], [dt.timedelta(3)], [[3]]),
    "categories in another order": (["b", "a", None], ["b", None, "a"], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "categories as a dictionary": (["b", "a"], pa.array(["b"]).dictionary_encode(), [[0, 1]]),
    "categories that are whole numbers": (["1", "x"], [1], [[1, 0]]),
    "empty text is missing": (["b", "a", None], [""], [[0, 0, 1]]),
    "lists": ([[1, 2], [3, 5], None], [[7.5, 8.5]], [[7.5, 8.5, 0]]),
    "lists of one size": ([[1, 2], [3, 5]], pa.array([[1, 3]], pa.list_(pa.int8(), 2)), [[1, 3]]),
    "lists of decimals": ([[Decimal("1.5")], [Decimal("2.5")]], [[Decimal("0.5")]], [[0.5]]),
    "lists without entries": (NOTHING, pa.array([None, []], NOTHING.type), [[1], [0]]),
}


@pytest.mark.parametrize("case", KINDS)
def test_a_later_column_is_encoded_as_the_first_was(case):
    first, second, wanted = KINDS[case]
    X, notes = later(first, second)
    assert wanted == X
    assert all("are empty: " in note for note in notes)


SURPRISES = {
    "a gap where there were some": (
        [1.0, None, 4.0, 9.0],
        [None, 2.0, float("nan")],
        [[4, 1], [2, 0], [4, 1]],
        "row 1 and 1 others are empty: filled with the training median 4, flagged",
    ),
    "a gap where there was none": (
        [1.0, 3.0, 4.0, 9.0],
        [2.0, None],
        [[2], [3.5]],
        "row 2 and 0 others are empty: filled with the training median 3.5, unflagged, as none was",
    ),
    "only gaps": (DAYS, pa.nulls(1), [[2, 1]], "row 1 and 0 others are empty: filled with the training"),
    "only gaps, as text": ([1, 2], pa.nulls(1, pa.string()), [[1.5]], "filled with the training median 1.5"),
    "a missing list": (
        [[1, 2], [3, 5], [9, 9]],
        [None, [1, 1]],
        [[3, 5], [1, 1]],
        "row 1 and 0 others are empty: filled with the training median, unflagged",
    ),
    "only missing lists": ([[1], [2], None], pa.nulls(1), [[1.5, 1]], "the training median, flagged"),
    "a gap in a constant": ([7, None], [None], [[1]], "row 1 and 0 others are empty: flagged"),
    "a new category": (
        ["a", "b", None],
        ["c", "b", "d"],
        [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
        "row 1 is 'c', a new category: all 0 (1 others likewise)",
    ),
    "no category": (
        ["a", "b"],
        ["b", None, ""],
        [[0, 1], [0, 0], [0, 0]],
        "row 2 and 1 others are empty, as none was for training: all 0",
    ),
    "nothing in a text column": (["a", "b"], pa.nulls(1), [[0, 0]], "row 1 and 0 others are empty"),
}


@pytest.mark.parametrize("case", SURPRISES)
def test_what_training_did_not_see_is_noted(case):
    first, second, wanted, said = SURPRISES[case]
    X, notes = later(first, second)
    assert wanted == X
    assert len(notes) == 1
    assert notes[0].startswith("t.csv, column 'c', data row ")
    assert said in notes[0]


REFUSED = {
    "infinite": ([1, 2], [1.0, float("inf")], "data row 2 is inf. Write a finite number"),
    "too large": ([1, 2], [-1e39], "data row 1 is -1e+39"),
    "infinite in a list": ([[1], [2]], [[1.0], [float("-inf")]], "data row 2, entry 0 is -inf"),
    "a longer list": ([[1], [2]], [None, [1, 2]], "data row 2 has 2 entries and those of the training table"),
    "a word among numbers": (
        [1, 2],
        ["3", None, " 4.5e1 ", "four"],
        "the column must hold numbers, AS, data row 4 says 'four'. Mend the field, or leave it empty",
    ),
    "numbers as text": (
        [1, 2],
        ["3"],
        "numbers, AS, data row 1 is of type string. Write the column as it was",
    ),
    "no date": (DAYS, ["2020-01-01", "2020-01-01 10:00:00", "May"], "dates, AS, data row 3 says 'May'"),
    "no time": ([dt.time(6), dt.time(7)], ["06:00:00", "noon"], "times, AS, data row 2 says 'noon'"),
    "numbers for dates": (DAYS, [1], "dates, AS, data row 1 is of type int64"),
    "numbers for lists": ([[1], [2]], [1], "lists of numbers, AS, data row 1 is of type int64"),
    "measurements for categories": (["a", "b"], [1.5], "text, AS, data row 1 is of type double"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_encoded_alike_is_refused_with_its_place(case):
    first, second, said = REFUSED[case]
    said = said.replace("AS", "as it did for training, but t.csv, column 'c'")
    with pytest.raises(ValueError, match=re.escape(said)):
        later(first, second)


def test_without_a_median_nothing_is_filled():
    recipe = {"column": "c", "kind": "number", "fill": None, "missing": False, "constant": False}
    np.testing.assert_array_equal(features(pa.table({"c": [1, 2]}), [recipe], where)[0], [[1], [2]])
    with pytest.raises(ValueError, match="data row 2 and 0 others are empty, and no median is known"):
        features(pa.table({"c": [1, None]}), [recipe], where)


def test_every_kind_has_a_name_and_the_rest_makes_no_feature():
    assert kind_of(pa.large_list(pa.bool_())) == "list"
    assert kind_of(pa.duration("s")) == "time"
    for type in (pa.binary(), pa.list_(pa.string()), pa.struct([]), pa.null()):
        assert kind_of(type) == ""


def test_columns_are_found_by_name_and_features_stay_in_the_order_of_training():
    recipes, _ = learn(pa.table({"a": [1, 2], "b": ["x", "y"], "c": [3, 4]}), where)
    X, _ = features(pa.table({"c": [5], "new": [0], "b": ["y"], "a": [6]}), recipes, where)
    assert feature_names(recipes) == ["a", "b=x", "b=y", "c"]
    assert X.tolist() == [[6, 0, 1, 5]]


def column(values, type):
    return st.lists(st.none() | values, min_size=4, max_size=4).map(lambda made: pa.array(made, type))


FLOATS = st.floats(-LARGEST, LARGEST) | st.just(float("nan"))
COLUMNS = st.one_of(
    column(FLOATS, pa.float64()),
    column(st.integers(-(2**63), 2**63 - 1), pa.int64()),
    column(st.booleans(), pa.bool_()),
    column(st.text(st.characters(codec="utf-8"), max_size=3), pa.string()),
    column(st.sampled_from("abc"), pa.string()).map(lambda made: made.dictionary_encode()),
    column(st.dates(), pa.date32()),
    column(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)), pa.timestamp("us")),
    column(st.times(), pa.time64("us")),
    column(st.lists(st.floats(-LARGEST, LARGEST), min_size=2, max_size=2), pa.list_(pa.float64())),
)


@settings(max_examples=200)
@given(st.lists(COLUMNS, min_size=1, max_size=4))
def test_a_table_encodes_alike_as_a_whole_and_row_by_row(columns):
    """A row is encoded by itself, whatever else its table holds: that of a newcomer too."""
    table = pa.table(dict(zip("abcd", columns, strict=False)))
    recipes, _ = learn(table, where)
    X, _ = features(table, recipes, where)
    recipes = json.loads(json.dumps(recipes))
    rows = [features(table.slice(i, 1), recipes, where)[0] for i in range(4)]
    assert np.isfinite(X).all()
    np.testing.assert_array_equal(np.concatenate(rows), X)

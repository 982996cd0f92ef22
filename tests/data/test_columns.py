"""Each kind of column and its treatment."""

import datetime as dt
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unifilter.data.columns import MOST_CATEGORIES, learn
from unifilter.data.recipes import feature_names, features


def where(column, row):
    return f"t.csv, column {column!r}, data row {row + 1}"


def encode(table, where, strict=False):
    recipes, treatments = learn(table, where, strict)
    return features(table, recipes, where)[0], feature_names(recipes), treatments


def encoded(column, strict=False):
    X, names, treatments = encode(pa.table({"c": column}), where, strict)
    return X.T.tolist(), names, treatments["c"]


DAY = dt.datetime(1970, 1, 3, 12)
CASES = {
    "whole numbers": (pa.array([3, 1, 2], pa.int8()), [[3, 1, 2]], "number"),
    "decimals": (pa.array([3, 1, 2], pa.decimal128(5, 2)), [[3, 1, 2]], "number"),
    "halves": (pa.array(np.array([3, 1, 2], np.float16)), [[3, 1, 2]], "number"),
    "truth values": (pa.array([True, False, True]), [[1, 0, 1]], "number"),
    "missing truth value": (
        pa.array([True, False, True, None]),
        [[1, 0, 1, 1], [0, 0, 0, 1]],
        "number, 1 missing filled with the median 1 and flagged",
    ),
    "null and NaN": (
        pa.array([1.0, None, 4.0, float("nan"), 3.0], from_pandas=False),
        [[1, 3, 4, 3, 3], [0, 1, 0, 1, 0]],
        "number, 2 missing filled with the median 3 and flagged",
    ),
    "constant with gaps": (pa.array([7, None, 7]), [[0, 1, 0]], "constant, dropped, but 1 missing flagged"),
    "constant": (pa.array([7, 7, 7]), [], "constant, dropped"),
    "nearly constant": (pa.array([1e12, 1e12 + 1]), [], "the same to 7 digits, dropped"),
    "constant text": (pa.array(["a", "a"]), [], "constant, dropped"),
    "empty numbers": (pa.array([None, float("nan")], pa.float64()), [], "empty, dropped"),
    "empty text": (pa.array(["", None]), [], "empty, dropped"),
    "nothing": (pa.nulls(3), [], "empty, dropped"),
    "binary": (pa.array([b"x", b"y"]), [], "binary, dropped"),
    "date": (pa.array([DAY.date(), dt.date(1969, 12, 31)]), [[2, -1]], "date -> days since 1970-01-01"),
    "date in milliseconds": (
        pa.array([DAY.date(), dt.date(1969, 12, 31)], pa.date64()),
        [[2, -1]],
        "date -> days since 1970-01-01",
    ),
    "timestamp": (pa.array([DAY, dt.datetime(1970, 1, 1)]), [[2.5, 0]], "date -> days since 1970-01-01"),
    "time of day": (pa.array([dt.time(6), dt.time(18)]), [[0.25, 0.75]], "time -> days"),
    "seconds of the day": (
        pa.array([dt.time(6), dt.time(18)], pa.time32("s")),
        [[0.25, 0.75]],
        "time -> days",
    ),
    "duration": (pa.array([dt.timedelta(days=2), dt.timedelta(hours=6)]), [[2, 0.25]], "time -> days"),
    "text": (
        pa.array(["b", "a", "b", None]),
        [[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]],
        "one-hot (3 categories)",
    ),
    "categories": (pa.array(["b", "a"]).dictionary_encode(), [[0, 1], [1, 0]], "one-hot (2 categories)"),
    "numbered categories": (
        pa.array([9, 3]).dictionary_encode(),
        [[1, 0], [0, 1]][::-1],
        "one-hot (2 categories)",
    ),
    "lists": (pa.array([[1, 2], [3, 4], [5, 6]]), [[1, 3, 5], [2, 4, 6]], "list of 2 numbers"),
    "lists of one size": (
        pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float32(), 2)),
        [[1, 3], [2, 4]],
        "list of 2",
    ),
    "missing list": (
        pa.array([[1.0, 2.0], None, [3.0, 6.0]], pa.list_(pa.float32(), 2)),
        [[1, 2, 3], [2, 4, 6], [0, 1, 0]],
        "list of 2 numbers, 1 missing filled with the median and flagged",
    ),
    "lists of text": (pa.array([["a"], ["b"]]), [], "list<item: string>, dropped"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_column_has_its_treatment(case):
    column, wanted, said = CASES[case]
    values, names, treatment = encoded(column)
    assert values == wanted
    assert len(names) == len(wanted)
    assert treatment.startswith(said)


LOSSES = {
    "null and NaN": "data row 2 and 1 others are empty",
    "constant": "data row 1 is 7, as are all others",
    "nearly constant": "data row 1 is 1e+12, as are all others",
    "constant text": "data row 1 is a, as are all others",
    "constant with gaps": "data row 2 and 0 others are empty",
    "empty numbers": "data row 1 and all others are empty",
    "empty text": "data row 1 and all others are empty",
    "nothing": "data row 1 and all others are empty",
    "binary": "data row 1 is of type binary, which makes no feature",
    "missing list": "data row 2 and 0 others are empty",
}


@pytest.mark.parametrize("case", LOSSES)
def test_strict_mode_refuses_to_drop_and_to_fill(case):
    with pytest.raises(
        ValueError, match=re.escape(f"t.csv, column 'c', {LOSSES[case]}. Without strict=True: ")
    ):
        encoded(CASES[case][0], strict=True)


@pytest.mark.parametrize("case", ["whole numbers", "truth values", "text", "timestamp", "lists"])
def test_strict_mode_accepts_what_loses_nothing(case):
    assert encoded(CASES[case][0], strict=True) == encoded(CASES[case][0])


def test_text_with_many_values_is_dropped_and_with_fewer_it_is_not():
    few = [f"v{i}" for i in range(MOST_CATEGORIES)]
    assert encoded(pa.array(few))[2] == "one-hot (50 categories)"
    assert encoded(pa.array([*few, "one more"]))[1:] == ([], "text with 51 different values, dropped")
    assert encoded(pa.array([*few, None]))[2] == "text with 51 different values, dropped"
    with pytest.raises(ValueError, match="data row 1 is text, one of 51 different values"):
        encoded(pa.array([*few, None]), strict=True)


def test_numbers_that_one_odd_field_made_text_are_pointed_out():
    column = pa.array([*(f"{i}.5" for i in range(99)), "?"])
    assert encoded(column)[2] == (
        "text with 100 different values, dropped; all but 1 are numbers (first: t.csv, column 'c', data "
        "row 100 says '?')"
    )


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([1.0, float("inf")]), "data row 2 is inf"),
        (pa.array([1.0, None, float("-inf")]), "data row 3 is -inf"),
        (pa.array([1.0, 1e39]), "data row 2 is 1e+39"),
        (pa.array([[1.0, 2.0], [3.0, float("inf")]]), "data row 2, entry 1 is inf"),
        (pa.array([None, [1.0, 2.0], [float("nan"), 3.0]]), "data row 3, entry 0 is nan"),
    ],
)
def test_what_is_not_finite_is_always_refused(column, said):
    with pytest.raises(ValueError, match=re.escape(f"column 'c', {said}. Write a finite number")):
        encoded(column)


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(
        ValueError, match=re.escape("column 'c', data row 3 has 1 entries and the first has 2")
    ):
        encoded(pa.array([[1, 2], None, [3]]))


def test_features_are_named_after_their_columns():
    table = pa.table({"age": [1, None, 3], "town": ["x", None, "y"], "v": [[1, 2]] * 3, "one": [1, 1, 1]})
    assert encode(table, where)[1] == [
        *("age", "age (missing)", "town=x", "town=y", "town (missing)"),
        *("v[0]", "v[1]"),
    ]


@given(st.lists(st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_kept_and_gaps_get_the_median(values):
    X, names, _ = encode(pa.table({"c": pa.array(values, pa.float64())}), where)
    present = [v for v in values if v is not None]
    for j, name in enumerate(names):
        if name == "c":
            middle = np.median(np.array(present, float))
            wanted = [middle if v is None else v for v in values]
        else:
            wanted = [v is None for v in values]
        np.testing.assert_array_equal(X[:, j], np.array(wanted, np.float32))
    assert ("c" in names) == (len(set(present)) > 1)
    assert ("c (missing)" in names) == (None in values and present != [])


def test_chunks_do_not_matter():
    whole = pa.table({"l": [[1, 2], None, [3, 4], [5, 9]], "t": ["a", "b", None, "a"], "x": [1, None, 2, 8]})
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 1), whole.slice(2)])
    np.testing.assert_array_equal(encode(whole, where)[0], encode(pieces, where)[0])


@pytest.mark.parametrize("case", CASES)
def test_a_column_through_its_own_recipe_from_json_gives_exactly_X(case):
    table = pa.table({"c": CASES[case][0]})
    X, names, _ = encode(table, where)
    recipes = json.loads(json.dumps(learn(table, where)[0]))
    assert len(recipes) == (len(names) > 0)
    assert feature_names(recipes) == names
    np.testing.assert_array_equal(features(table, recipes, where)[0], X)


def test_medians_of_many_lists_come_from_evenly_spread_ones(monkeypatch):
    column = pa.array([[i, -i] if i % 5 else None for i in range(1_000)])
    (exact,), _ = learn(pa.table({"c": column}), where)
    assert exact["fill"] == [500, -500]
    monkeypatch.setattr("unifilter.data.columns.MOST_LISTS", 100)
    (spread,), _ = learn(pa.table({"c": column}), where)
    assert spread["fill"] == pytest.approx(exact["fill"], abs=10)
    pieces = pa.chunked_array([column[:7], column[7:7], column[7:502], column[502:]])
    assert learn(pa.table({"c": pieces}), where)[0] == [spread]


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda i: f"{i},{i % 10}5", "numbers with a decimal comma: write a point"),
        (lambda i: f"{i + 1},234.50", "numbers with marks between thousands: leave these out"),
        (lambda i: f"{i}.5 %", "percentages: leave out the sign"),
        (lambda i: f"{i % 28 + 1}/12/{1950 + i}", "dates: write them as 2024-05-31"),
    ],
)
def test_numbers_and_dates_in_the_ways_of_a_country_are_recognised(write, said):
    column = pa.array([write(i) for i in range(60)] + [None, ""])
    treatment = learn(pa.table({"x": column}), where=lambda column, row: f"row {row}")[1]["x"]
    assert treatment == f"text with 61 different values, dropped; they look like {said}"

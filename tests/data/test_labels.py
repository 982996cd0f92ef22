"""Columns of labels: what counts as a class, and in which order."""

import numpy as np
import pyarrow as pa
import pytest

from unifilter.data.labels import encode_labels, minus_ones, part_masks

CASES = {
    "text": (pa.array(["b", "a", None, "", "b"]), False, [1, 0, -1, -1, 1], ("a", "b")),
    "digits as text": (pa.array(["10", "9"]), False, [0, 1], ("10", "9")),
    "digits in CSV": (pa.array(["10", "9"]), True, [1, 0], ("9", "10")),
    "names of digits in CSV": (pa.array(["01", "1"]), True, [0, 1], ("01", "1")),
    "floats in CSV": (pa.array(["2.0", None, "10.0"]), True, [0, -1, 1], ("2", "10")),
    "whole numbers": (pa.array([7, -1, None, 3], pa.int16()), False, [1, -1, -1, 0], ("3", "7")),
    "floats of pandas": (pa.array([1.0, float("nan"), 0.0]), False, [1, -1, 0], ("0", "1")),
    "truth values": (pa.array([True, False, None]), False, [1, 0, -1], ("false", "true")),
    "categories": (pa.array(["b", "a", None]).dictionary_encode(), False, [1, 0, -1], ("a", "b")),
    "numbered categories": (pa.array([20, 3]).dictionary_encode(), False, [1, 0], ("3", "20")),
}


@pytest.mark.parametrize("case", CASES)
def test_classes_are_sorted_and_the_rest_is_unlabelled(case):
    column, guess, y, classes = CASES[case]
    for given in (column, pa.chunked_array([column.slice(0, 1), column.slice(1)])):
        got = encode_labels(given, "nodes.csv, column 'label'", guess)
        assert (got[0].tolist(), got[1]) == (y, classes)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array(["a", "a"]), r"nodes.csv, column 'c' must tell two .* holds one class only \('a'\)\. Name"),
        (pa.array([1, -1]), r"holds one class only \(1\)\. -1 is read as unlabelled"),
        (pa.array([None, ""]), "labels no node at all"),
        (pa.nulls(2, pa.float64()), "labels no node at all"),
        (pa.nulls(2), "labels no node at all"),
        (pa.array([1.0, 2.5]), "must hold classes, but data row 2 is 2.5, a measurement"),
        (pa.array([1.0, float("inf")]), "must hold classes, but data row 2 is inf"),
        (pa.array([[1], [2]]), "text, whole numbers or truth values, but has type list"),
    ],
)
def test_what_is_no_set_of_classes_is_refused(column, said):
    with pytest.raises(ValueError, match=said):
        encode_labels(column, "nodes.csv, column 'c'", guess=False)


def test_measurements_in_csv_are_told_from_classes_below_zero_too():
    with pytest.raises(ValueError, match="data row 2 is -0.25, a measurement"):
        encode_labels(pa.array(["1", "-0.25"]), "nodes.csv, column 'c'", guess=True)


@pytest.mark.parametrize(
    ("column", "guess", "count"),
    [
        (pa.array(["1", "-1", "-1.0", None]), True, 2),
        (pa.array(["-1", "a"]), True, 0),
        (pa.array(["-1", "1"]), False, 0),
        (pa.array([-1.0, float("nan"), None]), False, 1),
        (pa.array([0, 1]), False, 0),
        (pa.nulls(2), False, 0),
    ],
)
def test_labels_of_minus_one_are_counted(column, guess, count):
    assert minus_ones(column, guess) == count


@pytest.mark.parametrize(
    "column", [["train", "Val ", None, "test", ""], ["train", "validation", "", "TEST", None]]
)
def test_parts_are_read_however_they_are_written(column):
    masks = part_masks(pa.array(column), "n.csv, column 'part'")
    assert [np.flatnonzero(masks[part]).tolist() for part in ("train", "val", "test")] == [[0], [1], [3]]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["train", "dev"], "must say train, val .or validation., test or nothing, but data row 2 says 'dev'"),
        ([0, 1], "data row 1 says 0"),
        (["test", "val"], "must say train of some nodes"),
    ],
)
def test_what_is_no_part_is_refused(column, said):
    with pytest.raises(ValueError, match=f"n.csv, column 'part' .*{said}"):
        part_masks(pa.array(column), "n.csv, column 'part'")

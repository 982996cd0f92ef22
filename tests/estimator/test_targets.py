"""Labels of any kind, and who validates."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from unifilter.estimator.targets import as_labels, encode_labels, labelled, validation_split


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        (np.array([3, 1, 3, -1]), [1, 0, 1, -1], [1, 3]),
        (np.array([3.0, 1.0, np.nan, 3.0]), [1, 0, -1, 1], [1, 3]),
        (np.array([3.0, 1.0, -1.0, np.nan]), [1, 0, -1, -1], [1, 3]),
        (np.array(["b", "a", "b"]), [1, 0, 1], ["a", "b"]),
        (np.array(["b", None, "a", float("nan")], dtype=object), [1, -1, 0, -1], ["a", "b"]),
        (np.array([True, False, True]), [1, 0, 1], [False, True]),
    ],
    ids=["-1", "NaN", "both", "strings", "None", "booleans"],
)
def test_unknown_labels_are_minus_one_and_classes_are_sorted(y, codes, classes):
    known, found, names = encode_labels(y)
    assert_array_equal(found, codes)
    assert_array_equal(known, np.array(codes) >= 0)
    assert names.tolist() == classes


def test_minus_one_is_a_class_where_there_would_be_fewer_than_two_without_it():
    """scikit-learn's binary problems have the classes -1 and 1."""
    _, codes, classes = encode_labels(np.array([-1, 1, 1, -1]))
    assert_array_equal(codes, [0, 1, 1, 0])
    assert classes.tolist() == [-1, 1]


def test_mixed_labels_have_minus_one_for_the_unknown():
    """What a pandas column of strings and -1 becomes."""
    _, codes, classes = encode_labels(np.array(["cat", -1, "dog"], dtype=object))
    assert_array_equal(codes, [0, -1, 1])
    assert classes.tolist() == ["cat", "dog"]


def test_whole_numbers_in_an_array_of_objects_are_numbers():
    _, codes, classes = encode_labels(np.array([2, None, 1, -1], dtype=object))
    assert_array_equal(codes, [1, -1, 0, -1])
    assert classes.tolist() == [1, 2]


def test_minus_one_among_strings_is_unknown_too():
    """What numpy makes of np.where(hidden, -1, names)."""
    _, codes, classes = encode_labels(np.array(["cat", "-1", "dog"]))
    assert_array_equal(codes, [0, -1, 1])
    assert classes.tolist() == ["cat", "dog"]


def test_missing_values_of_pandas_are_unknown():
    pandas = pytest.importorskip("pandas")
    for y in (
        pandas.Series([2, None, 1], dtype="Int64"),
        pandas.Series(["b", None, "a"], dtype="string"),
        pandas.Series(["b", None, "a"], dtype="category"),
    ):
        assert_array_equal(encode_labels(y)[1], [1, -1, 0])


@pytest.mark.parametrize("unknown", [float("nan"), np.float64("nan"), None])
def test_what_is_missing_in_a_list_of_text_is_no_class(unknown):
    """NumPy makes a class "nan" of it."""
    y = ["b", unknown, "a", "b"]
    known, codes, classes = encode_labels(y)
    assert_array_equal(codes, [1, -1, 0, 1])
    assert_array_equal(known, labelled(y, classes))
    assert classes.tolist() == ["a", "b"]
    assert encode_labels(["b", unknown, "a", -1])[1].tolist() == [1, -1, 0, -1]


def test_nan_as_a_word_is_a_class():
    for y in (["nan", "b"], np.array(["nan", "b"])):
        assert_array_equal(encode_labels(y)[1], [1, 0])
        assert as_labels(y).dtype.kind == "U"


def test_text_and_numbers_have_no_order():
    with pytest.raises(ValueError, match="text and numbers mixed"):
        encode_labels(np.array(["cat", 3, 4], dtype=object))


def test_a_continuous_target_is_no_class():
    with pytest.raises(ValueError, match="continuous"):
        encode_labels(np.array([0.5, 1.25, 3.1]))


def test_infinity_is_no_class():
    with pytest.raises(ValueError, match="infinity"):
        encode_labels(np.array([0.0, 1.0, np.inf]))


def test_validation_takes_its_share_of_every_class_and_leaves_one_to_train():
    codes = np.repeat([0, 1, 2, -1], [50, 10, 1, 20])
    split = validation_split(codes, 0.2, seed=0)
    assert [int(split.val[codes == c].sum()) for c in range(3)] == [10, 2, 0]
    assert_array_equal(split.train | split.val, codes >= 0)
    assert not (split.train & split.val).any()
    assert not split.test.any()


def test_the_seed_decides_who_validates():
    codes = np.repeat([0, 1], 50)
    a, b, c = (validation_split(codes, 0.2, seed) for seed in (0, 0, 1))
    assert_array_equal(a.val, b.val)
    assert (a.val != c.val).any()


def test_no_validation_is_a_choice_and_all_of_it_is_not():
    codes = np.repeat([0, 1], 5)
    assert not validation_split(codes, 0.0, 0).val.any()
    for share in (1.0, -0.1, 1.5):
        with pytest.raises(ValueError, match="share in"):
            validation_split(codes, share, 0)

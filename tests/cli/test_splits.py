"""Splits by name."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from unifilter.cli.splits import check_split, parse_split, split_column
from unifilter.data import Dataset, splits
from unifilter.data.embedded import build


@pytest.fixture(scope="module")
def data():
    return build("sbm:n=200,h=0.5")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("auto", lambda y: splits.stratified(y)),
        ("quota", lambda y: splits.quota(y, seed=splits.SEEDS[0])),
        ("quota:5", lambda y: splits.quota(y, seed=5)),
        ("stratified", lambda y: splits.stratified(y, 0.6, 0.2, seed=0)),
        ("stratified:0.5/0.25", lambda y: splits.stratified(y, 0.5, 0.25, seed=0)),
        ("stratified:0.5/0.25:9", lambda y: splits.stratified(y, 0.5, 0.25, seed=9)),
        ("random", lambda y: splits.random(y, 0.6, 0.2, seed=0)),
        ("random:0.5/0.25", lambda y: splits.random(y, 0.5, 0.25, seed=0)),
        ("random:0.5/0.25:9", lambda y: splits.random(y, 0.5, 0.25, seed=9)),
        ("per-class:7", lambda y: splits.per_class(y, 7, 55, 110, seed=0)),
        ("per-class:7:4", lambda y: splits.per_class(y, 7, 55, 110, seed=4)),
    ],
)
def test_a_text_names_the_split_of_the_library(data, text, wanted):
    found, same = parse_split(text, data), wanted(data.y)
    for part in ("train", "val", "test"):
        assert_array_equal(getattr(found, part), getattr(same, part))


def test_on_a_large_graph_per_class_is_as_published():
    found = parse_split("per-class:20", build("sbm:n=2000,classes=4"))
    assert [int(part.sum()) for part in (found.train, found.val, found.test)] == [80, 500, 1000]


def test_splits_that_came_with_the_data_are_taken_by_number(data):
    train = np.zeros((2, 200), bool)
    train[0, :50] = train[1, 50:100] = True
    val, test = np.roll(train, 50, axis=1), np.roll(train, 100, axis=1)
    masks = {"fixed_train": train, "fixed_val": val, "fixed_test": test}
    own = Dataset(data.graph, data.X, data.y, masks=masks)
    assert_array_equal(parse_split("fixed", own).train, train[0])
    assert_array_equal(parse_split("fixed:1", own).train, train[1])


def test_a_column_of_the_table_is_named_in_the_split(data):
    masks = {
        f"column_{part}": (np.arange(200) % 3 == i)[None] for i, part in enumerate(("train", "val", "test"))
    }
    found = parse_split("column:my:part", Dataset(data.graph, data.X, data.y, masks=masks))
    assert found.name == "column:my:part"
    assert_array_equal(found.test, masks["column_test"][0])
    assert (split_column("column:my:part"), split_column("columns")) == ("my:part", None)


def test_a_class_that_a_part_has_no_node_of_is_named(data):
    split = splits.stratified(data.y)
    assert check_split(split, data) == []
    without = split._replace(test=split.test & (data.y != 1))
    assert check_split(without, data) == ["class '1' has no test node: test scores say nothing of it."]
    without = split._replace(test=split.test & (data.y > 1))
    assert check_split(without, data)[0].startswith("classes '0', '1' have no test node: test scores say")
    untrained = split._replace(train=split.train & (data.y != 1))
    assert check_split(untrained, data) == [
        "class '1' has no training node: no node will be predicted as it."
    ]
    hidden = Dataset(data.graph, data.X, np.where(data.y == 1, -1, data.y), classes=data.classes)
    assert check_split(splits.stratified(hidden.y), hidden) == []  # nobody has that label
    assert check_split(splits.stratified(data.y, 0.8, 0.2), data) == []  # asked for, and said with the scores


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("thirds", "names no split"),
        ("auto:3", "names no split"),
        ("column:", "is incomplete"),
        ("column:part", "has no column split"),
        ("per-class", "is incomplete"),
        ("per-class:many", "no number where one belongs"),
        ("stratified:", "no number where one belongs"),
        ("stratified:0.5/0.2/0.3", "shares of training and validation"),
        ("stratified:0.9/0.9", "not above 1 together"),
        ("random:0.9/0.9", "as in random:0.6/0.2, not above 1 together"),
        ("random:0.6/0.2:x", "no number where one belongs"),
        ("per-class:999", "cannot give 999 to training"),
        ("quota:x", "no number where one belongs"),
        ("fixed:0", "has no fixed split"),
        ("public", "public"),
    ],
)
def test_what_names_no_split_is_told_which_there_are(data, text, said):
    with pytest.raises(ValueError, match=said):
        parse_split(text, data)

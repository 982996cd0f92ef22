"""What simpler means reach, beside the model."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from unifilter import Training, run, splits
from unifilter.data import load, with_signals
from unifilter.train import floor as module
from unifilter.train.floor import FLOOR, LARGEST, floor, verdict


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=400,h=0.9,d=8,classes=3")


@pytest.fixture(scope="module")
def split(data):
    return splits.stratified(data.y)


@pytest.fixture(scope="module")
def result(data, split):
    return run(data, split, "sgc", training=Training(epochs=40))


def test_every_row_is_of_the_same_test_nodes(data, split, result):
    rows = {row["model"]: row for row in floor(data, split, result)}
    assert list(rows) == ["sgc", *FLOOR.values(), LARGEST]
    assert rows["sgc"]["accuracy"] == result.record.scores["test"]["accuracy"]
    most = np.bincount(data.y[split.train]).argmax()
    assert rows[LARGEST]["accuracy"] == pytest.approx((data.y[split.test] == most).mean())
    linear = LogisticRegression(C=1.0, max_iter=1000).fit(data.X[split.train], data.y[split.train])
    found = rows[FLOOR["logistic"]]["accuracy"]
    assert found == pytest.approx(linear.score(data.X[split.test], data.y[split.test]), abs=0.05)


def test_without_test_nodes_validation_nodes_are_judged_and_without_both_nobody(data, split):
    none = np.zeros(data.n, bool)
    for parts, count in ((split._replace(test=none), 4), (split._replace(test=none, val=none), 0)):
        result = run(data, parts, "sgc", training=Training(epochs=5))
        rows = floor(data, parts, result)
        assert len(rows) == count
    assert len(floor(data, split, run(data, split, "logistic"))) == 3  # it is not compared with itself


def test_a_linear_model_that_would_take_long_is_left_out(data, split, result, monkeypatch):
    monkeypatch.setattr(module, "COSTLY", 10)
    assert FLOOR["logistic"] not in [row["model"] for row in floor(data, split, result)]
    monkeypatch.setattr(module, "COSTLY", 1e9)
    for bare in (replace(data, X=np.empty((data.n, 0), np.float32)), with_signals(data, 8)):
        assert FLOOR["logistic"] not in [row["model"] for row in floor(bare, split, result)]


def test_only_what_is_as_good_is_worth_a_sentence():
    rows = [{"model": "ours", "accuracy": 0.7}, {"model": "a", "accuracy": 0.6}]
    assert verdict(rows) == ""
    assert verdict([*rows, {"model": "b", "accuracy": 0.7}]) == "b does as well (70.0%) and is simpler."
    assert verdict([*rows, {"model": "b", "accuracy": 0.8}]).startswith("b does better (80.0% against 70.0%)")

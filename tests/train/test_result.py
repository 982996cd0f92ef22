"""Test nodes are read once, at the end, and the record says all."""

import numpy as np
import pytest
import torch

from unifilter.data import Dataset, load, splits
from unifilter.train import Training, loop, run
from unifilter.train.result import beside, conclude, describe
from unifilter.train.run import begin, prepare

SMALL = {"K": 4, "hidden": 16}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=400,h=0.85,d=8,signal=2")


def test_test_labels_change_nothing_but_the_test_score(data):
    """Training, selection and calibration never see them."""
    split = splits.stratified(data.y)
    wrong = np.where(split.test, (data.y + 1) % 5, data.y)
    other = Dataset(data.graph, data.X, wrong, name="wrong", classes=data.classes)
    training = Training(epochs=30)
    first, second = (run(d, split, "unifilter", SMALL, training, device="cpu") for d in (data, other))
    np.testing.assert_array_equal(first.p, second.p)
    assert first.record.scores["test"]["accuracy"] > second.record.scores["test"]["accuracy"]
    assert first.record.scores["val"] == second.record.scores["val"]


def test_the_record_says_all(data):
    record = run(
        data, splits.stratified(data.y, seed=3), "unifilter", SMALL, Training(epochs=10), device="cpu"
    ).record
    assert record.config["K"] == 4
    assert record.split["seed"] == 3
    assert record.dataset["checksum"]
    assert record.epochs == 10
    assert record.peak_memory > 2**20
    assert set(record.seconds) == {"prepare", "train", "predict"}
    weights = {f"w_{k}" for k in range(5)}
    assert set(record.learned) == {"tau", "h", "temperature", "h_estimate"} | weights


def test_a_loss_that_is_no_number_is_noted(data):
    """Weights that blow up would otherwise pass for a model that has not learned."""
    one = begin(data, splits.stratified(data.y), "gcn", {}, Training(epochs=3), device="cpu")
    outcome = loop.fit(one.net, one.train, one.val, one.training)
    inputs = prepare(data, "gcn", one.net.config, torch.device("cpu"))
    given = data, splits.stratified(data.y), one.net, inputs, one.training
    assert conclude(*given, outcome, {}, [], {}).record.notes == []
    outcome.history[1]["train_loss"] = float("nan")
    notes = conclude(*given, outcome, {}, ["before"], {}).record.notes
    assert notes == ["before", "the training loss was not finite in 1 of 3 epochs"]


def test_a_class_that_is_never_named_is_noted():
    """Of one rare class and a large one, a model that names the large one alone is nearly always right."""
    y = np.where(np.arange(400) < 8, 0, 1)
    noise = np.random.default_rng(0).normal(size=(400, 3)).astype(np.float32)
    rare = Dataset(load("sbm:n=400,h=0.5").graph, noise, y, classes=("fraud", "fine"))
    split = splits.stratified(rare.y)
    found = run(rare, split, "logistic", device="cpu")
    assert found.p.argmax(axis=1).all()
    (note,) = found.record.notes
    assert note.startswith("no node is predicted as 'fraud', though 5 training nodes are")


def test_the_seconds_that_were_given_stay_as_they_were(data):
    """Several records may be given the same: each has its own time of prediction."""
    split = splits.stratified(data.y)
    one = begin(data, split, "sgc", {}, Training(epochs=2), device="cpu")
    outcome = loop.fit(one.net, one.train, one.val, one.training)
    inputs, spent = prepare(data, "sgc", one.net.config, torch.device("cpu")), {"train": 1.0}
    records = [
        conclude(data, split, one.net, inputs, one.training, outcome, spent, [], {}).record for _ in range(2)
    ]
    assert spent == {"train": 1.0}
    assert all(set(r.seconds) == {"train", "predict"} for r in records)
    assert records[0].seconds is not records[1].seconds


def test_what_trained_beside_others_says_so():
    assert "beside 9 others" in beside(10)


def test_a_graph_that_was_loaded_keeps_its_checksum_and_others_have_that_of_their_arrays(data):
    plain = Dataset(data.graph, data.X, data.y, name="mine")
    assert describe(data)["checksum"] == describe(data.preprocess("standard"))["checksum"]
    assert describe(plain)["checksum"] != describe(plain.preprocess("standard"))["checksum"]

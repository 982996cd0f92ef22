"""Side by side, every model is trained as it would be alone; bundles have a file of their own."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.data import Dataset, load, splits
from unifilter.models import model_class, names
from unifilter.train import Training, fit
from unifilter.train.beside import Job, lanes_of
from unifilter.train.crowd import Crowd
from unifilter.train.prepared import Prepared
from unifilter.train.run import begin, run

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")),
]
TRAINED = [n for n in names() if not hasattr(model_class(n), "solve")]
SMALL = Training(epochs=12, patience=5, lr=0.05)


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=150,h=0.8,d=8,seed=3")


def lane(data, model, training, seed=0, device="cpu", **options):
    job = Job(splits.stratified(data.y, seed=seed), options, training)
    return lanes_of(Prepared(data, torch.device(device)), model, [job])[1][0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("model", TRAINED)
def test_a_crowd_trains_as_the_loop_does(model, device, data):
    alone = []
    for seed in (0, 1):
        training = replace(SMALL, seed=seed)
        split = splits.stratified(data.y, seed=seed)
        alone.append(run(data, split, model, {}, training, device=device).history)
    crowd = Crowd([lane(data, model, replace(SMALL, seed=s), s, device) for s in (0, 1)])
    crowd.advance(SMALL.epochs)
    for member, history in zip(crowd.lanes, alone, strict=True):
        (outcome,) = member.outcomes(0.0)
        assert len(outcome.history) == len(history)
        for ours, theirs in zip(outcome.history, history, strict=True):
            # A GPU adds up in another order, and so do some processors for Specformer's large products; small
            # differences grow over the epochs.
            near = {"rtol": 1e-2 if model == "specformer" else 1e-4, "atol": 1e-5}
            loose = near if device == "cpu" else {"rtol": 0.05, "atol": 0.02}
            assert_close(ours["train_loss"], theirs["train_loss"], **loose)
            if device == "cpu":
                assert ours["val_accuracy"] == pytest.approx(
                    theirs["val_accuracy"], abs=0.05 if model == "specformer" else 1e-6
                )


def test_the_best_weights_are_kept_and_not_the_last(data):
    training = Training(epochs=60, patience=60, lr=0.3, weight_decay=0.0)
    crowd = Crowd([lane(data, "gcn", training)])
    crowd.advance(60)
    (outcome,) = crowd.lanes[0].outcomes(0.0)
    accuracies = [row["val_accuracy"] for row in outcome.history]
    assert outcome.best_epoch < 59
    assert accuracies[outcome.best_epoch] == max(accuracies)
    with torch.no_grad():
        val = crowd.lanes[0].val
        again = (outcome.model(val.inputs).argmax(dim=1) == val.y).double().mean()
    assert float(again) == pytest.approx(max(accuracies), abs=1e-6)


def test_whoever_is_out_of_patience_has_stopped_where_the_loop_stops(data):
    training = Training(epochs=100, patience=3, lr=0.2)
    start = begin(data, splits.stratified(data.y), "gcn", {}, training, device="cpu")
    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(start.random)
        alone = fit(start.net, start.train, start.val, training)
    crowd = Crowd([lane(data, "gcn", training)])
    crowd.advance(100)
    score = crowd.scores()[0]
    assert score.epochs == len(alone.history) < 100
    assert (score.best_epoch, score.accuracy) == (alone.best_epoch, pytest.approx(alone.accuracy, abs=1e-6))
    assert crowd.alive == []


@pytest.mark.parametrize(
    "rule",
    [
        {"ties": "latest"},
        {"stop": "window", "monitor": "loss"},
        {"stop": "window", "keep": "last"},
        {"keep": "last"},
    ],
    ids=str,
)
def test_every_rule_of_stopping_is_that_of_the_loop(data, rule):
    training = Training(epochs=120, patience=4, lr=0.2, **rule)
    record = run(data, splits.stratified(data.y), "gcn", {}, training, device="cpu")
    crowd = Crowd([lane(data, "gcn", training)])
    crowd.advance(120)
    (outcome,) = crowd.lanes[0].outcomes(0.0)
    assert len(outcome.history) == len(record.history) < 120
    assert outcome.best_epoch == record.record.best_epoch
    ours = outcome.history[outcome.best_epoch]
    assert (outcome.accuracy, outcome.loss) == (ours["val_accuracy"], ours["val_loss"])
    with torch.no_grad():
        val = crowd.lanes[0].val
        again = (outcome.model(val.inputs).argmax(dim=1) == val.y).double().mean()
    assert float(again) == pytest.approx(ours["val_accuracy"], abs=1e-6)


def test_classes_weigh_on_validation_nodes_as_in_the_loop(data):
    rare = (data.y == 0) & (np.arange(data.n) % 3 > 0)
    unbalanced = Dataset(data.graph, data.X, np.where(rare, -1, data.y))
    training = Training(epochs=15, lr=0.05, class_weights=True)
    history = run(unbalanced, splits.stratified(unbalanced.y), "gcn", {}, training, device="cpu").history
    crowd = Crowd([lane(unbalanced, "gcn", training)])
    crowd.advance(15)
    (outcome,) = crowd.lanes[0].outcomes(0.0)
    for name in ("val_loss", "val_accuracy"):
        assert [e[name] for e in outcome.history] == pytest.approx([e[name] for e in history], rel=1e-4)


def test_the_loss_can_be_watched_instead(data):
    training = Training(epochs=40, patience=40, lr=0.3, monitor="loss")
    crowd = Crowd([lane(data, "gcn", training)])
    crowd.advance(40)
    (outcome,) = crowd.lanes[0].outcomes(0.0)
    losses = [row["val_loss"] for row in outcome.history]
    assert losses[outcome.best_epoch] == min(losses)


def test_those_not_kept_stay_where_they_are(data):
    crowd = Crowd([lane(data, "gcn", replace(SMALL, epochs=50, patience=50), s) for s in (0, 1)])
    crowd.advance(20)
    crowd.keep([1])
    crowd.advance(20)
    assert [s.epochs for s in crowd.scores()] == [20, 40]


def test_weights_that_are_no_numbers_are_not_the_best(data):
    first = replace(data, y=np.where(np.arange(data.graph.n) % 4 == 0, data.y, 0))
    crowd = Crowd([lane(first, "gcn", replace(SMALL, lr=1e30), 0)])
    crowd.advance(6)
    score = crowd.scores()[0]
    assert score.best_epoch < 1
    assert np.isfinite(score.loss) == (score.best_epoch == 0)


def test_without_validation_nodes_the_last_epoch_is_the_best(data):
    split = splits.stratified(data.y)
    split = split._replace(val=split.val & False)
    crowd = Crowd(lanes_of(Prepared(data, torch.device("cpu")), "gcn", [Job(split, {}, SMALL)])[1])
    crowd.advance(12)
    assert crowd.lanes[0].outcomes(0.0)[0].best_epoch == 11


def test_a_lane_stays_on_the_stream_it_was_recorded_on(data, monkeypatch):
    """Others leave, and recordings of one stream would else run at once, on one workspace of cuBLAS."""
    jobs = [Job(splits.stratified(data.y, seed=s), {"hidden": 4 + s}, Training(epochs=60)) for s in range(5)]
    crowd = Crowd(lanes_of(Prepared(data, torch.device("cpu")), "gcn", jobs)[1])
    crowd.streams, current, used = ["first", "second"], [], [set() for _ in crowd.lanes]

    @contextlib.contextmanager
    def stream(name):
        current.append(name)
        yield
        current.pop()

    monkeypatch.setattr(torch.cuda, "stream", stream)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    for lane, found in zip(crowd.lanes, used, strict=True):
        monkeypatch.setattr(lane, "warm_up", lambda epochs, found=found: found.add(current[-1]) or 0)
        monkeypatch.setattr(lane, "go", lambda found=found: found.add(current[-1]))
    crowd.advance(20)
    crowd.keep([1, 2, 4])
    crowd.advance(20)
    assert used == [{"first"}, {"second"}, {"first"}, {"second"}, {"first"}]

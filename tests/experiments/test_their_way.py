import pytest
import their_way

from unifilter.data import load
from unifilter.train.config import Training
from unifilter.train.entries import Entry, trials_of


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=300,h=0.6,d=8,signal=1")


def test_every_leak_that_can_be_run_is_listed():
    found = {(entry.model, graph) for entry, graph, _, _ in their_way.cells(["asgc", "mixhop"])}
    assert ("asgc", "chameleon") in found
    assert {graph for model, graph in found if model == "mixhop"} >= {"cora", "squirrel"}


def test_ties_decided_on_test_nodes_can_only_gain(data):
    entry = Entry("mixhop", options={"hidden": 8}, training=Training(epochs=40, patience=40, lr=0.05))
    both = [their_way.tie_broken(data, trial, entry, "cpu") for trial in trials_of(data, "stratified:3")]
    assert all(theirs >= clean for clean, theirs in both)
    assert any(theirs > clean for clean, theirs in both)


def test_a_second_fit_sees_the_validation_nodes(data, monkeypatch):
    asked = []
    real = their_way.run
    monkeypatch.setattr(
        their_way, "run", lambda *given, **more: asked.append(given[3]) or real(*given, **more)
    )
    entry = Entry("asgc", options={"penalty": 1.0}, grid={"K": [1, 2], "R": [0.1]})
    (trial,) = trials_of(data, "stratified:1")
    clean, theirs = their_way.refitted(data, trial, entry, {"refit": True}, "cpu")
    assert asked[0]["refit"] is True
    assert asked[0]["K"] in (1, 2)
    assert 0.4 < clean <= 1
    assert 0.4 < theirs <= 1

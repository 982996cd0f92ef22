import json
import sys
from types import SimpleNamespace

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


@pytest.mark.parametrize(
    ("more", "kind"), [([], "random 0.6/0.2"), (["--protocol", "stratified"], "stratified 0.6/0.2")]
)
def test_splits_are_the_authors_unless_others_are_asked_for(data, monkeypatch, tmp_path, more, kind):
    seen = []
    authors = {"protocol": "random", "options": {"refit": True}, "printed": 80.0}
    cell = (SimpleNamespace(model="asgc"), "mine", "quota", {"authors": authors})
    monkeypatch.setattr(their_way, "cells", lambda models: [cell])
    monkeypatch.setattr(their_way, "load", lambda graph: data)
    monkeypatch.setattr(
        their_way,
        "refitted",
        lambda data, trials, *more: (seen.append(t.split.name) or (0.5, 0.75) for t in trials),
    )
    monkeypatch.setattr(sys, "argv", ["their_way.py", "--splits", "2", "--out", str(tmp_path), *more])
    file = tmp_path / "their_way.jsonl"
    old = {"model": "asgc", "graph": "mine", "protocol": "quota", "splits": 2}
    file.write_text(json.dumps(old) + "\n")
    their_way.main()
    their_way.main()
    first, line = (json.loads(text) for text in file.read_text().splitlines())
    assert seen == [kind] * 2, "a second call runs nothing"
    assert first == old
    assert line["protocol"] == kind.split()[0]
    assert (line["clean"], line["theirs"], line["printed"]) == ([50, 50], [75, 75], 80)


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
    trials = trials_of(data, "stratified:2")
    (clean, theirs), _ = their_way.refitted(data, trials, entry, {"refit": True}, "cpu")
    assert asked[0]["refit"] is True
    assert asked[0]["K"] in (1, 2)
    assert 0.4 < clean <= 1
    assert 0.4 < theirs <= 1

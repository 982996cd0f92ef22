"""Entries and their grids; which splits a word stands for."""

from dataclasses import replace

import pytest

from unifilter.data import Dataset, load, splits
from unifilter.train.compare import runs
from unifilter.train.config import Training
from unifilter.train.entries import Entry, Served, trials_of
from unifilter.train.result import describe


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=200,h=0.9,d=8")


def test_every_point_of_a_grid_is_an_entry_of_its_own():
    entry = Entry(
        "sgc", "row", {"K": 1}, grid={"K": [2, 3], "preprocess": ["none"], "training.lr": [0.1, 0.2]}
    )
    found = [(p.options, p.preprocess, p.training.lr, p.grid) for p in entry.points()]
    assert found == [({"K": K}, "none", lr, {}) for K in (2, 3) for lr in (0.1, 0.2)]


def test_a_grid_varies_no_other_part_of_a_training():
    with pytest.raises(ValueError, match=r"a grid varies lr and weight_decay, .* has training.epochs"):
        Entry("sgc", grid={"training.epochs": [1, 2]})


def test_quota_splits_are_those_of_the_paper(data):
    assert [t.split.seed for t in trials_of(data, "quota:10")] == list(splits.SEEDS)


@pytest.mark.parametrize("kind", ["stratified", "random"])
def test_splits_that_are_drawn_are_as_many_as_wanted_and_differ(data, kind):
    drawn = [t.split for t in trials_of(data, f"{kind}:12")]
    assert [(s.name, s.seed) for s in drawn] == [(f"{kind} 0.6/0.2", seed) for seed in range(12)]
    assert len({s.train.tobytes() for s in drawn}) == 12
    assert len(trials_of(data, kind)) == 10


def test_a_record_serves_for_its_own_data_and_only_where_it_was_trained_to_its_end(data):
    trial, entry = trials_of(data, "quota:1")[0], Entry("sgc", training=Training(epochs=3))
    record = next(runs(data, [trial], entry, device="cpu"))
    served, about = Served(entry, replace(entry.training, seed=trial.seed)), describe(data)
    assert served.by(record, about, trial.split)
    assert not served.by(record, about | {"checksum": "other edges, same name"}, trial.split)
    for note in ("interrupted", "trained on V in bfloat16", "auto: a portfolio was raced"):
        assert not served.by(replace(record, notes=[*record.notes, note]), about, trial.split)
    assert served.by(replace(record, notes=["of no matter"]), about, trial.split)


@pytest.mark.parametrize("text", ["random:0", "quota:0", "quota:x", "quota:11", "nothing:3", "", "fixed:-1"])
def test_a_wrong_kind_of_split_is_refused(data, text):
    with pytest.raises(ValueError, match="splits"):
        trials_of(data, text)

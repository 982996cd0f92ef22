"""Auto in a comparison: a race a split, not repeated, and told apart from others."""

from dataclasses import replace

import pytest

from unifilter.data import Dataset, load
from unifilter.record import read
from unifilter.train import races as room
from unifilter.train.compare import compare
from unifilter.train.config import Training
from unifilter.train.entries import Entry, Served, Trial, trials_of
from unifilter.train.races import note, races


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=200,h=0.9,d=8")


@pytest.fixture
def raced(monkeypatch):
    """The splits and seeds that were raced on."""
    seen = []
    choose = room.choose

    def spy(dataset, split, **given):
        seen.append((split.seed, given["seed"]))
        return choose(dataset, split, **given)

    monkeypatch.setattr(room, "choose", spy)
    return seen


SHORT = {"budget": "1s", "epochs": 4, "device": "cpu"}


def test_what_a_file_holds_is_not_raced_again(data, raced, tmp_path):
    file = tmp_path / "runs.jsonl"
    given = {"budget": "1s", "epochs": 4, "file": file, "device": "cpu"}
    first = list(races(data, trials_of(data, "stratified:2"), **given))
    again = list(races(data, trials_of(data, "stratified:3"), known=read(file), **given))
    assert raced == [(0, 0), (1, 0), (2, 0)]
    assert [r.to_json() for r in again[:2]] == [r.to_json() for r in first]


@pytest.mark.parametrize("other", [{"budget": "2s"}, {"epochs": 5}])
def test_another_budget_or_limit_is_another_race(data, raced, tmp_path, other):
    given = {"budget": "1s", "epochs": 4, "file": tmp_path / "runs.jsonl", "device": "cpu"}
    trials = trials_of(data, "stratified:1")
    list(races(data, trials, **given))
    list(races(data, trials, known=read(given["file"]), **(given | other)))
    assert len(raced) == 2


@pytest.mark.parametrize("name", ["stratified 0.6/0.2", "something else"])
def test_another_kind_of_split_with_the_same_seed_is_another_race(data, raced, name):
    trials = trials_of(data, "stratified:1")
    (record,) = races(data, trials, **SHORT)
    known = [replace(record, split=record.split | {"name": name})]
    list(races(data, trials, known=known, **SHORT))
    assert len(raced) == (1 if name == record.split["name"] else 2)


def test_the_same_split_from_another_seed_is_another_race(data, raced):
    split = trials_of(data, "stratified:1")[0].split
    known = list(races(data, [Trial(split, 0)], **SHORT))
    list(races(data, [Trial(split, 0), Trial(split, 1)], known=known, **SHORT))
    assert raced == [(0, 0), (0, 1)]


def test_features_that_were_scaled_before_are_another_race(data, raced):
    """The checksum of a named graph is that of its raw files."""
    trials = trials_of(data, "stratified:1")
    known = list(races(data, trials, **SHORT))
    list(races(data.preprocess("standard"), trials, known=known, **SHORT))
    assert len(raced) == 2


def test_the_winners_scaling_does_not_hide_a_race(data, raced, monkeypatch):
    """A graph without a checksum of its own has that of its features, which the winner may have scaled."""
    spied = room.choose

    def scaled(*given, **more):
        result = spied(*given, **more)
        return replace(
            result, record=replace(result.record, dataset=result.record.dataset | {"checksum": "x"})
        )

    monkeypatch.setattr(room, "choose", scaled)
    trials = trials_of(data, "stratified:1")
    list(races(data, trials, known=list(races(data, trials, **SHORT)), **SHORT))
    assert len(raced) == 1


def test_ctrl_c_ends_the_races(data, monkeypatch):
    choose = room.choose
    monkeypatch.setattr(room, "choose", lambda *a, **b: replace(choose(*a, **b), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        list(races(data, trials_of(data, "stratified:1"), **SHORT))


@pytest.mark.parametrize(("asked", "given"), [(None, 2000), (5000, 2000), (4, 4)])
def test_epochs_are_a_limit_and_nothing_more(data, monkeypatch, asked, given):
    seen = []

    def refuse(*_, epochs, **__):
        seen.append(epochs)
        raise KeyboardInterrupt

    monkeypatch.setattr(room, "choose", refuse)
    with pytest.raises(KeyboardInterrupt):
        list(races(data, trials_of(data, "stratified:1"), budget=None, epochs=asked))
    assert seen == [given]


def test_a_record_of_auto_serves_no_plain_run(data):
    (record,) = races(data, trials_of(data, "stratified:1"), **SHORT)
    training = Training(**record.training)
    split = trials_of(data, "stratified:1")[0].split
    plain = replace(record, notes=[])
    entry = Entry(record.model, options=record.config, training=training)
    served = Served(entry, training)
    assert served.by(plain, record.dataset, split)
    assert not served.by(record, record.dataset, split)


def test_another_graph_of_the_same_name_is_another_race(data, raced, tmp_path):
    given = {"budget": "1s", "epochs": 4, "device": "cpu"}
    other = Dataset(data.graph, data.X + 1.0, data.y, name=data.name)
    known = list(races(data, trials_of(data, "stratified:1"), **given))
    list(races(other, trials_of(other, "stratified:1"), known=known, **given))
    assert len(raced) == 2


def test_auto_takes_part_in_a_comparison_and_the_scaling_of_its_winner_does_not_hide_it(
    data, raced, tmp_path
):
    file = tmp_path / "runs.jsonl"
    entries = [Entry("auto", options={"budget": "1s"}), Entry("mlp", training=Training(epochs=4))]
    trials = trials_of(data, "stratified:2")
    for _ in range(2):
        found = compare(data, trials, entries, file=file, device="cpu", epochs=4)
        assert {row.model: row.runs for row in found.rows()} == {"auto": 2, "mlp": 2}
    assert len(raced) == 2
    assert len(read(file)) == 4


def test_another_portfolio_is_another_note():
    assert note([{"a": 1}]) != note([{"a": 2}])
    assert note() == note(None)
    assert note(more=", x") == note() + ", x"
    assert note([{"a": 1}], whose="mine") != note([{"a": 1}])
    assert note(whose="mine") == note()

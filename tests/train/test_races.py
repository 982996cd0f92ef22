"""Auto in a comparison: a race a split, not repeated, and told apart from others."""

import pytest

from unifilter.data import Dataset, load
from unifilter.record import read
from unifilter.train import races as room
from unifilter.train.compare import compare
from unifilter.train.config import Training
from unifilter.train.entries import Entry, trials_of
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

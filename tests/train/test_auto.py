import time

import numpy as np
import pytest

from unifilter.data import Dataset, load, splits
from unifilter.train import auto, loop, race
from unifilter.train.auto import choose, choose_each, parse_budget, suits
from unifilter.train.portfolio import FEW, PORTFOLIO
from unifilter.train.result import beside
from unifilter.train.vote import VOTERS


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=300,h=0.85,d=8,signal=2")


def small(portfolio=PORTFOLIO, epochs=30):
    return [s | {"options.hidden": 16, "training.epochs": epochs} for s in portfolio]


@pytest.mark.parametrize("h", [0.95, 0.02])
def test_it_learns_both_ends(h):
    data = load(f"sbm:n=500,h={h},d=16,signal=2,degree=12")
    result = choose(
        data, splits.stratified(data.y), K=4, budget=None, portfolio=small(epochs=60), device="cpu"
    )
    assert result.record.scores["test"]["accuracy"] > 0.8
    assert result.record.learned["h_estimate"] == pytest.approx(h, abs=0.06)


def test_the_best_on_validation_nodes_is_returned(data):
    result = choose(data, splits.stratified(data.y), K=4, budget=None, portfolio=small(), device="cpu")
    tried = result.record.candidates
    assert len(tried) >= 4
    best = max(c["accuracy"] for c in tried)
    assert result.record.scores["val"]["accuracy"] >= best - 1e-6
    assert result.history
    assert result.record.config["K"] == 4


def test_test_labels_change_nothing(data):
    split = splits.stratified(data.y)
    wrong = np.where(split.test, (data.y + 1) % 5, data.y)
    other = Dataset(data.graph, data.X, wrong, classes=data.classes)
    first, second = (
        choose(d, split, K=4, budget=None, portfolio=small(PORTFOLIO[:2]), device="cpu")
        for d in (data, other)
    )
    np.testing.assert_array_equal(first.p, second.p)


def test_a_tiny_budget_still_gives_a_model(data):
    result = choose(data, splits.stratified(data.y), K=4, budget=0.001, portfolio=small(), device="cpu")
    assert 5 <= result.record.epochs <= 15  # five epochs a stage
    assert len(result.record.candidates) < len(PORTFOLIO)


def test_ctrl_c_gives_the_best_so_far(data):
    def stop(progress):
        if progress.epoch >= 10:
            raise KeyboardInterrupt

    result = choose(
        data, splits.stratified(data.y), K=4, budget=None, portfolio=small(), device="cpu", on_progress=stop
    )
    assert result.interrupted
    assert "interrupted" in result.record.notes


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_race_goes_on_where_it_was_cut(stage, data, tmp_path, monkeypatch):
    """Killed after a checkpoint in the middle, it ends as it would have ended."""
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(race, "RUNGS", (10, 20))
    monkeypatch.setattr(auto, "RUNGS", (10, 20))
    split, given = splits.stratified(data.y), {"K": 4, "budget": None, "portfolio": small(PORTFOLIO[:4])}
    whole = choose(data, split, device="cpu", **given)

    class KilledError(Exception):
        pass

    def kill(progress):
        if progress.stage == stage and progress.epoch >= 20:
            raise KilledError

    with pytest.raises(KilledError):
        choose(data, split, device="cpu", folder=tmp_path, on_progress=kill, **given)
    again = choose(data, split, device="cpu", folder=tmp_path, **given)
    np.testing.assert_allclose(again.p, whole.p, atol=1e-12)
    assert again.history == whole.history


def test_races_side_by_side_end_as_each_would_alone(data):
    """Without dropout: masks are drawn for all at once."""
    still = [s | {"options.dropout": 0.0, "options.basis_dropout": 0.0} for s in small(PORTFOLIO[:4])]
    some = [splits.stratified(data.y, seed=s) for s in (3, 4, 5)]
    given = {"K": 4, "budget": None, "portfolio": still, "device": "cpu"}
    alone = [choose(data, split, seed=s, **given) for s, split in enumerate(some)]
    begun = time.perf_counter()
    together = choose_each(data, some, seeds=[0, 1, 2], **given)
    assert sum(r.record.seconds["train"] for r in together) < 1.1 * (time.perf_counter() - begun)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(other.p, one.p, atol=1e-4)
        assert [c["seed"] for c in other.record.candidates] == [c["seed"] for c in one.record.candidates]
        assert other.record.split == one.record.split
        assert other.record.learned["h_estimate"] == one.record.learned["h_estimate"]
        assert other.record.notes == [*one.record.notes, beside(3)]


@pytest.mark.parametrize(("count", "seeds"), [(0, []), (2, [1]), (1, [1, 2])])
def test_races_need_a_split_and_a_seed_each(data, count, seeds):
    with pytest.raises(ValueError, match="needs a seed"):
        choose_each(data, [splits.stratified(data.y)] * count, seeds=seeds)


def test_without_features_there_is_nothing_to_filter(data):
    bare = Dataset(data.graph, np.zeros((data.n, 0), np.float32), data.y)
    with pytest.raises(ValueError, match="no features"):
        choose(bare, splits.stratified(data.y))


def test_scalings_follow_the_features(data):
    assert suits(data) == ("standard",)
    counts = Dataset(data.graph, np.eye(300, 8), data.y)
    assert suits(counts) == ("row", "none")
    assert suits(counts.preprocess("row")) == ("none",)
    assert suits(Dataset(data.graph, np.zeros((300, 8)), data.y)) == ("row", "none")


@pytest.mark.parametrize("share", [1.0, 0.05])
def test_an_income_beside_categories_is_no_count(data, share):
    draw = np.random.default_rng(0)
    X = np.eye(6)[draw.integers(6, size=300)]
    assert suits(Dataset(data.graph, X, data.y)) == ("row", "none")
    income = np.exp(draw.normal(10, 1, 300)) * (draw.random(300) < share)
    assert suits(Dataset(data.graph, np.column_stack([X, income]), data.y)) == ("standard",)


def test_words_of_which_some_are_frequent_are_counts(data):
    rates = 1 / np.arange(1, 101)  # Zipf's law
    words = np.random.default_rng(0).poisson(3 * rates, (300, 100))
    assert suits(Dataset(data.graph, words, data.y)) == ("row", "none")


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("1.5m", 90), ("2h", 7200), (7, 7), ("7", 7), ("none", None)]
)
def test_budgets_are_times(text, seconds):
    assert parse_budget(text) == seconds


@pytest.mark.parametrize("text", ["soon", "-1s", "0", "5 days", "inf", "1e999h", "nan"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="budget"):
        parse_budget(text)


def test_class_weights_favour_rare_classes(data):
    rare = Dataset(data.graph, data.X, np.where((data.y == 0) & (np.arange(data.n) % 8 > 0), -1, data.y))
    split = splits.stratified(rare.y)
    plain, weighed = (
        choose(rare, split, K=4, budget=None, portfolio=small(PORTFOLIO[:1]), device="cpu", class_weights=w)
        for w in (False, True)
    )
    assert weighed.record.training["class_weights"]
    assert not plain.record.training["class_weights"]
    assert "training.class_weights" not in plain.record.candidates[0]["setting"]
    assert weighed.p[:, 0].mean() > 1.2 * plain.p[:, 0].mean()


def test_class_weights_choose_who_finds_the_rare_class():
    """By accuracy alone the best is who never names it."""
    base = load("sbm:n=900,h=0.6,classes=2,d=6,signal=0.6,seed=1")
    rare = (base.y == 0) & (np.random.default_rng(0).random(base.n) > 0.1)
    unbalanced = Dataset(base.graph, base.X, np.where(rare, -1, base.y))
    split = splits.stratified(unbalanced.y)
    plain, weighed = (
        choose(
            unbalanced, split, K=2, budget=None, portfolio=small(PORTFOLIO[:2]), device="cpu", class_weights=w
        )
        for w in (False, True)
    )
    found = split.test & (unbalanced.y == 0)
    assert (plain.p[found].argmax(axis=1) == 0).mean() < 0.2
    assert (weighed.p[found].argmax(axis=1) == 0).mean() > 0.4


def test_few_labels_are_raced_by_a_portfolio_of_their_own(data, monkeypatch):
    split = splits.stratified(data.y)
    labels = int(split.train.sum())
    assert split.val.sum() < labels  # it is the training labels that count
    for fewer, wanted in ((labels + 1, FEW), (labels, PORTFOLIO)):
        monkeypatch.setattr("unifilter.train.portfolio.FEWER", fewer)
        record = choose(data, split, K=1, budget=None, device="cpu", epochs=2).record
        rates = {(c["setting"]["training.lr"], c["setting"]["options.dropout"]) for c in record.candidates}
        assert rates == {(s["training.lr"], s["options.dropout"]) for s in wanted}
        assert {c["setting"]["options.K"] for c in record.candidates} == {1}


def test_no_candidate_is_trained_for_more_epochs_than_asked_for(data):
    record = choose(data, splits.stratified(data.y), K=1, budget=None, device="cpu", epochs=3).record
    assert {c["epochs"] for c in record.candidates} == {3}


def test_without_validation_nodes_the_first_guesses_vote_trained_to_their_end(data):
    split = splits.stratified(data.y)
    blind = split._replace(val=split.val & False)
    given = {"K": 2, "budget": None, "device": "cpu", "portfolio": small(PORTFOLIO[:6], epochs=80)}
    first, beside_it = choose_each(data, [blind, split], seeds=[0, 0], **given)
    record = first.record
    assert record.scores["test"]["accuracy"] > 0.5
    assert any("no validation nodes" in note for note in record.notes)
    assert 2 < len(record.candidates) <= VOTERS  # nobody was halved away
    assert len(first.model.members) == len(record.candidates)
    assert {(c["seed"], c["epochs"]) for c in record.candidates} == {(0, 80)}  # and nobody began again
    assert (
        len({c["seed"] for c in beside_it.record.candidates}) > 1
    )  # as where there is something to choose by
    assert all(c["accuracy"] is c["loss"] is None for c in record.candidates)
    assert "Infinity" not in record.to_json()  # which is no JSON

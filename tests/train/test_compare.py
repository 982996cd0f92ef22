"""A comparison trains each model on each split once, whatever happens in between."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from unifilter.data import Dataset, load, splits
from unifilter.record import read
from unifilter.train import Training, prepared, run
from unifilter.train import compare as room
from unifilter.train.compare import Comparison, compare, resume, runs
from unifilter.train.entries import Entry, Trial, trials_of

SHORT = Training(epochs=8)
ENTRIES = [Entry("sgc", training=SHORT), Entry("mlp", options={"hidden": 8}, training=SHORT)]


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=200,h=0.9,d=8")


@pytest.fixture
def count(monkeypatch):
    """How often something was trained and prepared, whole or as the V that settings share."""
    seen = {"run": 0, "prepare": 0}
    for name, place, what in (
        ("run", room, "run"),
        ("prepare", prepared, "prepare"),
        ("of_data", prepared, "prepare"),
    ):
        true = getattr(place, name)

        def counted(*given, what=what, true=true, **more):
            seen[what] += 1
            return true(*given, **more)

        monkeypatch.setattr(place, name, counted)
    return seen


def test_every_model_meets_every_split_and_is_prepared_once(data, count):
    found = compare(data, trials_of(data, "stratified:3"), ENTRIES)
    assert count == {"run": 6, "prepare": 2}
    assert {m: [r.split["seed"] for r in rs] for m, rs in found.records.items()} == {
        "sgc": [0, 1, 2],
        "mlp": [0, 1, 2],
    }
    alone = run(data, splits.stratified(data.y, seed=1), "mlp", {"hidden": 8}, SHORT).record
    assert found.records["mlp"][1].scores == alone.scores


def test_what_a_file_holds_is_not_trained_again(data, count, tmp_path):
    file = tmp_path / "runs.jsonl"
    few, more = (trials_of(data, f"stratified:{n}") for n in (2, 3))
    compare(data, few, ENTRIES[:1], file=file)
    found = compare(data, more, ENTRIES, file=file)
    assert count["run"] == 2 + 1 + 3
    assert [r.to_json() for r in read(file)] == [
        r.to_json() for m in ("sgc", "mlp") for r in found.records[m]
    ]
    again = compare(data, more, ENTRIES, file=file)
    assert count["run"] == 6
    assert again.rows() == found.rows()


@pytest.mark.parametrize(
    "other",
    [
        Entry("sgc", "standard", training=SHORT),
        Entry("sgc", options={"K": 1}, training=SHORT),
        Entry("sgc", training=replace(SHORT, lr=0.5)),
        Entry("sgc", training=replace(SHORT, seed=1)),
        Entry("sgc", training=replace(SHORT, epochs=9)),
        Entry("sgc", training=SHORT, grid={"K": [2, 3]}),
        Entry("sgc", training=SHORT, grid={"training.lr": [SHORT.lr, 0.5]}),
    ],
    ids=["preprocess", "options", "training", "seed", "epochs", "grid", "grid of rates"],
)
def test_a_run_of_another_setting_serves_nobody(other, data, count, tmp_path):
    trials = trials_of(data, "stratified:1")
    compare(data, trials, ENTRIES[:1], file=tmp_path / "runs.jsonl")
    compare(data, trials, [other], file=tmp_path / "runs.jsonl")
    assert count["run"] == 1 + len(other.candidates())


def test_a_run_that_stopped_by_itself_serves_under_another_limit(data, count, tmp_path):
    trials, file = trials_of(data, "stratified:1"), tmp_path / "runs.jsonl"
    patient = Entry("sgc", training=Training(epochs=500, patience=3, lr=1.0))
    (stopped,) = compare(data, trials, [patient], file=file).records["sgc"]
    assert stopped.epochs < 400
    compare(data, trials, [patient], file=file, epochs=400)
    assert count["run"] == 1
    (cut,) = compare(data, trials, [patient], file=file, epochs=2).records["sgc"]
    assert count["run"] == 2
    assert cut.notes == ["cut off after 2 of 500 epochs"]
    assert not stopped.notes


def test_a_line_that_was_cut_short_is_trained_again(data, count, tmp_path):
    trials, file = trials_of(data, "stratified:2"), tmp_path / "runs.jsonl"
    compare(data, trials, ENTRIES[:1], file=file)
    file.write_bytes(file.read_bytes()[:-100])
    assert len(resume(file)) == 1
    compare(data, trials, ENTRIES[:1], file=file)
    assert count["run"] == 3
    assert len(read(file)) == 2


def test_a_model_that_fails_is_named_with_its_reason_and_the_rest_goes_on(data):
    entries = [Entry("sgc", options={"depth": 3}), *ENTRIES]
    entries[1] = replace(entries[1], preprocess="no-such-scaling")
    found = compare(data, trials_of(data, "stratified:1"), [entries[0], entries[2]])
    assert list(found.records) == ["mlp"]
    assert found.failed["sgc"].startswith("sgc has no option 'depth'.")
    assert "no-such-scaling" in compare(data, [], [entries[1]]).failed["sgc"]


def test_the_grid_is_chosen_on_validation_nodes(data, count):
    trials = trials_of(data, "stratified:2")
    grid = Entry("sgc", training=SHORT, grid={"K": [0, 2, 4]})
    found = list(runs(data, trials, grid))
    assert count == {"run": 6, "prepare": 1}  # V of four hops begins with those of fewer
    for trial, record in zip(trials, found, strict=True):
        alone = [run(data, trial.split, "sgc", {"K": K}, SHORT).record for K in (0, 2, 4)]
        accuracies = [r.scores["val"]["accuracy"] for r in alone]
        best = accuracies.index(max(accuracies))
        assert record.config["K"] == (0, 2, 4)[best]
        assert record.scores == alone[best].scores
        assert [c["accuracy"] for c in record.candidates] == accuracies
    with pytest.raises(ValueError, match="the grid of sgc has no value for K"):
        Entry("sgc", grid={"K": []})


def test_a_grid_varies_rates_and_scaling_too_and_is_not_trained_again(data, count, tmp_path):
    grid = {"K": [0, 2], "preprocess": ["none", "standard"], "training.lr": [1e-4, 0.2]}
    entry = Entry(
        "sgc", options={"self_loops": False}, training=SHORT, grid=grid | {"training.weight_decay": [0.1]}
    )
    trials, file = trials_of(data, "stratified:2"), tmp_path / "runs.jsonl"
    found = compare(data, trials, [entry], file=file).records["sgc"]
    assert count["run"] == 16
    for trial, record in zip(trials, found, strict=True):
        accuracies = []
        for K, how, lr in product(*grid.values()):
            training = replace(SHORT, lr=lr, weight_decay=0.1)
            alone = run(
                data.preprocess(how), trial.split, "sgc", {"K": K, "self_loops": False}, training
            ).record
            accuracies.append(alone.scores["val"]["accuracy"])
            if (record.config["K"], record.dataset["preprocessing"], record.training["lr"]) == (K, how, lr):
                assert record.scores == alone.scores
                assert accuracies[-1] == max(c["accuracy"] for c in record.candidates)
        assert [c["accuracy"] for c in record.candidates] == accuracies
        assert record.training["lr"] == 0.2
        assert record.training["weight_decay"] == 0.1
    compare(data, trials, [entry], file=file)
    assert count["run"] == 16
    compare(data, trials[:1], [replace(entry, grid=grid | {"training.weight_decay": [0.2]})], file=file)
    assert count["run"] == 16 + 8


def test_the_seed_of_a_trial_reaches_every_point_of_a_grid(data):
    entry = Entry("mlp", options={"hidden": 4}, training=SHORT, grid={"training.lr": [0.01, 0.1]})
    (split,) = (t.split for t in trials_of(data, "stratified:1"))
    found = list(runs(data, [Trial(split, 3)], entry, epochs=5))
    assert [(r.seed, r.training["epochs"]) for r in found] == [(3, 5)]


def test_a_grid_of_options_is_recorded_as_it_always_was(data):
    """Records that exist name their candidates by options alone, and go on to serve."""
    entry = Entry("sgc", options={"self_loops": False}, training=SHORT, grid={"K": [1, 2]})
    trials = trials_of(data, "stratified:1")
    (record,) = runs(data, trials, entry)
    assert [c["setting"] for c in record.candidates] == [
        {"self_loops": False, "K": 1},
        {"self_loops": False, "K": 2},
    ]


def test_a_public_split_is_trained_with_many_seeds(data):
    masks = {
        f"public_{p}": m[None]
        for p, m in splits.stratified(data.y)._asdict().items()
        if p in ("train", "val", "test")
    }
    trials = trials_of(replace(data, masks=masks), "public:3")
    assert [t.seed for t in trials] == [0, 1, 2]
    entry = Entry("mlp", options={"hidden": 4}, training=replace(SHORT, seed=5))
    found = list(runs(data, trials, entry))
    assert [r.seed for r in found] == [5, 6, 7]
    assert len({r.scores["test"]["log_loss"] for r in found}) == 3


def test_rows_are_sorted_and_tested_in_pairs_against_the_best(data):
    """Scores are made up here: 0.9, 0.8, 0.7 with little noise, and one within it."""
    record = next(runs(data, [Trial(splits.stratified(data.y))], ENTRIES[0]))
    rng = np.random.default_rng(0)
    base = 0.8 + rng.normal(0, 0.02, 10)
    made = {
        "worse": base - 0.1 + rng.normal(0, 0.01, 10),
        "best": base,
        "close": base - 0.001 + rng.normal(0, 0.02, 10),
    }
    records = {
        m: [replace(record, model=m, scores={"test": {"accuracy": float(x)}}) for x in xs]
        for m, xs in made.items()
    }
    rows = {row.model: row for row in Comparison(records, {}).rows()}
    order = sorted(made, key=lambda m: -made[m].mean())
    assert list(rows) == order
    assert rows[order[0]].p is None
    raw = [stats.ttest_rel(made[m], made[order[0]]).pvalue for m in order[1:]]
    assert rows["worse"].p == pytest.approx(2 * raw[order[1:].index("worse")], rel=1e-9)
    assert rows["worse"].p < 0.001
    assert rows[order[1]].p > 0.05
    assert rows["best"].mean == pytest.approx(base.mean())
    assert rows["best"].parameters == record.parameters
    assert rows["best"].epoch_seconds == pytest.approx(record.seconds["train"] / record.epochs)


def test_p_allows_for_training_sets_that_overlap(data):
    some = trials_of(data, "stratified:4")
    found = compare(data, some, ENTRIES)
    assert found.overlap == pytest.approx(1 / 3, abs=0.01)
    plain, corrected = (c.rows()[1].p for c in (replace(found, overlap=0.0), found))
    assert corrected > plain
    assert room.overlap(some[:1] * 3) == 0  # seeds on one split are no resamples


def test_a_single_split_has_neither_interval_nor_test(data):
    rows = compare(data, trials_of(data, "stratified:1"), ENTRIES).rows()
    assert [(row.interval, row.p) for row in rows] == [(None, None)] * 2


def test_ctrl_c_ends_the_comparison_and_keeps_what_was_done(data, tmp_path, monkeypatch):
    true, calls = room.run, []

    def interrupted(*given, **more):
        calls.append(given)
        return replace(true(*given, **more), interrupted=len(calls) == 2)

    monkeypatch.setattr(room, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(data, trials_of(data, "stratified:3"), ENTRIES, file=tmp_path / "runs.jsonl")
    assert len(read(tmp_path / "runs.jsonl")) == 1


def test_a_model_that_comes_twice_is_refused():
    data = load("sbm:n=60")
    with pytest.raises(ValueError, match="sgc came more than once"):
        compare(
            data,
            trials_of(data, "stratified:2"),
            [Entry("sgc"), Entry("mlp"), Entry("sgc", options={"K": 1})],
        )


def test_splits_without_test_nodes_are_refused_before_anything_is_trained(data, count):
    trials = [*trials_of(data, "stratified:1"), Trial(splits.stratified(data.y, 0.8, 0.2))]
    with pytest.raises(ValueError, match=r"1 of 2 splits \(stratified 0.8/0.2\) have none"):
        compare(data, trials, ENTRIES)
    assert count == {"run": 0, "prepare": 0}

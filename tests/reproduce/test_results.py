from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from unifilter.record import Record
from unifilter.reproduce.part import Auto, Job, Measure, Published, Scale, Searched
from unifilter.reproduce.results import Results
from unifilter.train.config import Training
from unifilter.train.entries import Entry

from .conftest import made, search_ended

JOB = Job("SGC", "cora", "quota:3", Published(Entry("sgc", options={"K": 2})))


def other(**changes) -> Job:
    return replace(JOB, **changes)


def test_a_job_finds_its_records_in_the_order_of_its_splits(tmp_path):
    records = made(JOB, [0.7, 0.8, 0.9])
    results = Results(records[::-1], tmp_path, Scale())
    assert [r.scores["test"]["accuracy"] for r in results.of(JOB)] == [0.7, 0.8, 0.9]
    value = results.value(JOB)
    assert (value.mean, value.runs) == (pytest.approx(80), 3)


@pytest.mark.parametrize(
    "job",
    [
        other(dataset="pubmed"),
        other(protocol="quota48:3"),
        other(how=Published(Entry("sgc", options={"K": 3}))),
        other(how=Published(Entry("sgc", "row", {"K": 2}))),
        other(how=Published(Entry("sgc", options={"K": 2}, training=Training(lr=0.5)))),
        other(how=Auto()),
        other(how=Searched("sgc", 2)),
    ],
)
def test_records_of_another_graph_split_or_setting_are_not_taken_for_a_jobs(job, tmp_path):
    assert Results(made(JOB, [0.7, 0.8, 0.9]), tmp_path, Scale()).of(job) == []


def test_a_grid_of_rates_and_scalings_finds_its_records_and_no_other_grid_does(tmp_path):
    grid = {"training.lr": [0.5, 0.1], "preprocess": ["row", "none"]}
    job = other(how=Published(Entry("sgc", grid=grid)))
    results = Results(made(job, [0.7, 0.8, 0.9]), tmp_path, Scale())
    assert len(results.of(job)) == 3
    assert results.of(other(how=Published(Entry("sgc", grid=grid | {"training.lr": [0.5, 0.2]})))) == []
    assert results.of(other(how=Published(Entry("sgc", "row", training=Training(lr=0.2))))) == []


def test_a_split_that_was_not_run_leaves_its_place_empty(tmp_path):
    records = made(JOB, [0.7, 0.8, 0.9])
    results = Results([records[0], records[2]], tmp_path, Scale())
    assert [r is None for r in results.by_split(JOB)] == [False, True, False]


def test_a_run_cut_short_does_not_count_as_a_full_one(tmp_path):
    short = made(JOB, [0.7] * 3, Scale(epochs=5))
    assert Results(short, tmp_path, Scale()).of(JOB) == []
    assert len(Results(short, tmp_path, Scale(epochs=5)).of(JOB)) == 3


def test_auto_is_kept_apart_from_a_setting_that_equals_its_winner(tmp_path):
    auto = Job("auto", "cora", "quota:3", Auto())
    unseen = Job("unseen", "cora", "quota:3", Auto(portfolio=({},)))
    same = Job("same", "cora", "quota:3", Published(Entry("unifilter")))
    assert Results(made(auto, [0.9] * 3), tmp_path, Scale()).of(same) == []
    assert Results(made(same, [0.9] * 3), tmp_path, Scale()).of(auto) == []
    assert len(Results(made(auto, [0.9] * 3), tmp_path, Scale()).of(auto)) == 3
    assert Results(made(auto, [0.9] * 3), tmp_path, Scale()).of(unseen) == []
    assert len(Results(made(unseen, [0.9] * 3), tmp_path, Scale()).of(unseen)) == 3


def test_a_searched_job_finds_the_records_of_its_winner(tmp_path):
    job = Job("SGC, searched", "cora", "quota:3", Searched("sgc", 2))
    assert Results([], tmp_path, Scale()).entry(job) is None
    search_ended(tmp_path, job, {"options.K": 4})
    entry = Results([], tmp_path, Scale()).entry(job)
    assert entry.options == {"K": 4}
    assert len(Results(made(job, [0.9] * 3, entry=entry), tmp_path, Scale()).of(job)) == 3


def test_an_option_that_was_added_since_does_not_hide_old_records(tmp_path):
    old = [
        replace(r, config={"K": 2}, training={"epochs": r.training["epochs"]}) for r in made(JOB, [0.7] * 3)
    ]
    assert len(Results(old, tmp_path, Scale()).of(JOB)) == 3


def test_a_measure_finds_its_record_by_what_it_measured(tmp_path):
    def take(dataset, what, device):
        raise AssertionError

    record = Record("theorem1", {"h": 0.3}, {}, {"name": "cora"}, {}, 0, {"a": {"b": 1.0}})
    results = Results([record], tmp_path, Scale())
    assert results.taken(Measure("theorem1", "cora", {"h": 0.3}, take)) == {"a": {"b": 1.0}}
    assert results.taken(Measure("theorem1", "cora", {"h": 0.4}, take)) is None
    assert results.taken(Measure("theorem1", "pubmed", {"h": 0.3}, take)) is None


@pytest.mark.parametrize(("protocol", "share"), [("quota:3", 0.2 / 0.6), ("fixed:3", 0.2 / 0.48)])
def test_the_interval_of_a_gain_allows_for_splits_that_share_nodes(tmp_path, protocol, share):
    """Nadeau and Bengio's: the variance of a mean over 3 splits is s^2 (1/3 + test/training nodes)."""
    one, two = other(protocol=protocol), other(row="MLP", protocol=protocol, how=Published(Entry("mlp")))
    a, b = np.array([0.7, 0.8, 0.95]), np.array([0.6, 0.75, 0.8])
    results = Results([*made(one, a.tolist()), *made(two, b.tolist())], tmp_path, Scale())
    gain = results.gain(one, two)
    spread = stats.t.ppf(0.975, 2) * 100 * (a - b).std(ddof=1)
    assert gain.mean == pytest.approx(10)
    assert gain.half == pytest.approx(spread * (1 / 3 + share) ** 0.5)

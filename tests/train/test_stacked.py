"""Jobs of UniFilter as one population end as they would alone."""

from dataclasses import replace

import pytest
import torch

from unifilter.data import load, splits
from unifilter.train import run, stacked
from unifilter.train.beside import Job, together
from unifilter.train.config import Training
from unifilter.train.prepared import Prepared


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=300,h=0.3,d=10,signal=2")


@pytest.fixture(scope="module")
def jobs(data):
    two = [splits.stratified(data.y, seed=s) for s in range(2)]
    training = Training(epochs=30, patience=12, lr=0.02)
    options = [{"K": 4, "hidden": 8, "dropout": 0.0, "tau": tau} for tau in (0.1, 0.9)]
    options.append({"K": 2, "hidden": 8, "dropout": 0.0})
    return [
        Job(split, o, replace(training, seed=i), how)
        for i, split in enumerate(two)
        for o in options
        for how in ("none", "standard")
    ]


def test_results_are_those_of_lone_runs_in_the_order_of_the_jobs(data, jobs):
    found = list(together(Prepared(data, torch.device("cpu")), "unifilter", jobs))
    for job, result in zip(jobs, found, strict=True):
        scaled = data if job.preprocess == "none" else data.preprocess(job.preprocess)
        alone = run(scaled, job.split, "unifilter", job.options, job.training, device="cpu").record
        record = result.record
        assert (record.config, record.training, record.seed) == (alone.config, alone.training, alone.seed)
        assert (record.split, record.dataset) == (alone.split, alone.dataset)
        assert abs(record.epochs - alone.epochs) <= 1
        assert record.epochs == len(result.history)
        for part in ("val", "test"):
            assert record.scores[part]["accuracy"] == pytest.approx(alone.scores[part]["accuracy"], abs=0.04)
        assert record.learned["tau"] == pytest.approx(alone.learned["tau"], abs=0.02)


def test_no_more_are_trained_at_once_than_memory_holds(data, jobs, monkeypatch):
    sizes = []
    real = stacked._trained

    def trained(prepared, some):
        sizes.append(len(some))
        return real(prepared, some)

    monkeypatch.setattr(stacked, "members_that_fit", lambda *given: 3)
    monkeypatch.setattr(stacked, "_trained", trained)
    short = [job._replace(training=replace(job.training, epochs=2)) for job in jobs]
    assert len(stacked.stacked(Prepared(data, torch.device("cpu")), short)) == len(jobs)
    assert max(sizes) == 3
    assert sum(sizes) == len(jobs)


@pytest.mark.parametrize(
    "change",
    [
        {"monitor": "loss"},
        {"optimizer": "adamw"},
        {"optimizer": "sgd"},
        {"mixed_precision": True},
        {"epochs": 7},
        {"ties": "latest"},
        {"keep": "last"},
        {"stop": "window"},
    ],
)
def test_what_a_population_does_not_do_is_left_to_others(jobs, change):
    assert stacked.can_be_stacked("unifilter", jobs)
    assert not stacked.can_be_stacked("gcn", jobs)
    other = jobs[-1]._replace(training=replace(jobs[-1].training, **change))
    assert not stacked.can_be_stacked("unifilter", [*jobs[:-1], other])

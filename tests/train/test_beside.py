"""Many trainings at once give the records that runs one after the other give."""

import pytest
import torch

from unifilter.data import load, splits
from unifilter.train import Training, run
from unifilter.train import beside as room
from unifilter.train.beside import Job, gains_by_company, lanes_of, together
from unifilter.train.prepared import Prepared

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=150,h=0.8,d=8,seed=3")


def jobs(data):
    return [
        Job(splits.stratified(data.y, seed=s), {"hidden": 8 + 8 * (s % 2)}, Training(epochs=15, seed=s), p)
        for s, p in ((0, "none"), (1, "row"), (2, "none"))
    ]


def test_records_are_those_of_runs_alone(data):
    prepared = Prepared(data, CPU)
    for job, result in zip(jobs(data), together(prepared, "gcn", jobs(data)), strict=True):
        scaled = data if job.preprocess == "none" else data.preprocess(job.preprocess)
        alone = run(scaled, job.split, "gcn", job.options, job.training, device="cpu")
        ours, theirs = result.record, alone.record
        assert (ours.config, ours.training, ours.split, ours.seed) == (
            theirs.config,
            theirs.training,
            theirs.split,
            theirs.seed,
        )
        assert ours.dataset == theirs.dataset
        assert ours.scores["test"]["accuracy"] == pytest.approx(theirs.scores["test"]["accuracy"], abs=1e-6)
        assert ours.best_epoch == theirs.best_epoch
        assert any("beside 2 others" in note for note in ours.notes)


@pytest.mark.parametrize(("batch_norm", "lanes"), [(False, 1), (True, 2)])
def test_models_of_rows_are_bundled_unless_they_normalise_over_the_rows_they_see(data, batch_norm, lanes):
    some = [
        Job(splits.stratified(data.y, seed=s), {"batch_norm": batch_norm}, Training(seed=s)) for s in (0, 1)
    ]
    assert len(lanes_of(Prepared(data, CPU), "sign", some, launches_count=True)[1]) == lanes


def test_half_as_many_where_memory_is_too_small(data, monkeypatch):
    sizes = []

    class Small(room.Crowd):
        def __init__(self, lanes):
            sizes.append(len(lanes))
            if len(lanes) > 1:
                raise torch.cuda.OutOfMemoryError("too many")
            super().__init__(lanes)

    monkeypatch.setattr(room, "Crowd", Small)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    assert len(list(together(Prepared(data, CPU), "gcn", jobs(data)))) == 3
    assert sizes == [3, 1, 1, 1]


def test_company_is_for_gpus_and_for_models_that_take_steps():
    gpu = torch.device("cuda")
    assert gains_by_company("gcn", gpu, Training())
    assert not gains_by_company("gcn", CPU, Training())
    assert not gains_by_company("labelpropagation", gpu, Training())
    assert not gains_by_company("gcn", gpu, Training(batch=10))

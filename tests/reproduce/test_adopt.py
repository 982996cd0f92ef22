from dataclasses import replace

import pytest

from unifilter.record import read
from unifilter.reproduce.adopt import adopt
from unifilter.reproduce.executor import records_of, results_of
from unifilter.reproduce.part import Auto, Job, Part, Published, Scale
from unifilter.train.entries import Entry

from .conftest import made

SGC = Job("SGC", "cora", "quota:3", Published(Entry("sgc", options={"K": 2})))
AUTO = Job("auto", "cora", "quota:3", Auto())
PART = Part("p", "P", lambda results, scale: [], lambda scale: [SGC, AUTO])


@pytest.fixture
def file(tmp_path):
    raced = [{"setting": {}, "accuracy": 0.9, "loss": 0.3, "epochs": 5}] * 2
    records = made(SGC, [0.7, 0.8]) + [replace(r, candidates=raced) for r in made(AUTO, [0.9])]
    other = Job("other", "cora", "quota:3", Published(Entry("sgc", options={"K": 3})))
    file = tmp_path / "old.jsonl"
    for record in records + made(other, [0.5]):
        record.append(file)
    return file


def test_what_a_job_lacks_is_taken_over_once_and_nothing_else(file, tmp_path):
    folder = tmp_path / "out"
    assert adopt([file], [PART], Scale(), folder) == 3
    assert adopt([file], [PART], Scale(), folder) == 0
    results = results_of(folder, Scale())
    assert [r.scores["test"]["accuracy"] for r in results.of(SGC)] == [0.7, 0.8]
    assert [r.scores["test"]["accuracy"] for r in results.of(AUTO)] == [0.9]
    assert len(read(records_of(folder))) == 3


def test_a_record_that_is_there_is_kept(file, tmp_path):
    folder = tmp_path / "out"
    made(SGC, [0.1])[0].append(records_of(folder))
    assert adopt([file], [PART], Scale(), folder) == 2
    assert results_of(folder, Scale()).of(SGC)[0].scores["test"]["accuracy"] == 0.1


def test_a_race_that_does_not_say_of_what_is_not_taken_over(tmp_path):
    """It may have been cut short, or of another portfolio."""
    raced = [{"setting": {}, "accuracy": 0.9, "loss": 0.3, "epochs": 5}] * 2
    replace(made(AUTO, [0.9])[0], notes=["interrupted"], candidates=raced).append(tmp_path / "old.jsonl")
    assert adopt([tmp_path / "old.jsonl"], [PART], Scale(), tmp_path / "out") == 0

import pickle

import pytest

from unifilter.reproduce.part import SIX, Auto, Claim, Job, Measure, Part, Published, Scale, Searched
from unifilter.train import races
from unifilter.train.entries import Entry


def take(dataset, what, device):
    return {"sizes": {"n": float(dataset.n)}}


@pytest.mark.parametrize(
    ("how", "model"),
    [(Published(Entry("sgc")), "sgc"), (Searched("gcn", 10), "gcn"), (Auto(), "unifilter")],
)
def test_a_job_knows_its_model_whatever_its_settings(how, model):
    assert Job("a row", "cora", "quota:10", how).model == model


def test_jobs_and_measures_travel_to_other_processes():
    things = [Job("a row", "cora", "quota:10", Searched("gcn", 10, {"K": 2}, {"tau": [0.0, 1.0]}))]
    things += [Measure("a part", "cora", {"share": 0.6}, take)]
    assert pickle.loads(pickle.dumps(things)) == things


def test_names_tell_jobs_and_measures_apart():
    how = Auto()
    rows = {Job(row, d, p, how).name for row in "ab" for d in "cd" for p in ("quota:2", "fixed:2")}
    assert len(rows) == 8
    assert Measure("p", "cora", {"share": 0.1}, take).name != Measure("p", "cora", {"share": 0.2}, take).name


def test_a_full_run_without_a_graph_has_none_in_its_place():
    assert Scale().has("cora", "digits") == ("cora",)
    assert Scale(graphs=("cora",)).has("squirrel") == ()
    assert Scale(graphs=("a", "b"), quick=True).has("squirrel") == ("a", "b")
    assert Scale().graphs == SIX


def test_a_part_that_only_shows_has_no_jobs_and_no_claims():
    part = Part("p", "P", show=lambda results, scale: [])
    assert list(part.jobs(Scale())) == list(part.measures(Scale())) == list(part.check(None, Scale())) == []
    assert not Claim("a", False, "b").holds


def test_records_of_auto_tell_one_portfolio_from_another(monkeypatch):
    before, brought = Auto().note, Auto(portfolio=({"options.K": 2},)).note
    assert len({before, brought, Auto(portfolio=({"options.K": 3},)).note}) == 3
    monkeypatch.setattr(races, "PORTFOLIO", races.PORTFOLIO[1:])
    assert Auto().note != before
    assert Auto(portfolio=({"options.K": 2},)).note == brought
    assert Auto(portfolio=({"options.K": 2},), whose="mine").note != brought

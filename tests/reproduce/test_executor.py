import json
from dataclasses import replace

import pytest
import torch

from unifilter.data import load
from unifilter.record import read
from unifilter.reproduce import executor
from unifilter.reproduce.executor import Tally, complete, execute, records_of, results_of
from unifilter.reproduce.part import Auto, Job, Measure, Part, Published, Scale, Searched
from unifilter.reproduce.settings import journal
from unifilter.train.entries import Entry
from unifilter.train.portfolio import FEW
from unifilter.train.trial import read_journal

GRAPH = "sbm:n=120,h=0.9,classes=3,d=6"
SCALE = Scale(splits=2, epochs=3)
SGC = Job("SGC", GRAPH, "quota:2", Published(Entry("sgc")))


def nodes(dataset, what, device):
    return {"size": {"n": float(dataset.n + what["more"])}}


def part(*jobs, measures=()):
    return Part("p", "P", lambda results, scale: [], lambda scale: jobs, lambda scale: measures)


@pytest.fixture
def counted(monkeypatch):
    """How many jobs are trained."""
    calls = []
    train = executor.train
    monkeypatch.setattr(executor, "train", lambda job, *rest: (calls.append(job.row), train(job, *rest)))
    return calls


def test_what_is_there_is_not_trained_again(tmp_path, counted):
    assert execute([part(SGC)], SCALE, tmp_path).done == 1
    lines = records_of(tmp_path).read_text()
    assert execute([part(SGC)], SCALE, tmp_path).done == 1
    assert counted == ["SGC"]
    assert records_of(tmp_path).read_text() == lines


def test_of_a_job_that_was_killed_only_the_missing_splits_are_trained(tmp_path):
    execute([part(SGC)], SCALE, tmp_path)
    first, second = records_of(tmp_path).read_text().splitlines(keepends=True)
    records_of(tmp_path).write_text(first + second[:40])  # killed while it wrote
    assert execute([part(SGC)], SCALE, tmp_path).done == 1
    found = read(records_of(tmp_path))
    assert records_of(tmp_path).read_text().startswith(first)
    assert [r.split["seed"] for r in found] == [json.loads(line)["split"]["seed"] for line in (first, second)]


def test_a_job_that_two_parts_share_is_trained_once(tmp_path, counted):
    same = replace(SGC, row="SGC, elsewhere")
    assert execute([part(SGC), part(same)], SCALE, tmp_path).done == 1
    assert counted == ["SGC"]
    assert len(results_of(tmp_path, SCALE).of(same)) == 2


def test_a_failure_is_noted_until_it_is_mended_and_the_others_go_on(tmp_path, monkeypatch):
    bad = Job("bad", GRAPH, "quota:2", Published(Entry("mlp")))
    train = executor.runs

    def fails(data, trials, entry, **options):
        if entry.model == "mlp":
            raise RuntimeError("out of memory")
        return train(data, trials, entry, **options)

    monkeypatch.setattr(executor, "runs", fails)
    tally = execute([part(bad, SGC)], SCALE, tmp_path)
    assert (tally.done, tally.failed) == (1, {bad.name: "RuntimeError: out of memory"})
    assert json.loads((tmp_path / "failed.json").read_text()) == tally.failed
    monkeypatch.undo()
    assert execute([part(bad, SGC)], SCALE, tmp_path).failed == {}
    assert json.loads((tmp_path / "failed.json").read_text()) == {}


def test_a_measure_is_taken_once_and_leaves_a_record(tmp_path):
    measures = [Measure("p", GRAPH, {"more": i}, nodes) for i in range(2)]
    assert execute([part(measures=measures)], SCALE, tmp_path).done == 2
    assert execute([part(measures=measures)], SCALE, tmp_path).done == 2
    found = read(records_of(tmp_path))
    assert [r.scores["size"]["n"] for r in found] == [120, 121]
    assert found[0].dataset["name"] == GRAPH
    assert found[0].device == "cpu"


def test_a_search_is_journalled_and_its_winner_trained_with_what_was_changed(tmp_path):
    plain = Job("searched", GRAPH, "quota:2", Searched("sgc", 2))
    changed = Job("changed", GRAPH, "quota:2", Searched("sgc", 2, {"K": 1}))
    assert execute([part(plain, changed)], SCALE, tmp_path).done == 2
    assert len(read_journal(journal(tmp_path, Searched("sgc", 2), GRAPH, "quota:2"))) == 2
    results = results_of(tmp_path, SCALE)
    assert results.of(changed)[0].config["K"] == 1
    assert complete(results, plain)


def test_known_settings_are_tried_although_an_older_search_has_ended(tmp_path):
    plain = Job("searched", GRAPH, "quota:2", Searched("sgc", 2))
    execute([part(plain)], SCALE, tmp_path)
    longer = Job("searched", GRAPH, "quota:2", Searched("sgc", 2, first=({"options.K": 3},)))
    before = results_of(tmp_path, SCALE)
    assert before.of(longer) == before.of(plain)  # shown until then
    assert not complete(before, longer)
    assert execute([part(longer)], SCALE, tmp_path).done == 1
    numbers = [t.number for t in read_journal(journal(tmp_path, Searched("sgc", 2), GRAPH, "quota:2"))]
    assert sorted(numbers) == [-1, 0, 1]


def test_one_search_serves_both_readings_of_a_split(tmp_path, monkeypatch):
    other = Job("searched", GRAPH, "quota48:2", Searched("sgc", 2))
    seen = []
    search = executor.search
    monkeypatch.setattr(executor, "search", lambda d, s, *r, **k: (seen.append(s), search(d, s, *r, **k)))
    assert execute([part(other, replace(other, protocol="fixed:2"))], SCALE, tmp_path).done == 2
    (splits,) = seen
    assert [s.name for s in splits] == [t.split.name for t in executor.trials(load(GRAPH), "fixed:2")]
    assert len(results_of(tmp_path, SCALE).of(other)) == 2


def test_auto_races_on_every_split(tmp_path):
    auto = Job("auto", GRAPH, "stratified:2", Auto("20s"))
    assert execute([part(auto)], SCALE, tmp_path).done == 1
    assert [len(r.candidates) > 1 for r in results_of(tmp_path, SCALE).of(auto)] == [True, True]
    seeds = [{c["seed"] for c in r.candidates} for r in results_of(tmp_path, SCALE).of(auto)]
    assert min(seeds[1]) == min(seeds[0]) + 1  # every split has a start of its own


def test_races_that_a_gpu_cannot_hold_together_are_run_in_parts(tmp_path, monkeypatch):
    tried, choose_each = [], executor.choose_each

    def small(data, splits, **options):
        tried.append(len(splits))
        if len(splits) > 1:
            raise torch.cuda.OutOfMemoryError("too many")
        return choose_each(data, splits, **options | {"budget": "1s"})

    monkeypatch.setattr(executor, "choose_each", small)
    monkeypatch.setattr(executor, "pick_device", lambda name: torch.device("cuda"))
    auto = Job("auto", GRAPH, "stratified:3", Auto())
    assert execute([part(auto)], SCALE, tmp_path) == Tally(done=1, failed={}, left=[])
    assert tried == [3, 1, 1, 1]


def test_auto_races_the_portfolio_that_a_job_brings(tmp_path):
    unseen = Job("unseen", GRAPH, "stratified:1", Auto("1s", portfolio=(FEW[1],)))
    execute([part(unseen)], SCALE, tmp_path)
    (record,) = results_of(tmp_path, SCALE).of(unseen)
    assert {c["setting"]["options.layers"] for c in record.candidates} == {FEW[1]["options.layers"]}
    assert complete(results_of(tmp_path, SCALE), Job("auto", GRAPH, "stratified:1", Auto("1s"))) is False


def test_of_a_single_setting_five_starts_are_trained_and_may_vote(tmp_path):
    setting = dict(FEW[0]) | {"options.K": 2, "options.hidden": 8, "training.epochs": 8}
    starts = Job("starts", GRAPH, "stratified:1", Auto(portfolio=(setting,), whose="one setting"))
    execute([part(starts)], SCALE, tmp_path)
    (record,) = results_of(tmp_path, SCALE).of(starts)
    assert sorted(c["seed"] for c in record.candidates) == [0, 1, 2, 3, 4]
    assert len({json.dumps(c["setting"]) for c in record.candidates}) == 1
    assert complete(results_of(tmp_path, SCALE), Job("auto", GRAPH, "stratified:1", Auto())) is False


def test_a_measure_that_is_not_wanted_is_not_taken(tmp_path):
    some = [Measure("p", GRAPH, {"more": more}, nodes) for more in (1, 2)]
    tally = execute([part(measures=some)], SCALE, tmp_path, wanted=lambda m: m.what["more"] == 2)
    assert tally == Tally(1, {}, [])
    results = results_of(tmp_path, SCALE)
    assert [results.taken(m) is not None for m in some] == [False, True]


def test_without_time_everything_is_left(tmp_path):
    tally = execute(
        [part(SGC, measures=[Measure("p", GRAPH, {"more": 0}, nodes)])], SCALE, tmp_path, seconds=0
    )
    assert (tally.done, len(tally.left), tally.failed) == (0, 2, {})


def test_jobs_that_are_not_wanted_are_not_run(tmp_path):
    tally = execute([part(SGC)], SCALE, tmp_path, wanted=lambda job: job.model != "sgc")
    assert (tally.done, tally.left) == (0, [])
    assert not records_of(tmp_path).exists()


@pytest.mark.parametrize(
    ("kind", "budget", "sizes"), [("cuda", None, [2]), ("cuda", "1s", [1, 1]), ("cpu", None, [1, 1])]
)
def test_races_run_side_by_side_on_a_gpu_and_in_turn_elsewhere(tmp_path, monkeypatch, kind, budget, sizes):
    asked = []
    choose_each = executor.choose_each

    def spy(data, splits, **given):
        asked.append(len(splits))
        return choose_each(data, splits, **(given | {"device": "cpu"}))

    monkeypatch.setattr(executor, "choose_each", spy)
    monkeypatch.setattr(executor, "pick_device", lambda device: torch.device(kind))
    short = tuple(s | {"training.epochs": 4} for s in FEW[:1])
    auto = Job("auto", GRAPH, "stratified:2", Auto(budget, portfolio=short))
    assert execute([part(auto)], SCALE, tmp_path, device="cpu").done == 1
    assert asked == sizes
    assert complete(results_of(tmp_path, SCALE), auto)
    execute([part(auto)], SCALE, tmp_path, device="cpu")
    first = records_of(tmp_path).read_text().splitlines(keepends=True)[0]
    records_of(tmp_path).write_text(first)
    execute([part(auto)], SCALE, tmp_path, device="cpu")
    assert asked == [*sizes, 1], "only the split that was missing"

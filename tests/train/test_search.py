import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unifilter.data import Dataset, load, splits
from unifilter.train.heats import Ladder
from unifilter.train.samplers import Random, Space
from unifilter.train.search import final, search
from unifilter.train.study import Optuna
from unifilter.train.trial import Trial, read_journal, write_journal

SPACE = Space(
    {
        "preprocess": ["none", "standard"],
        "options.K": [3],
        "options.hidden": [8, 16],
        "options.dropout": [0.0, 0.5],
        "training.lr": [0.0001, 0.02],
        "groups.filter.lr": [0.01],
    }
)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=300,h=0.8,d=8,signal=2")


@pytest.fixture(scope="module")
def pair(data):
    return [splits.stratified(data.y, seed=s) for s in range(2)]


def test_the_best_by_validation_comes_first_and_test_labels_are_not_read(data, pair):
    trials = search(data, pair, SPACE, 8, rungs=(10, 40), device="cpu")
    assert len(trials) == 8
    ended = [t.accuracy for t in trials if t.finished]
    assert ended == sorted(ended, reverse=True)
    assert trials[0].setting["training.lr"] == 0.02
    blind = Dataset(
        data.graph, data.X, np.where(pair[0].test & pair[1].test, 0, data.y), classes=data.classes
    )
    again = search(blind, pair, SPACE, 8, rungs=(10, 40), device="cpu")
    assert [t.accuracy for t in again] == [t.accuracy for t in trials]


def test_a_killed_search_goes_on_where_it_stopped(data, pair, tmp_path):
    options = {"rungs": (4, 8, 16), "batch": 6, "device": "cpu"}
    whole = search(data, pair, SPACE, 12, **options)
    journal = tmp_path / "deep" / "search.jsonl"
    search(data, pair, SPACE, 6, **options, journal=journal)
    with journal.open("a") as stream:
        stream.write('{"number": 6, "sett')  # the line that the kill cut short
    resumed = search(data, pair, SPACE, 12, **options, journal=journal)
    assert len({t.epochs for t in whole}) > 1
    assert {t.number: (t.setting, t.epochs, list(t.reached)) for t in resumed} == {
        t.number: (t.setting, t.epochs, list(t.reached)) for t in whole
    }


def test_a_search_goes_on_twice_after_a_kill(data, pair, tmp_path):
    journal = tmp_path / "search.jsonl"
    for settings in (2, 4, 6):
        trials = search(data, pair, SPACE, settings, rungs=(2, 4), device="cpu", journal=journal)
        assert sorted(t.number for t in trials) == list(range(settings))
        with journal.open("a") as stream:
            stream.write('{"number": 9, "setting": {}')
    assert sorted(t.number for t in read_journal(journal)) == list(range(6)), "none was trained twice"


def test_trials_of_another_model_are_refused(data, pair, tmp_path):
    journal = tmp_path / "search.jsonl"
    write_journal(journal, [Trial(0, {"options.hidden": 8}, 0.9, 0.1, 4, True, "gcn")])
    with pytest.raises(ValueError, match="this search is for 'unifilter', but .* has trials of 'gcn'"):
        search(data, pair, SPACE, 2, rungs=(2, 4), device="cpu", journal=journal)
    sampler = Random(SPACE)
    sampler.found = lambda: read_journal(journal)
    with pytest.raises(ValueError, match="'sgc'.*'gcn'"):
        search(data, pair, SPACE, 2, model="sgc", sampler=sampler, rungs=(2, 4), device="cpu")


def test_old_journals_count_where_they_say_something():
    ladder = Ladder((3, 5, 7), 0.5)
    for epochs, reached in ((3, ()), (5, ()), (7, ()), (5, (0.1, 0.2))):
        ladder.remember(Trial(0, {}, 0.9, 1.0, epochs, epochs == 7, "gcn", reached))
    assert ladder.seen == [[0.9, 0.1], [0.9, 0.2], [0.9]]


def test_searches_share_a_study(data, pair, tmp_path):
    pytest.importorskip("optuna")
    url, options = f"sqlite:///{tmp_path / 's.db'}", {"rungs": (3, 5), "device": "cpu"}
    one, other = Optuna(SPACE, "s", url), Optuna(SPACE, "s", url)
    first = search(data, pair, SPACE, 3, sampler=one, **options)
    seen = []
    both = search(
        data, pair, SPACE, 5, sampler=other, **options, on_batch=lambda found, left: seen.extend(found)
    )
    assert sorted(t.number for t in seen) == [3, 4]  # the others were found already
    assert {t.number for t in both} == {0, 1, 2, 3, 4}
    assert {t.number: t.accuracy for t in both if t.number < 3} == {t.number: t.accuracy for t in first}
    one.ask(2)  # and not answered yet
    with pytest.warns(UserWarning, match="2 settings are under way in other processes"):
        assert len(search(data, pair, SPACE, 7, sampler=other, **options)) == 5


KILLED = """
import sys, time
from unifilter.data import load, splits
from unifilter.train.samplers import Space
from unifilter.train.study import Optuna
from unifilter.train.search import search

class Hangs(Optuna):
    def ask(self, count):
        numbered = super().ask(count)
        if self.found():
            print("asked", flush=True)
            time.sleep(60)
        return numbered

data, space = load("sbm:n=300,h=0.8,d=8,signal=2"), Space(eval(sys.argv[1]))
pair = [splits.stratified(data.y, seed=s) for s in range(2)]
search(data, pair, space, 6, sampler=Hangs(space, "s", sys.argv[2]), rungs=(2, 4), batch=2, device="cpu")
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux to know who lives")
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_search_ends_with_all_settings_although_another_is_killed(data, pair, tmp_path, when):
    pytest.importorskip("optuna")
    url, done = f"sqlite:///{tmp_path / 's.db'}", []
    command = [sys.executable, "-c", KILLED, str(SPACE.values), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "asked\n"  # two are told, two more are under way
        lost = [t.params for t in Optuna(SPACE, "s", url)._open()]
        if when == "before":
            other.kill()
            other.wait()

        def kill(found, left):
            done.extend(found)
            other.kill()
            other.wait()

        sampler, options = Optuna(SPACE, "s", url), {"rungs": (2, 4), "batch": 1, "device": "cpu"}
        trials = search(data, pair, SPACE, 6, sampler=sampler, **options, on_batch=kill)
    assert (len(trials), len(done), len(lost)) == (6, 4, 2)
    assert all(setting in [t.setting for t in done] for setting in lost)


def test_a_kill_between_the_journal_and_the_study_costs_nothing(data, pair, tmp_path, monkeypatch):
    pytest.importorskip("optuna")
    url, journal = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "j.jsonl"
    options = {"rungs": (2, 4), "device": "cpu", "journal": journal}

    def die(trial):
        raise KeyboardInterrupt

    killed = Optuna(SPACE, "s", url)
    monkeypatch.setattr(killed, "tell", die)
    with pytest.raises(KeyboardInterrupt):
        search(data, pair, SPACE, 1, sampler=killed, **options)
    assert [t.number for t in read_journal(journal)] == [0]
    trials = search(data, pair, SPACE, 3, sampler=Optuna(SPACE, "s", url, stale=0.0), **options)
    assert sorted(t.number for t in trials) == [0, 1, 2]
    assert len(Optuna(SPACE, "s", url).found()) == 3


def test_what_others_find_meanwhile_raises_the_bar(data, pair, tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 's.db'}"
    same = Space({name: values[:1] for name, values in SPACE.values.items()})  # as good every time
    sampler, other, heats = Optuna(same, "s", url), Optuna(same, "s", url), []

    def meanwhile(found, left):
        heats.append(found)
        if len(heats) == 1:
            for number, setting in other.ask(3):
                other.tell(Trial(number, setting, 1.0, 0.1, 6, True, reached=[1.0] * 3))

    options = {"rungs": (2, 4, 6), "keep": 0.1, "batch": 1, "device": "cpu"}
    trials = search(data, pair, same, 6, sampler=sampler, **options, on_batch=meanwhile)
    assert len(trials) == 6
    assert [t.epochs for heat in heats for t in heat] == [6, 6, 2], "the last is measured by the others"


def test_a_search_goes_on_although_all_that_is_new_is_worse(data, pair, tmp_path):
    file = tmp_path / "trials.jsonl"
    search(data, pair, SPACE, 2, rungs=(3, 5, 7), device="cpu", journal=file)
    lines = [
        json.loads(line) | {"accuracy": 1.0, "reached": [1.0] * 3} for line in file.read_text().splitlines()
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    trials = search(data, pair, SPACE, 4, rungs=(3, 5, 7), keep=0.1, device="cpu", journal=file)
    assert [t.epochs for t in trials[-2:]] == [3, 3]
    assert not any(t.finished for t in trials[-2:])


def test_a_search_ends_when_its_time_is_up(data, pair):
    assert search(data, pair, SPACE, 50, seconds=0.0, device="cpu") == []


def test_the_winner_is_trained_to_its_end(data, pair):
    trial = search(data, pair, SPACE, 4, rungs=(5, 20), device="cpu", sampler=Random(SPACE, 1))[0]
    found = final(data, pair, trial, device="cpu", epochs=60)
    assert len(found) == 2
    assert all(0 < f["tau"] < 1 and f["test"] > 0.5 for f in found)


def test_what_a_kill_left_out_is_trained_when_the_search_goes_on(data, pair, tmp_path):
    journal = tmp_path / "search.jsonl"
    search(data, pair, SPACE, 5, rungs=(2, 4), device="cpu", journal=journal)
    lines = journal.read_text().splitlines()
    whole = {json.loads(line)["number"]: json.loads(line)["setting"] for line in lines}
    journal.write_text("\n".join(lines[:1] + lines[3:]) + "\n")
    search(data, pair, SPACE, 5, rungs=(2, 4), device="cpu", journal=journal)
    again = [json.loads(line) for line in journal.read_text().splitlines()]
    assert {t["number"]: t["setting"] for t in again} == whole
    assert len(again) == 5


def test_any_model_is_searched(data, pair):
    space = Space({"options.hidden": [8], "training.lr": [0.05, 1e-6]})
    trials = search(data, pair, space, 8, model="gcn", rungs=(4, 8), device="cpu")
    assert trials[0].setting["training.lr"] == 0.05
    assert trials[0].config.hidden == 8


def test_known_settings_are_tried_once_and_count_among_all(data, pair, tmp_path):
    journal = tmp_path / "j.jsonl"
    known = {"preprocess": "none", "options.K": 2, "options.hidden": 4, "training.lr": 0.05}
    options = {"rungs": (5, 10), "device": "cpu", "journal": journal}
    trials = search(data, pair, SPACE, 3, first=[known], **options)
    assert sorted(t.number for t in trials) == [-1, 0, 1]
    assert next(t.setting for t in trials if t.number == -1) == known
    drawn = [(t.number, t.setting) for t in sorted(trials, key=lambda t: t.number)[1:]]
    assert drawn == Random(SPACE).ask(2)
    other = known | {"options.K": 3}
    again = search(data, pair, SPACE, 3, first=[known, other], **options)
    assert sorted(t.number for t in again) == [-2, -1, 0, 1]
    assert next(t.setting for t in again if t.number == -2) == other


def test_settings_that_are_no_longer_known_make_room_for_others(data, pair, tmp_path):
    known = [{"preprocess": "none", "options.K": K, "options.hidden": 4} for K in (2, 3)]
    options = {"rungs": (3, 5), "device": "cpu", "journal": tmp_path / "j.jsonl"}
    search(data, pair, SPACE, 4, first=known, **options)
    assert sorted(t.number for t in search(data, pair, SPACE, 4, first=known[:1], **options)) == [
        -2,
        -1,
        0,
        1,
        2,
    ]


def test_a_search_trains_with_the_optimiser_that_a_setting_names(data, pair):
    values = {name: [v[0]] for name, v in SPACE.values.items()} | {"training.weight_decay": [0.5]}
    values |= {"training.optimizer": ["adam", "adamw"], "training.lr": [0.02]}
    first = [{name: v[-1] for name, v in values.items()}]
    trials = search(
        data,
        pair,
        Space(values | {"training.optimizer": ["adam"]}),
        2,
        first=first,
        device="cpu",
        rungs=(20,),
    )
    assert len({round(t.loss, 4) for t in trials}) == 2


def test_what_was_published_is_trained_to_its_end_however_slowly_it_learns(data, pair, tmp_path):
    slow = {name: v[0] for name, v in SPACE.values.items()} | {"training.lr": 1e-7}
    options = {"rungs": (2, 4, 6), "device": "cpu", "journal": tmp_path / "j.jsonl"}
    best = [Trial(n, {}, 1.0, 0.0, 6, True, reached=[1.0] * 3) for n in range(8)]  # a bar that nobody passes
    write_journal(options["journal"], best)
    trials = search(data, pair, SPACE, 12, first=[slow], **options)
    found = next(t for t in trials if t.number == -1)
    assert (found.finished, found.epochs, len(found.reached)) == (True, 6, 3)
    assert not all(t.finished for t in trials)


def test_what_earlier_searches_cut_off_of_it_is_trained_again(data, pair, tmp_path):
    journal = tmp_path / "j.jsonl"
    known = [{"preprocess": "none", "options.K": K, "options.hidden": 4} for K in (2, 3)]
    write_journal(journal, [Trial(-i, s, 0.1, 2.0, 2, False, reached=[0.1]) for i, s in enumerate(known, 1)])
    options = {"rungs": (2, 4), "device": "cpu", "journal": journal}
    trials = search(data, pair, SPACE, 3, first=known[1:], **options)
    assert {t.number: t.finished for t in trials if t.number < 0} == {-1: False, -2: True}
    assert sum(t.number >= 0 for t in trials) == 2
    again = search(data, pair, SPACE, 3, first=known[1:], **options)
    assert [t.accuracy for t in again] == [t.accuracy for t in trials], "there is nothing left to train"


def test_a_journal_of_another_graph_or_of_other_splits_is_refused(data, pair, tmp_path):
    options = {"rungs": (2,), "device": "cpu", "journal": str(tmp_path / "j.jsonl")}
    search(data, pair, SPACE, 2, **options)
    assert len(search(data, pair, SPACE, 2, **options)) == 2
    with pytest.raises(ValueError, match="of another graph, or of other splits"):
        search(data, pair[:1], SPACE, 2, **options)
    with pytest.raises(ValueError, match="of another graph, or of other splits"):
        search(load("sbm:n=300,h=0.8,d=8,signal=2,seed=9"), pair, SPACE, 2, **options)
    with pytest.raises(ValueError, match="at least one split"):
        search(data, [], SPACE, 2, **options)


def test_a_journal_of_shorter_trainings_is_refused(data, pair, tmp_path):
    journal = tmp_path / "search.jsonl"
    search(data, pair, SPACE, 2, rungs=(2, 4), device="cpu", journal=journal)
    with pytest.raises(ValueError, match="for 20 epochs, but .* done after 4"):
        search(data, pair, SPACE, 2, rungs=(4, 20), device="cpu", journal=journal)


def test_what_a_search_cannot_judge_or_would_not_hear_is_refused(data, pair):
    blind = pair[0]._replace(val=np.zeros(data.graph.n, bool))
    with pytest.raises(ValueError, match="in each of them labelled validation nodes"):
        search(data, [pair[1], blind], SPACE, 1, rungs=(2,), device="cpu")
    for model in ("unifilter", "mlp"):
        with pytest.raises(ValueError, match=r"leave training\.batch out"):
            search(data, pair, Space({"training.batch": [4]}), 1, rungs=(2,), model=model, device="cpu")


def test_of_equal_accuracies_the_lower_loss_comes_first(data, pair, tmp_path):
    journal = tmp_path / "search.jsonl"
    trials = [Trial(i, {"options.K": 3}, 0.9, loss, 4, True) for i, loss in enumerate((0.4, 0.2, 0.3))]
    write_journal(journal, trials)
    found = search(data, pair, SPACE, 3, rungs=(2, 4), device="cpu", journal=journal)
    assert [t.loss for t in found] == [0.2, 0.3, 0.4]


def test_a_third_rounded_up_goes_on():
    assert Ladder((2, 4), 1 / 3).climb(0, [0.1, 0.2, 0.3, 0.4]) == [False, False, True, True]


def test_a_space_says_where_its_values_go():
    with pytest.raises(ValueError, match=r"options\.K to the model"):
        Space({"K": [2]})


def test_options_of_the_wrong_kind_are_refused_as_everywhere(data, pair):
    with pytest.raises(ValueError, match=r"dropout of unifilter must be in \[0, 1\)"):
        search(data, pair, Space({"options.dropout": [1.5]}), 1, rungs=(2,), device="cpu")


def test_a_journal_of_more_rungs_is_continued_with_fewer(data, pair, tmp_path):
    journal = tmp_path / "search.jsonl"
    search(data, pair, SPACE, 2, rungs=(2, 4), device="cpu", journal=journal)
    assert len(search(data, pair, SPACE, 3, rungs=(4,), device="cpu", journal=journal)) == 3


def test_a_study_in_memory_goes_on_from_a_journal_in_any_order(data, pair, tmp_path):
    pytest.importorskip("optuna")
    journal, options = tmp_path / "search.jsonl", {"rungs": (2,), "device": "cpu"}
    first = search(data, pair, SPACE, 3, sampler=Optuna(SPACE), journal=journal, **options)
    journal.write_text("".join(reversed(journal.read_text().splitlines(keepends=True))))
    sampler = Optuna(SPACE)
    again = search(data, pair, SPACE, 5, sampler=sampler, journal=journal, **options)
    assert sorted(t.number for t in again) == list(range(5))
    assert {t.number: t.setting for t in first}.items() <= {t.number: t.setting for t in again}.items()
    assert len(sampler.found()) == 5

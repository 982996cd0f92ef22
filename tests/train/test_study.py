"""Studies of Optuna: shared, killed, continued."""

import os
import socket
import subprocess
import sys

import pytest

from unifilter.train.samplers import Space
from unifilter.train.study import Optuna
from unifilter.train.trial import Trial

SPACE = Space({"options.dropout": [0.0, 0.3, 0.6, 0.9], "training.lr": [0.001, 0.01, 0.1]})


def trial(number, setting):
    return Trial(number, setting, setting["options.dropout"], 1.0, 40, True, "gcn", [0.5])


def test_a_study_in_a_file_is_continued(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    first = Optuna(SPACE, "s", url)
    told = [trial(*numbered) for numbered in first.ask(4)]
    for one in told:
        first.tell(one)
    again = Optuna(SPACE, "s", url)
    assert again.found() == told
    assert [n for n, _ in again.ask(1)] == [4]


def test_what_others_have_under_way_is_left_to_them_until_it_is_stale(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    killed = Optuna(SPACE, "s", url)
    lost = [setting for _, setting in killed.ask(3)]
    assert killed.underway() == 0
    assert Optuna(SPACE, "s", url).underway() == 3
    later = Optuna(SPACE, "s", url, stale=0.0)
    assert later.underway() == 0
    assert [setting for _, setting in later.ask(3)] == lost


ASKS = """
import sys, time
from unifilter.train.samplers import Space
from unifilter.train.study import Optuna
print(Optuna(Space(eval(sys.argv[1])), "s", sys.argv[2]).ask(3), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs Linux to know who lives")
@pytest.mark.parametrize("reaped", [True, False])
def test_what_a_killed_process_had_under_way_is_proposed_again_at_once(tmp_path, reaped):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    sampler = Optuna(SPACE, "s", url)
    command = [sys.executable, "-c", ASKS, str(SPACE.values), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        lost = eval(other.stdout.readline())
        assert sampler.underway() == 3, "it lives"
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | (0 if reaped else os.WNOWAIT))
        assert sampler.underway() == 0
        assert [setting for _, setting in sampler.ask(3)] == [setting for _, setting in lost]


def test_processes_of_other_machines_and_unknown_ones_are_trusted(tmp_path, monkeypatch):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    other, sampler = Optuna(SPACE, "s", url), Optuna(SPACE, "s", url)
    other.study.ask()  # as versions before this one did
    with monkeypatch.context() as patch:
        patch.setattr(socket, "gethostname", lambda: "elsewhere")
        patch.setattr(os, "getpid", lambda: 2**30)  # nobody has this number here
        other.ask(1)
    assert sampler.underway() == 2
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 2**30)
        patch.setattr("unifilter.train.study._birth", lambda pid: "123")
        other.ask(1)
    assert sampler.underway() == 2, "the one of this machine is gone"


def test_an_answer_to_what_was_taken_back_is_let_pass(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    slow, eager = Optuna(SPACE, "s", url), Optuna(SPACE, "s", url, stale=0.0)
    (late,) = slow.ask(1)
    (again,) = eager.ask(1)
    assert again[1] == late[1]
    slow.tell(trial(*late))
    assert eager.found() == []
    eager.tell(trial(*again))
    assert slow.found() == [trial(*again)]


def test_two_may_take_back_the_same(tmp_path, monkeypatch):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    Optuna(SPACE, "s", url).ask(2)
    first, second = (Optuna(SPACE, "s", url, stale=0.0) for _ in range(2))
    seen = second._open()
    first.ask(2)
    monkeypatch.setattr(second, "_open", lambda: seen)
    second._take_back()
    assert len(first.study.get_trials()) == 4, "two that were lost, two in their place"


def test_what_a_journal_knows_of_a_lost_proposal_is_its_answer(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    (known, other) = Optuna(SPACE, "s", url).ask(2)
    Optuna(SPACE, "s", url).tell(trial(*known))
    later = Optuna(SPACE, "s", url, stale=0.0)
    assert later.found() == [], "it was under way elsewhere"
    later.tell(trial(*known))
    later.tell(trial(other[0], {"options.dropout": 0.0}))  # a journal of something else
    assert later.found() == [trial(*known)]
    assert later.ask(1)[0][1] == other[1]


def test_an_answer_without_its_last_word_counts_once(tmp_path, monkeypatch):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    killed = Optuna(SPACE, "s", url)
    (asked,) = killed.ask(1)
    monkeypatch.setattr(killed.study, "tell", lambda *given, **more: None)
    killed.tell(trial(*asked))
    later = Optuna(SPACE, "s", url, stale=0.0)
    assert (later.underway(), later.found()) == (0, [trial(*asked)])
    assert later.study.best_value == asked[1]["options.dropout"]


def test_optuna_learns_where_it_is_good():
    pytest.importorskip("optuna")
    sampler = Optuna(SPACE, seed=0)
    for _ in range(15):
        for numbered in sampler.ask(4):
            sampler.tell(trial(*numbered))
    late = [s["options.dropout"] for _, s in sampler.ask(20)]
    assert sum(late) / 20 > 0.6


def test_a_study_in_memory_takes_over_what_the_journal_knows():
    pytest.importorskip("optuna")
    space = Space({"options.K": [1, 2, 3]})
    sampler = Optuna(space)
    for number in (0, 2):
        sampler.tell(Trial(number, {"options.K": 1 + number}, 0.5, 1.0, 4, True))
    sampler.tell(Trial(7, {"options.K": 9}, 0.9, 1.0, 4, True))  # of another space
    sampler.tell(Trial(-1, {"options.K": 1}, 0.9, 1.0, 4, True))  # not its own
    assert [t.number for t in sampler.found()] == [0, 2]
    assert [number for number, _ in sampler.ask(2)] == [3, 4]

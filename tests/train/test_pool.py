import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from unifilter.train import pool
from unifilter.train.pool import CutOffError, Progress, Task, _assign, _Clock, _Worker, work_through


def write(file: Path, seconds: float = 0.0) -> None:
    begun = time.time()
    time.sleep(seconds)
    file.write_text(f"{begun} {time.time()}")


def refuse() -> None:
    raise ValueError("no such thing.")


def die() -> None:
    os._exit(3)


def stop() -> None:
    raise CutOffError


def test_a_task_that_fails_is_told_with_its_reason_and_the_others_go_on(tmp_path):
    told: list[Progress] = []
    tasks = [Task("bad", refuse), Task("good", partial(write, tmp_path / "good")), Task("cut", stop)]
    assert work_through(tasks, on_end=told.append) == {"bad": "no such thing."}
    assert (tmp_path / "good").exists()
    assert [(p.task.name, p.waiting) for p in told] == [("bad", 2), ("good", 1), ("cut", 0)]
    assert [p.problem for p in told] == ["no such thing.", None, pool.CUT_OFF]
    assert str(told[0]).startswith("bad: no such thing., ")
    assert str(told[2]).endswith("; 0 wait, 0.0 min left")
    assert told[-1].left == 0


def test_processes_share_the_tasks_and_one_that_dies_is_replaced(tmp_path):
    told: list[Progress] = []
    good = [Task(f"{i}", partial(write, tmp_path / f"{i}")) for i in range(2)]
    tasks = [Task("dead", die), *good, Task("bad", refuse), Task("cut", stop)]
    failed = work_through(tasks, processes=2, on_end=told.append)
    assert failed == {"dead": "the process ended with code 3", "bad": "no such thing."}
    assert [p.waiting for p in told] == [4, 3, 2, 1, 0]
    assert {f.name for f in tmp_path.iterdir()} == {"0", "1"}


def test_tasks_with_one_lock_are_never_handed_out_together():
    clock = _Clock([], float("inf"), print)
    team = [_Worker(None, SimpleNamespace(send=lambda task: None)) for _ in range(3)]
    queue = [Task("a", list, "one"), Task("b", list, "one"), Task("c", list), Task("d", list, "two")]
    _assign(team, queue, clock)
    assert [w.task.name for w in team] == ["a", "c", "d"]
    assert [t.name for t in queue] == ["b"]
    team[1].task = None
    _assign(team, queue, clock)
    assert team[1].task is None
    team[0].task = None
    _assign(team, queue, clock)
    assert team[0].task.name == "b"


def test_after_the_time_nothing_begins_and_what_is_under_way_is_ended(tmp_path):
    assert work_through([Task("late", partial(write, tmp_path / "late"))], seconds=0) == {}
    tasks = [Task(f"{i}", partial(write, tmp_path / f"{i}", 60.0)) for i in range(3)]
    begun = time.monotonic()
    assert work_through(tasks, processes=2, seconds=0.1, grace=0.1) == {}
    assert time.monotonic() - begun < 30
    assert list(tmp_path.iterdir()) == []


def leave(file: Path) -> None:
    file.write_text("begun")
    try:
        time.sleep(60)
    finally:
        file.write_text("in order")


def stay(file: Path) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    file.write_text("begun")
    time.sleep(60)


def test_what_is_ended_may_leave_in_order_and_what_stays_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "LEAVE", 2.0)
    files = [tmp_path / "leave", tmp_path / "stay"]
    team = [pool._hire() for _ in files]
    for worker, call, file in zip(team, (leave, stay), files, strict=True):
        worker.pipe.send(Task(file.name, partial(call, file)))
    while not all(file.exists() and file.read_text() for file in files):
        time.sleep(0.05)
    pool._end(team)
    assert [file.read_text() for file in files] == ["in order", "begun"]
    assert [worker.process.exitcode for worker in team] == [0, -signal.SIGKILL]


def test_the_time_left_follows_the_costs(monkeypatch):
    told: list[Progress] = []
    now = [7.0]
    monkeypatch.setattr(pool, "time", SimpleNamespace(monotonic=lambda: now[0]))
    tasks = [Task("a", lambda: now.insert(0, 7.2), cost=1.0), Task("b", list, cost=3.0)]
    work_through(tasks, on_end=told.append)
    assert [p.left for p in told] == pytest.approx([0.6, 0.0])


PARENT = """
import sys, time
from functools import partial
from pathlib import Path
from unifilter.train.pool import Task, work_through

def wait(file):
    file.write_text("begun")
    try:
        time.sleep(300)
    finally:
        file.write_text("left")

if __name__ == "__main__":
    files = [Path(sys.argv[1]) / name for name in "ab"]
    work_through([Task(f.name, partial(wait, f)) for f in files], processes=2)
"""


def test_nobody_works_on_when_whoever_handed_out_the_tasks_is_killed(tmp_path):
    script, files = tmp_path / "parent.py", [tmp_path / name for name in "ab"]
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, script, tmp_path])
    _until(lambda: all(file.exists() and file.read_text() == "begun" for file in files))
    parent.kill()
    parent.wait()
    _until(lambda: all(file.read_text() == "left" for file in files))


def _until(true) -> None:
    end = time.monotonic() + 45
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)

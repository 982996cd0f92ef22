"""Tasks on a few processes, with a time limit: whatever stops one of them, the others go on."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from unifilter.train.compare import reason

GRACE = 30.0  # seconds for tasks under way when the time is over
LEAVE = 10.0  # and to leave in order after that
CUT_OFF = "stopped by the time limit; what was finished is kept"


@dataclass(frozen=True)
class Task:
    """Something to call; of tasks with the same ``lock`` only one is under way at a time.

    ``call`` must be a function at the top of a module, or a ``functools.partial`` of one, so that it can be
    sent to another process; what it returns is not kept. ``cost`` is in any unit.
    """

    name: str
    call: Callable[[], Any]
    lock: str = ""
    cost: float = 1.0


@dataclass(frozen=True)
class Progress:
    """A task has ended: why, if it failed or was cut off; its seconds; how many wait, their seconds maybe."""

    task: Task
    problem: str | None
    seconds: float
    waiting: int
    left: float

    def __str__(self) -> str:
        said = f"{self.task.name}: {self.problem or 'done'}, {self.seconds:.0f} s"
        return f"{said}; {self.waiting} wait, {self.left / 60:.1f} min left"


class CutOffError(Exception):
    """A task's own word that it stopped because of the time limit: what it finished is kept."""


def work_through(
    tasks: Sequence[Task],
    *,
    processes: int = 1,
    seconds: float = float("inf"),
    grace: float = GRACE,
    on_end: Callable[[Progress], None] | None = None,
) -> dict[str, str]:
    """Call all tasks, the first ones first; why some of them failed, by name.

    Parameters
    ----------
    tasks : sequence of Task
    processes : int
        1 calls them here, one after the other.
    seconds : float
        After which no task begins; ``grace`` later, those that other processes have under way are ended.
    on_end : optional
        Called when a task has ended.

    Examples
    --------
    >>> work_through([Task("fine", list), Task("not fine", int().__truediv__)])["not fine"]
    'TypeError: expected 1 argument, got 0'
    """
    clock = _Clock(list(tasks), seconds, on_end or (lambda progress: None))
    if processes == 1:
        for task in tasks:
            if clock.remaining <= 0:
                break
            since = time.monotonic()
            clock.ended(task, _called(task), since)
        return clock.failed
    if tasks and clock.remaining > 0:
        _share_out(list(tasks), min(processes, len(tasks)), grace, clock)
    return clock.failed


class _Clock:
    """What has ended, and how long the rest will take if costs tell."""

    def __init__(self, tasks: Sequence[Task], seconds: float, on_end: Callable[[Progress], None]) -> None:
        self.begun, self.seconds, self.on_end = time.monotonic(), seconds, on_end
        self.waiting, self.total, self.done = len(tasks), sum(t.cost for t in tasks), 0.0
        self.failed: dict[str, str] = {}

    @property
    def remaining(self) -> float:
        return self.seconds - (time.monotonic() - self.begun)

    def ended(self, task: Task, problem: str | None, since: float) -> None:
        now = time.monotonic()
        self.waiting -= 1
        self.done += task.cost
        if problem and problem != CUT_OFF:  # the same command goes on with it: no failure
            self.failed[task.name] = problem
        left = (now - self.begun) * (self.total - self.done) / max(self.done, 1e-300)
        self.on_end(Progress(task, problem, now - since, self.waiting, left))


@dataclass
class _Worker:
    """A process, our end of the pipe to it, and the task it has under way."""

    process: Any
    pipe: Connection
    task: Task | None = None
    since: float = field(default_factory=time.monotonic)


def _hire() -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    # Ctrl-C reaches the whole group; only this process answers it, by ending the others. A process inherits
    # what is ignored while it starts.
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        process.start()
    finally:
        if main:
            signal.signal(signal.SIGINT, before)
    theirs.close()
    return _Worker(process, ours)


def _serve(pipe: Connection) -> None:
    """A process: call the tasks that come through the pipe, and say what happened."""
    import torch

    torch.set_num_threads(1)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        with contextlib.suppress(EOFError, BrokenPipeError):  # whoever handed out the tasks was killed
            for task in iter(pipe.recv, None):
                pipe.send(_called(task))
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()  # for the other processes
    finally:
        if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
            torch.cuda.synchronize()


def _leave_with_parent() -> None:
    """Whoever handed out the tasks may be killed: nobody is left who wants their results."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LEAVE)
    os._exit(1)


def _called(task: Task) -> str | None:
    try:
        task.call()
    except CutOffError:
        return CUT_OFF
    except Exception as error:  # whatever stops one task, a refusal or a lack of memory, is its own
        return reason(error)
    return None


def _share_out(queue: list[Task], processes: int, grace: float, clock: _Clock) -> None:
    kept = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")}
    os.environ.update(dict.fromkeys(kept, "1"))  # before any process starts: they share the machine
    team: list[_Worker] = []
    try:
        team += [_hire() for _ in range(processes)]
        while True:
            _assign(team, queue, clock)
            busy = {w.pipe: w for w in team if w.task is not None}
            if not busy or clock.remaining < -grace:
                return
            for pipe in wait(list(busy), timeout=1.0):
                _hear(busy[pipe], team, clock)  # type: ignore[index]
    finally:
        _end(team)
        for name, value in kept.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end(team: Sequence[_Worker]) -> None:
    """Ask all to leave, and kill those that do not: one killed amid a kernel can take others' GPU with it."""
    for worker in team:
        worker.process.terminate()
    until = time.monotonic() + LEAVE
    for worker in team:
        worker.process.join(max(0.0, until - time.monotonic()))
        worker.process.kill()
        worker.process.join()


def _assign(team: list[_Worker], queue: list[Task], clock: _Clock) -> None:
    for worker in team:
        held = {w.task.lock for w in team if w.task is not None and w.task.lock}
        task = next((t for t in queue if t.lock not in held), None)
        if worker.task is None and task is not None and clock.remaining > 0:
            queue.remove(task)
            worker.task, worker.since = task, time.monotonic()
            worker.pipe.send(task)


def _hear(worker: _Worker, team: list[_Worker], clock: _Clock) -> None:
    assert worker.task is not None
    try:
        problem = worker.pipe.recv()
    except (EOFError, ConnectionResetError):  # out of memory, or worse: the others go on
        worker.process.join()
        problem = f"the process ended with code {worker.process.exitcode}"
        team[team.index(worker)] = _hire()
    clock.ended(worker.task, problem, worker.since)
    worker.task = None

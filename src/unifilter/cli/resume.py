"""A run that was cut off: what it was asked for, so that only the same question is continued."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from unifilter.record import write_atomically

CONTENTS = "contents of the data"


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Hold the folder of a run: two that write there at once would leave a mixture of both.

    Examples
    --------
    >>> import tempfile
    >>> out = Path(tempfile.mkdtemp())
    >>> with alone(out), alone(out):
    ...     pass
    Traceback (most recent call last):
        ...
    FileExistsError: another process is training in ...: wait for its end, or choose another --out.
    """
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    file = out / ".lock"  # the system frees it when a process is killed
    lock = FileLock(str(file))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise FileExistsError(
            f"another process is training in {out}: wait for its end, or choose another --out."
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # Windows deletes no file that is open
            file.unlink()
        lock.release()


def begin(out: Path, asked: dict[str, Any], resume: bool) -> Path:
    """The folder of a run's checkpoints: empty, or what a run with the same arguments left.

    What was asked for stays beside it when the run is complete and its checkpoints are gone.

    Examples
    --------
    >>> import tempfile
    >>> out = Path(tempfile.mkdtemp())
    >>> begin(out, {"model": "sgc", "seed": 0}, resume=False).name
    'state'
    >>> begin(out, {"model": "gcn", "seed": 0}, resume=True)
    Traceback (most recent call last):
        ...
    ValueError: --resume continues a run with the same arguments, but model was sgc and is gcn. ...
    """
    asked = json.loads(json.dumps(asked, default=str))
    state, file = out / "state", out / "arguments.json"
    if not resume:
        forget(state)
    elif file.exists():
        _refuse_another(json.loads(file.read_text(encoding="utf-8")), asked)
    state.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(asked))
    return state


def _refuse_another(before: dict[str, Any], asked: dict[str, Any]) -> None:
    for name in sorted(asked | before):
        if asked.get(name) == before.get(name):
            continue
        differs = f"{name.replace('_', '-')} was {before.get(name)} and is {asked.get(name)}"
        if name == CONTENTS:
            differs = "the tables, or the named graph, have changed since"
        raise ValueError(
            f"--resume continues a run with the same arguments, but {differs}. Say it as before, or choose "
            "another --out."
        )


def forget(state: Path) -> None:
    """Delete the checkpoints; nothing but files that a run wrote there."""
    if not state.exists():
        return
    for file in state.iterdir():
        file.unlink()
    state.rmdir()

"""A run that was cut off: what it was asked for, so that only the same question is continued."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unifilter.record import write_atomically


def begin(state: Path, asked: dict[str, Any], resume: bool) -> None:
    """Prepare the folder of checkpoints: empty, or what a run with the same arguments left.

    Examples
    --------
    >>> import tempfile
    >>> state = Path(tempfile.mkdtemp()) / "state"
    >>> begin(state, {"model": "sgc", "seed": 0}, resume=False)
    >>> begin(state, {"model": "gcn", "seed": 0}, resume=True)
    Traceback (most recent call last):
        ...
    ValueError: --resume continues a run with the same arguments, but model was sgc and is gcn. ...
    """
    asked = json.loads(json.dumps(asked, default=str))
    file = state / "arguments.json"
    if not resume:
        forget(state)
    elif file.exists():
        before = json.loads(file.read_text())
        for name in sorted(asked | before):
            if asked.get(name) != before.get(name):
                raise ValueError(
                    f"--resume continues a run with the same arguments, but {name.replace('_', '-')} was "
                    f"{before.get(name)} and is {asked.get(name)}. Say it as before, or start anew without "
                    "--resume."
                )
    state.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(asked))


def forget(state: Path) -> None:
    """Delete the checkpoints; nothing but files that a run wrote there."""
    if not state.exists():
        return
    for file in state.iterdir():
        file.unlink()
    state.rmdir()

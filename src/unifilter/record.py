"""A Record: everything that produced a number."""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "numba", "torch_geometric")


@dataclass(frozen=True)
class Record:
    """What was run, on what, and what came out; one JSON line.

    Parameters
    ----------
    model : str
        Registered name.
    config, training : dict
        Every option of the model and of its training.
    dataset : dict
        Name, checksum, preprocessing, nodes, edges.
    split : dict
        Name, seed, shares.
    seed : int
        Of the parameters and of dropout.
    scores : dict
        By part ("train", "val", "test") and measure.
    learned : dict
        What the model learned that has a name: tau, h, temperature.
    seconds : dict
        Times of the stages.
    peak_memory : int
        Bytes.
    epochs : int
        Trained; ``best_epoch`` is the one that was kept.
    candidates : list of dict
        The settings among which this one was chosen on validation nodes, and how they did.

    Examples
    --------
    >>> record = Record("unifilter", {"K": 10}, {}, {"name": "cora"}, {}, 0, {"test": {"accuracy": 0.9}})
    >>> Record.from_json(record.to_json()) == record
    True
    """

    model: str
    config: dict[str, Any]
    training: dict[str, Any]
    dataset: dict[str, Any]
    split: dict[str, Any]
    seed: int
    scores: dict[str, dict[str, float]]
    learned: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    peak_memory: int = 0
    epochs: int = 0
    best_epoch: int = 0
    parameters: int = 0
    device: str = "cpu"
    notes: list[str] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=lambda: versions())
    machine: str = field(default_factory=platform.platform)
    time: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(line: str) -> Record:
        """The record of a line; unknown fields, as a newer version may write, are an error."""
        return Record(**json.loads(line))

    def append(self, file: str | Path) -> None:
        """Add the line to a file."""
        append_lines(file, [self.to_json()])


def read(file: str | Path) -> list[Record]:
    """All records of a file; what a crash left of a line is left out, wherever it stands."""
    records = []
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines()):
        try:
            records.append(Record.from_json(line))
        except json.JSONDecodeError:
            if not line.startswith('{"'[: len(line)]):
                raise ValueError(f"{file}, line {number + 1} is no record.") from None
    return records


def append_lines(file: str | Path, lines: Sequence[str]) -> None:
    """Append, in one write: several processes may share a file.

    What a kill left of a line is ended and not cut off, since others may have written behind it meanwhile.
    """
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(line + "\n" for line in lines).encode()
    with file.open("a+b", buffering=0) as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 1))
        data = data if stream.read(1) in (b"", b"\n") else b"\n" + data
        if stream.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))


def write_atomically(file: str | Path, text: str) -> None:
    """Write a text file so that it is either the old one or the new one, whole."""
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def versions() -> dict[str, str]:
    """Versions of the packages that matter; this one's also where it runs from its sources."""
    found = {"python": platform.python_version(), "unifilter": sys.modules["unifilter"].__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found

"""Tables on disk, and the command line as a process of its own."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unifilter.data.embedded import build

NAMES = np.array(["ape", "bee", "cat"])


@dataclass(frozen=True)
class Tables:
    """A graph in files: most nodes at once, some later; a third of the labels hidden, all known elsewhere."""

    folder: Path
    kind: str

    def __getitem__(self, name: str) -> str:
        return str(self.folder / f"{name}.{self.kind}")

    @property
    def words(self) -> list[str]:
        columns = ["--id", "who", "--label", "animal", "--source", "from", "--target", "to"]
        return ["--edges", self["edges"], "--nodes", self["nodes"], *columns]


def write_tables(folder: Path, kind: str = "parquet", n: int = 260, later: int = 12) -> Tables:
    data = build(f"sbm:n={n},h=0.85,d=6,classes=3")
    ids = np.array([f"node {i:03d}" for i in range(n)])
    hidden = np.arange(n) % 3 == 0
    nodes = pd.DataFrame(data.X, columns=[f"x{i}" for i in range(6)])
    nodes.insert(0, "who", ids)
    nodes["animal"] = np.where(hidden, None, NAMES[data.y])
    u, v = data.graph.edges()
    edges = pd.DataFrame({"from": ids[u], "to": ids[v]})
    old = n - later
    new = (u >= old) | (v >= old)
    frames = {
        "nodes": nodes[:old],
        "edges": edges[~new],
        "new_nodes": nodes[old:].drop(columns="animal"),
        "new_edges": edges[new],
        "truth": pd.DataFrame({"who": ids, "animal": NAMES[data.y]})[(np.arange(n) >= old) | hidden],
    }
    for name, frame in frames.items():
        file = folder / f"{name}.{kind}"
        frame.to_parquet(file) if kind == "parquet" else frame.to_csv(file, index=False)
    return Tables(folder, kind)


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """In Parquet."""
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="session")
def csv_tables(tmp_path_factory):
    """The same in CSV."""
    return write_tables(tmp_path_factory.mktemp("tables"), "csv")


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "unifilter.cli.app", *words]


def start(*words: str, **variables: str) -> subprocess.Popen:
    """A real process, in a group of its own, as a shell starts it."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"} | variables
    return subprocess.Popen(
        command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
        preexec_fn=_hear_ctrl_c,
    )


def _hear_ctrl_c() -> None:
    """Whoever runs the tests in the background has it ignored, which processes inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)

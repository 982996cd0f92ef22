"""Named graphs from the command line, and how far their loading is."""

import json
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from unifilter.cli.app import app
from unifilter.data import benchmarks, readers
from unifilter.data.benchmarks import cached, load
from unifilter.data.catalog import CATALOG, Entry

RUNNER = CliRunner()
TINY = Entry("tiny", "filtered", "tiny", nodes=4, edges=3, features=2, classes=2, counted=True)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A named graph of four nodes in a mirror, beside a file of another graph."""
    monkeypatch.setitem(CATALOG, "tiny", TINY)
    monkeypatch.setenv("UNIFILTER_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("UNIFILTER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "mirror" / TINY.folders[0]
    folder.mkdir(parents=True)
    masks = {f"{part}_masks": np.ones((1, 4), bool) for part in ("train", "val", "test")}
    labels, edges = np.array([0, 0, 1, 1]), np.array([[0, 1], [1, 2], [2, 3]])
    features = np.arange(8.0).reshape(4, 2)
    np.savez(folder / "tiny.npz", edges=edges, node_features=features, node_labels=labels, **masks)
    (folder / "other.npz").write_bytes(b"0" * 1000)
    return folder / "tiny.npz"


def run(*words):
    return RUNNER.invoke(app, ["datasets", *words])


def test_every_named_graph_is_listed_with_its_figures():
    text = run().stdout
    for name in CATALOG:
        assert name in text
    rows = {row["name"]: row for row in json.loads(run("--json").stdout)}
    assert set(rows) == {*CATALOG, "digits", "sbm"}
    assert (rows["cora"]["nodes"], rows["cora"]["classes"]) == (2708, 7)


def test_homophily_is_known_once_the_graph_is_cached(tiny):
    before, after = (
        {r["name"]: r for r in json.loads(run(*w, "--json").stdout)} for w in ((), ("fetch", "tiny"))
    )
    assert (before["tiny"]["cached"], before["tiny"]["homophily"]) == (False, None)
    assert after["tiny"]["homophily"] == pytest.approx(2 / 3)
    listed = {row["name"]: row for row in json.loads(run("--json").stdout)}["tiny"]
    assert listed == {
        "name": "tiny",
        "nodes": 4,
        "edges": 3,
        "features": 2,
        "classes": 2,
        "homophily": 2 / 3,
        "cached": True,
    }


def test_fetch_says_where_the_graph_is(tiny):
    result = run("fetch", "tiny", "sbm:n=100")
    assert result.exit_code == 0
    assert f"tiny: 4 nodes, 3 edges in {cached('tiny')}" in result.stdout
    assert "sbm:n=100: 100 nodes, 500 edges" in result.stdout
    assert (cached("tiny") / "meta.json").is_file()


def test_fetching_what_does_not_exist_is_wrong_input():
    result = run("fetch", "coraa")
    assert result.exit_code == 2
    assert "Did you mean cora" in result.stderr


def test_progress_counts_the_bytes_of_the_mirror(tiny):
    told = []
    load("tiny", on_progress=lambda *news: told.append(news))
    size = tiny.stat().st_size
    assert told[0] == ("copy", size, size)  # not the other graph's file
    assert [stage for stage, _, _ in told][-2:] == ["read", "store"]
    told.clear()
    load("tiny", on_progress=lambda *news: told.append(news))
    assert told == []  # the cache has it


def test_progress_counts_the_bytes_of_a_download_as_they_arrive(tiny, monkeypatch):
    read, told = readers.filtered, []
    tiny_bytes = tiny.read_bytes()
    tiny.unlink()

    def slowly(entry, stage, verify):
        file = stage / entry.folders[0] / "tiny.npz"
        file.parent.mkdir(parents=True, exist_ok=True)
        (stage / "processed").mkdir()
        (stage / "processed" / "data.pt").write_bytes(b"0" * 10**6)  # made here, not downloaded
        for part in (tiny_bytes[:300], tiny_bytes[300:]):
            with file.open("ab") as stream:
                stream.write(part)
            time.sleep(0.5)
        return read(entry, stage, verify)

    monkeypatch.setattr(readers, "filtered", slowly)
    load("tiny", on_progress=lambda *news: told.append(news))
    arrived = [done for stage, done, _ in told if stage == "download"]
    assert set(arrived) >= {300, len(tiny_bytes)}
    assert arrived == sorted(arrived)
    assert max(arrived) == len(tiny_bytes)


def test_nobody_watches_when_nobody_asked(tiny, monkeypatch):
    monkeypatch.setattr(
        benchmarks.threading.Thread, "start", lambda self: pytest.fail("a thread was started")
    )
    assert load("tiny").n == 4

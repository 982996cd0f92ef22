"""Every example runs, on its own, and says something."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def example(file, folder):
    """A process of its own, in a folder of its own: what an example writes, it writes there."""
    variables = {"UNIFILTER_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    words, environment = [sys.executable, str(file)], os.environ | variables
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def runs(request, tmp_path_factory):
    """Those that are asked for, two at a time; the longest begins first."""
    here = [item for item in request.session.items if item.path == request.path]
    asked = {item.callspec.params["ran"] for item in here if "runs" in item.fixturenames}
    order = sorted(asked, key=lambda file: file.stem != "demo")
    folders = {file: tmp_path_factory.mktemp(file.stem) for file in order}
    with ThreadPoolExecutor(2) as pool:
        yield {file: (folder, pool.submit(example, file, folder)) for file, folder in folders.items()}


@pytest.mark.parametrize("ran", [f for f in EXAMPLES if f.stem != "demo"], ids=lambda file: file.stem)
def test_the_example_runs(ran, runs):
    done = runs[ran][1].result()
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 2
    assert "Warning" not in done.stderr


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_example_opens_with_what_it_shows_and_is_short(file):
    lines = file.read_text().splitlines()
    assert lines[0].startswith('"""')
    assert len(lines) <= (120 if file.stem == "demo" else 60)


@pytest.mark.parametrize("ran", [ROOT / "examples" / "demo.py"], ids=["demo"])
def test_the_demo_finds_hidden_labels_and_writes_a_report(ran, runs):
    """`make demo`, in a folder of its own: better than models without the graph, and all files are there."""
    folder, run = runs[ran]
    done = run.result()
    assert done.returncode == 0, done.stderr
    rows = {line.split(",")[0]: line for line in done.stdout.splitlines() if line.endswith("%")}
    ours, mlp, linear = (
        float(rows[name].split()[-2].rstrip("%")) for name in ("unifilter", "MLP", "logistic regression")
    )
    assert ours > max(mlp, linear)
    for file in (
        "analysis.html",
        "run/report.html",
        "run/predictions.parquet",
        "run/new_predictions.parquet",
    ):
        assert (folder / "demo" / file).is_file()

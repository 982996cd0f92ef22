"""Every example runs, on its own, and says something."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("file", [f for f in EXAMPLES if f.stem != "demo"], ids=lambda file: file.stem)
def test_the_example_runs(file, tmp_path):
    variables = {"UNIFILTER_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=tmp_path,  # what an example writes, it writes here
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 2
    assert "Warning" not in done.stderr


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_example_opens_with_what_it_shows_and_is_short(file):
    lines = file.read_text().splitlines()
    assert lines[0].startswith('"""')
    assert len(lines) <= (120 if file.stem == "demo" else 60)


def test_the_demo_finds_hidden_labels_and_writes_a_report(tmp_path):
    """`make demo`, in a folder of its own: better than models without the graph, and all files are there."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        cwd=tmp_path,
        env=os.environ | {"UNIFILTER_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=300,
    )
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
        assert (tmp_path / "demo" / file).is_file()

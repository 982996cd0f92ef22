"""Runs that are cut off, by Ctrl-C or worse, and go on; real processes, real signals."""

import json
import os
import signal
import time

import pandas as pd
import pytest
from typer.testing import CliRunner

from unifilter import Trained
from unifilter.cli.app import app
from unifilter.cli.resume import CONTENTS, begin, forget

from .conftest import start

RUNNER = CliRunner()
OFTEN = {"UNIFILTER_CHECKPOINT_SECONDS": "0"}
RUNS = {
    "auto": ["--budget", "none", "--epochs", "80", "--patience", "80"],
    "sgc": ["--model", "sgc", "--epochs", "3000", "--patience", "3000"],
    "unifilter": ["--model", "unifilter", "--epochs", "400", "--patience", "400", "--option", "K=4"],
}


def wait_for(path, process, seconds=60):
    """Until a file is there that a run writes."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end, f"{path} was not written"
        time.sleep(0.01)


@pytest.mark.parametrize("kind", ["auto", "unifilter"])
def test_a_run_killed_at_once_goes_on_to_the_same_result(kind, tables, tmp_path):
    """The one that is killed is a process of its own; the others are this one, which is faster."""
    words = ["fit", *tables.words, *RUNS[kind], "--no-report", "--json"]
    cut = start(*words, "--out", str(tmp_path / "cut"), **OFTEN)
    wait_for(tmp_path / "cut" / "state" / ("auto.json" if kind == "auto" else "state.json"), cut)
    time.sleep(0.3)
    os.kill(cut.pid, signal.SIGKILL)
    cut.communicate()
    assert cut.returncode == -signal.SIGKILL
    assert not (tmp_path / "cut" / "model").exists()

    again = RUNNER.invoke(app, [*words, "--out", str(tmp_path / "cut"), "--resume"])
    assert again.exit_code == 0, again.stderr
    whole = RUNNER.invoke(app, [*words, "--out", str(tmp_path / "whole")])
    found, wanted = json.loads(again.stdout), json.loads(whole.stdout)
    assert found["scores"] == wanted["scores"]
    assert found["epochs"] == wanted["epochs"]
    assert found["learned"] == wanted["learned"]
    a, b = (pd.read_parquet(tmp_path / out / "predictions.parquet") for out in ("cut", "whole"))
    pd.testing.assert_frame_equal(a, b, check_exact=True)
    assert not (tmp_path / "cut" / "state").exists()


@pytest.mark.parametrize("kind", ["auto", "sgc"])
def test_ctrl_c_leaves_the_best_so_far_and_says_so(kind, tables, tmp_path):
    endless = ["--epochs", "1000000", "--patience", "1000000"]
    words = ["fit", *tables.words, *RUNS[kind], *endless, "--no-report", "--out", str(tmp_path / "run")]
    process = start(*words, **OFTEN)
    state = tmp_path / "run" / "state"
    wait_for(state / ("auto.json" if kind == "auto" else "state.json"), process)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    said, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert "Traceback" not in error
    assert "--resume" in error
    assert str(tmp_path / "run" / "model") in said
    trained = Trained.load(tmp_path / "run" / "model")
    written = pd.read_parquet(tmp_path / "run" / "predictions.parquet").iloc[:, 2:-1].to_numpy()
    assert abs(trained.predict_proba() - written).max() < 1e-5
    record = json.loads((tmp_path / "run" / "record.jsonl").read_text())
    assert "interrupted" in record["notes"]
    assert state.exists()  # so that --resume can go on


def test_of_two_runs_in_one_folder_the_second_is_told(tables, tmp_path):
    """Also with --resume, which would read and delete the other's checkpoints."""
    endless = ["--epochs", "1000000", "--patience", "1000000", "--no-report"]
    words = ["fit", *tables.words, *RUNS["sgc"], *endless, "--out", str(tmp_path / "run")]
    first = start(*words, **OFTEN)
    wait_for(tmp_path / "run" / "state" / "state.json", first)
    for more, said in ((["--resume"], "another process is training in"), ([], "or still goes on")):
        second = RUNNER.invoke(app, [*words, *more])
        assert second.exit_code == 2
        assert said in second.stderr
    os.kill(first.pid, signal.SIGINT)
    first.communicate(timeout=60)
    assert first.returncode == 130
    assert not (tmp_path / "run" / ".lock").exists()


def test_ctrl_c_before_training_is_one_line(tmp_path):
    cache = tmp_path / "cache"
    process = start("fit", "sbm:n=300000,d=64", "--out", str(tmp_path / "run"), UNIFILTER_CACHE=str(cache))
    wait_for(cache, process)
    os.kill(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in error


def test_only_the_same_question_is_continued(tmp_path):
    asked = {"model": "sgc", "seed": 0, "weight_decay": 0.1}
    begin(tmp_path, asked, resume=False)
    begin(tmp_path, asked, resume=True)
    with pytest.raises(ValueError, match="weight-decay was 0.1 and is 0.2"):
        begin(tmp_path, asked | {"weight_decay": 0.2}, resume=True)
    with pytest.raises(ValueError, match="the tables, or the named graph, have changed since"):
        begin(tmp_path, asked | {CONTENTS: "ab12"}, resume=True)
    begin(tmp_path, asked | {"weight_decay": 0.2}, resume=False)


def test_a_fresh_start_forgets_the_checkpoints(tmp_path):
    state = begin(tmp_path, {}, resume=False)
    (state / "state.json").write_text("{}")
    begin(tmp_path, {}, resume=True)
    assert (state / "state.json").exists()
    begin(tmp_path, {}, resume=False)
    assert not list(state.iterdir())
    forget(tmp_path / "state")
    forget(tmp_path / "state")
    assert not (tmp_path / "state").exists()


def test_a_run_needs_a_folder(tmp_path):
    (tmp_path / "run").write_text("notes of mine")
    result = RUNNER.invoke(app, ["fit", "sbm:n=60", "--out", str(tmp_path / "run")])
    assert result.exit_code == 2
    assert "--out names a folder, but" in result.stderr
    assert (tmp_path / "run").read_text() == "notes of mine"

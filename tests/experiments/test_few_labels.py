import json
import subprocess
import sys
from pathlib import Path

from unifilter.train.portfolio import FEW

FOLDER = Path(__file__).parents[2] / "experiments"


def run(out: Path) -> str:
    words = [sys.executable, str(FOLDER / "few_labels.py"), "--graphs", "digits", "--best", "1"]
    done = subprocess.run([*words, "--splits", "1", "--out", str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_best_of_every_journal_is_tried_once_and_a_killed_run_goes_on(tmp_path):
    run(tmp_path)
    file = tmp_path / "digits_few.jsonl"
    lines = file.read_text().splitlines()
    settings = [json.loads(line)["setting"] for line in lines]
    assert len(settings) == len({json.dumps(s, sort_keys=True) for s in settings}) > 3
    assert {s["preprocess"] for s in settings} == {"standard"}  # what suits dense features
    file.write_text("".join(f"{line}\n" for line in lines[1:]))
    assert "0 left" in run(tmp_path)
    again = [json.loads(line)["setting"] for line in file.read_text().splitlines()]
    assert again == [*settings[1:], settings[0]]


def test_the_committed_journals_have_what_the_portfolio_needs():
    for graph in ("digits", "cora", "actor", "chameleon"):
        lines = (FOLDER / "results" / "journals" / f"{graph}_few.jsonl").read_text().splitlines()
        tried = [json.loads(line)["setting"]["training.lr"] for line in lines]
        assert {setting["training.lr"] for setting in FEW} <= set(tried)

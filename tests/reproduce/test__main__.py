import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unifilter.reproduce.__main__ import main

ROOT = Path(__file__).parents[2]
FAST = ["--splits", "2", "--epochs", "3", "--settings", "2", "--configs", str(ROOT / "experiments/configs")]


def test_it_runs_where_the_command_line_and_the_plots_are_not_installed(tmp_path):
    """Records are made on machines that have torch and little else."""
    code = (
        "import sys\n"
        "for name in ('typer', 'rich', 'plotly', 'matplotlib', 'platformdirs'): sys.modules[name] = None\n"
        "from unifilter.reproduce.__main__ import main\n"
        "raise SystemExit(main(sys.argv[1:]))"
    )
    words = ["h", "--quick", "--no-draw", "--device", "cpu", "--out", str(tmp_path)]
    environment = os.environ | {"UNIFILTER_CACHE": str(tmp_path / "cache"), "UNIFILTER_MIRROR": ""}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "0 failed, 0 left" in done.stdout
    assert not (tmp_path / "reproduction.html").exists()


def test_a_wrong_word_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no part named 'table9'"):
        main(["table9", *FAST, "--out", str(tmp_path)])


def test_with_no_time_it_only_draws(tmp_path, capsys):
    words = ["tau", *FAST, "--out", str(tmp_path), "--seconds", "0"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "0 done, 0 failed, 44 left" in said
    assert (tmp_path / "reproduction.html").exists()
    assert json.loads((tmp_path / "scale.json").read_text()) == {"settings": 2}

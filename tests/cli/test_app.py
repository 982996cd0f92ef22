"""One policy for everything that goes wrong."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from unifilter import __version__
from unifilter.cli.app import Door, app
from unifilter.data.benchmarks import MissingDataError

RUNNER = CliRunner()


def failing(error):
    """A command line whose one command raises."""
    door = typer.Typer(cls=Door, pretty_exceptions_enable=False)

    @door.callback()
    def top(debug: bool = False) -> None: ...

    @door.command()
    def fail() -> None:
        raise error

    return door


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ValueError("h must lie in [0, 1],\nbut is 2."), 2, "error: h must lie in [0, 1], but is 2."),
        (MissingDataError("cora could not be loaded"), 2, "error: cora could not be loaded"),
        (
            FileNotFoundError(2, "No such file or directory", "e.csv"),
            2,
            "error: e.csv: No such file or directory",
        ),
        (ImportError("pip install 'unifilter[viz]'."), 2, "error: pip install 'unifilter[viz]'."),
        (PermissionError(13, "Permission denied", "/root/x"), 2, "error: /root/x: Permission denied"),
        (OSError(30, "Read-only file system", "run/state"), 2, "error: run/state: Read-only file system"),
        (
            IsADirectoryError(21, "Is a directory", ".p.html.x7", None, "p.html"),
            2,
            "error: p.html: Is a directory",
        ),
        (OSError(28, "No space left on device"), 2, "error: [Errno 28] No space left on device"),
        (
            KeyError("K"),
            1,
            "error: unexpected KeyError: 'K'. This should not happen; --debug shows where it did.",
        ),
        (KeyboardInterrupt(), 130, "interrupted"),
        (typer.Exit(7), 7, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_error_is_one_line_on_stderr_and_a_code(error, code, line):
    result = RUNNER.invoke(failing(error), ["fail"])
    assert result.exit_code == code
    assert result.stderr.strip() == line
    assert result.stdout == ""


@pytest.mark.parametrize("words", [["--debug", "fail"], ["fail", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(words):
    result = RUNNER.invoke(failing(KeyError("K")), words)
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert "raise error" in result.stderr
    assert result.stderr.strip().endswith("error: unexpected KeyError: 'K'")


@pytest.mark.parametrize(
    "words", [["nothing"], ["analyze", "--nothing"], ["analyze", "digits", "--seed", "x"]]
)
def test_wrong_usage_is_wrong_input(words):
    result = RUNNER.invoke(app, words)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize("words", [[], ["analyze"], ["datasets"], ["datasets", "fetch"]])
def test_every_command_has_help_and_says_how_it_is_used(words):
    result = RUNNER.invoke(app, [*words, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.stdout
    if words:
        assert "Examples" in result.stdout
        assert "--json" in result.stdout


@pytest.mark.parametrize("command", ["fit", "analyze", "predict", "evaluate", "compare", "reproduce"])
def test_no_word_of_the_help_is_cut_at_80_columns(command):
    shown = RUNNER.invoke(app, [command, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_the_version_is_the_package_s():
    assert RUNNER.invoke(app, ["--version"]).stdout == f"unifilter {__version__}\n"


def test_the_module_runs_as_a_script():
    command = [sys.executable, "-m", "unifilter.cli.app", "analyze", "no-such-graph"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is no dataset named 'no-such-graph'.")
    assert len(done.stderr.splitlines()) == 1


def test_errors_speak_of_flags(tmp_path):
    (tmp_path / "e.csv").write_text("a b\n0 1\n1 2\n")
    said = CliRunner().invoke(app, ["analyze", "--edges", str(tmp_path / "e.csv")]).stderr
    assert "(--source)" in said
    assert "--delimiter ' '" in said
    assert "source=" not in said

"""Dataclass fields and flags are the same thing."""

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from unifilter.cli.flags import flags


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option("--wide", help="In cells.")]
    height: int = 2
    marks: list[str] = field(default_factory=list)


@flags
def draw(name: str, size: Size, twice: bool = False) -> None:
    """Draw a box."""
    print(name, size, twice)


def run(*words):
    app = typer.Typer()
    app.command()(draw)
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["box", "--wide", "3"], "box Size(width=3, height=2, marks=[]) False"),
        (
            ["box", "--wide", "3", "--height", "4", "--marks", "a", "--marks", "b", "--twice"],
            "box Size(width=3, height=4, marks=['a', 'b']) True",
        ),
    ],
)
def test_flags_become_the_dataclass(words, said):
    assert run(*words).stdout.strip() == said


def test_a_field_without_default_is_required_and_types_are_checked():
    assert run("box").exit_code == 2
    assert run("box", "--wide", "x").exit_code == 2


def test_the_help_is_the_field_s_and_the_command_s():
    text = run("--help").stdout
    assert "In cells." in text
    assert "Draw a box." in text
    assert "--size" not in text

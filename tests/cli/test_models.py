"""`unifilter models`: what there is to train."""

import json
from io import StringIO

import pytest
from typer.testing import CliRunner

from unifilter.cli import models as command
from unifilter.cli.app import app
from unifilter.cli.fit import parse_options
from unifilter.models import create, model_class, names

RUNNER = CliRunner()


def models(*words):
    return RUNNER.invoke(app, ["models", *words])


def test_every_model_has_one_line_with_all_that_is_known_of_it():
    lines = models().stdout.splitlines()
    assert lines[0].split("  ")[0] == "name"
    for name in names():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        card = model_class(name).card
        parts = [part.strip() for part in line.split("  ") if part.strip()]
        assert parts[:5] == [name, str(card.year), card.kind, card.propagates, card.cost]
        assert int(parts[5].rstrip("+").replace(",", "")) >= 0
        assert parts[6] == card.paper


class Window(StringIO):
    """Text that goes to a terminal."""

    def isatty(self):
        return True


def test_a_window_cuts_lines_and_does_not_fold_them(monkeypatch):
    window = Window()
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout", window)
    command.models()
    table = window.getvalue().split("\n\n")[0].splitlines()
    assert len(table) == len(names()) + 1
    assert max(map(len, table)) <= 60


def test_json_is_every_card():
    found = json.loads(models("--json").stdout)
    assert sorted(found) == names()
    assert found["sgc"]["year"] == 2019
    assert found["unifilter"]["propagates"] == "X, once"
    assert found["sgc"]["parameters"] == 505
    assert found["gcn"]["cost"] == model_class("gcn").card.cost


@pytest.mark.parametrize("name", ["bernnet", "linkx", "labelpropagation", "boosting"])
def test_one_model_shows_its_paper_and_its_options(name):
    text = models(name).stdout
    cls = model_class(name)
    assert cls.card.paper in text
    assert "--option K=" in text or name == "linkx"
    assert "parameters with default options" in text


def test_options_that_several_models_share_are_explained_too():
    for name in ("gcn", "bernnet", "optbasis"):
        text = models(name).stdout.split("Defaults:")[0]
        assert "hidden" in text
        assert "dropout" in text


def test_parameters_are_counted():
    count = sum(p.numel() for p in create("sgc", 100, 5).parameters())
    assert f"{count:,} parameters" in models("sgc").stdout


def test_parameters_of_every_node_are_told_and_not_counted():
    """LINKX, by hand: bias of A; X; what joins them; the last two layers with their norm."""
    found = json.loads(models("linkx", "--json").stdout)
    assert found["parameters"] == 64 + 101 * 64 + 129 * 64 + 65 * 64 + 2 * 64 + 65 * 5
    assert "some for every node" in models("linkx").stdout
    assert found["node_parameters"]
    assert not json.loads(models("gcn", "--json").stdout)["node_parameters"]


def test_defaults_can_be_pasted_behind_fit():
    """Each line is an --option as `unifilter fit` reads it."""
    for name in ("unifilter", "boosting", "mixhop", "gcn"):
        lines = models(name).stdout.split("Defaults:")[1].split("\n")
        given = [line.strip().removeprefix("--option ") for line in lines if "--option" in line]
        assert model_class(name).Config(**parse_options(name, given)) == model_class(name).Config()


def test_one_model_as_json_has_its_options():
    found = json.loads(models("sgc", "--json").stdout)
    assert found["options"]["K"] == model_class("sgc").Config().K


def test_an_unknown_model_is_answered_with_near_ones():
    result = models("bernet")
    assert result.exit_code == 2
    assert "Did you mean bernnet" in result.stderr

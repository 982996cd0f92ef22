"""What a person sees while a model trains, and after."""

from io import StringIO

import pytest
from rich.console import Console

from unifilter import Training, run, splits
from unifilter.cli.show import Display, summary
from unifilter.data.embedded import build
from unifilter.train.auto import choose


@pytest.fixture
def display():
    """A display whose terminal is a text."""
    found = Display()
    found.console = Console(file=StringIO(), force_terminal=True, width=160)
    found.bar.live.console = found.console
    return found


def task(display):
    (only,) = display.bar.tasks
    return only


def test_a_race_shows_its_stage_its_clock_and_its_best(display):
    data = build("sbm:n=200,h=0.9,d=6")
    seen = []

    def progress(now):
        display.progress(now)
        seen.append((task(display).description, task(display).fields["words"], task(display).total))

    with display:
        assert task(display).description == "preparing"
        choose(data, splits.stratified(data.y), budget="1m", K=2, epochs=30, on_progress=progress)
    assert seen[0][0] == "trying settings"
    assert "settings, validation" in seen[0][1]
    assert seen[0][2] == 60.0


def test_a_model_shows_its_losses_and_what_it_learns(display, monkeypatch):
    data = build("sbm:n=200,h=0.9,d=6")
    training = Training(epochs=5)
    moments = iter(range(100))
    monkeypatch.setattr("unifilter.cli.show.time.monotonic", lambda: float(next(moments)))
    with display:
        show = display.epochs(training)
        run(data, splits.stratified(data.y), "unifilter", {"K": 2}, training, on_epoch=show)
        shown = task(display)
    assert shown.completed == 5
    assert shown.total == 5
    for said in ("loss", "validation", "best", "tau", "h 0."):
        assert said in shown.fields["words"]


def test_an_epoch_callback_never_stops_training(display):
    data = build("sbm:n=100,h=0.9,d=6")
    with display:
        show = display.epochs(Training(epochs=3))
        result = run(data, splits.stratified(data.y), "sgc", {}, Training(epochs=3), on_epoch=show)
    assert result.record.epochs == 3


def test_a_quiet_display_says_nothing(capsys):
    with Display(quiet=True):
        pass
    assert capsys.readouterr() == ("", "")


def test_the_summary_names_scores_and_files_in_one_piece(tmp_path, capsys):
    data = build("sbm:n=200,h=0.9,d=6")
    result = run(data, splits.stratified(data.y), "sgc", {}, Training(epochs=3))
    far = tmp_path / ("a" * 90) / "run"
    summary(data, result, far, report=True)
    text = capsys.readouterr().out
    for said in ("train", "val", "test", "accuracy", "log loss", "sgc: 3 epochs"):
        assert said in text
    rows = [line.split("│")[1:3] for line in text.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["train", "120"],
        ["val", "40"],
        ["test", "40"],
    ]
    for file in ("predictions.parquet", "model", "report.html"):
        assert str(far / file) in text
    summary(data, result, far, report=False)
    assert "report.html" not in capsys.readouterr().out


def test_scores_of_a_split_that_kept_no_test_nodes_are_not_left_without_a_word(tmp_path, capsys):
    data = build("sbm:n=200,h=0.9,d=6")
    for train, said in ((0.6, False), (0.8, True)):
        result = run(data, splits.stratified(data.y, train, 0.2), "sgc", {}, Training(epochs=3))
        summary(data, result, tmp_path, report=False)
        text = " ".join(capsys.readouterr().out.split())
        assert ("no node was kept out as a test, so these scores flatter" in text) == said


def test_of_a_committee_tau_and_h_are_called_means(tmp_path, capsys):
    data = build("sbm:n=200,h=0.9,d=6")
    for model, options in (("committee", {"K": 2}), ("unifilter", {"K": 2})):
        result = run(data, splits.stratified(data.y), model, options, Training(epochs=3))
        summary(data, result, tmp_path, report=False)
        text = " ".join(capsys.readouterr().out.split())
        assert ("; mean tau" in text) == ("mean h 0" in text) == (model == "committee")
        assert "temperature" in text

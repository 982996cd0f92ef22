"""`unifilter compare`, and whose settings it takes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unifilter.cli import compare as room
from unifilter.cli.app import app
from unifilter.cli.compare import published
from unifilter.models import names
from unifilter.presets import preset
from unifilter.record import read
from unifilter.train.compare import Comparison

RUNNER = CliRunner()
CONFIGS = Path(__file__).parents[2] / "experiments" / "configs"
GRAPH = "sbm:n=200,h=0.9,d=8"


def run(*words, out):
    return RUNNER.invoke(app, ["compare", *words, "--out", str(out)])


@pytest.fixture
def cut(tmp_path):
    """Words that keep training short, and where runs go."""
    return ["--splits", "stratified:2", "--epochs", "5"], tmp_path / "runs.jsonl"


def test_the_table_names_every_model_and_where_the_runs_are(cut):
    words, out = cut
    result = run(GRAPH, "--models", "sgc,mlp", *words, out=out)
    assert result.exit_code == 0, result.output
    for word in ("sgc", "mlp", "default", "±", "parameters"):
        assert word in result.stdout
    assert {r.model for r in read(out)} == {"sgc", "mlp"}
    assert all(r.epochs == 5 for r in read(out))


def test_machines_get_rows_and_reasons_and_a_second_call_trains_nothing(cut):
    words, out = cut
    first, second = (run(GRAPH, "--models", "sgc,mlp,sgc", *words, "--json", out=out) for _ in range(2))
    found = json.loads(first.stdout)
    assert [row["runs"] for row in found["rows"]] == [2, 2]
    assert found["failed"] == {}
    assert second.stdout == first.stdout
    assert len(read(out)) == 4


def test_auto_takes_part_and_says_whose_settings_it_has(cut):
    words, out = cut
    result = run(GRAPH, "--models", "auto,sgc", *words, "--budget", "1s", "--json", out=out)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert {r["model"]: r["settings"] for r in rows} == {"auto": "portfolio", "sgc": "default"}


@pytest.mark.parametrize(("said", "time"), [("5m", "5m"), ("none", None)])
def test_the_budget_reaches_auto_and_all_is_every_model(cut, monkeypatch, said, time):
    asked = []

    def fake(dataset, trials, entries, **given):
        asked.extend(entries)
        return Comparison({}, {e.model: "not now" for e in entries})

    monkeypatch.setattr(room, "train", fake)
    words, out = cut
    run(GRAPH, "--models", "auto", *words, "--budget", said, out=out)
    assert asked.pop().options == {"budget": time}
    run(GRAPH, *words, out=out)
    assert [e.model for e in asked] == names()


def test_auto_scales_the_columns_of_a_table_itself_as_in_fit(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        room,
        "train",
        lambda dataset, *_, raw, **__: seen.append((dataset, raw)) or Comparison({}, {"a": "b"}),
    )
    rows = [f"{i},{100 * (i % 7)},{'xy'[i % 2]}" for i in range(40)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,a,label", *rows]))
    (tmp_path / "edges.csv").write_text("\n".join(["src,dst", *(f"{i},{(i + 1) % 40}" for i in range(40))]))
    tables = ["--edges", str(tmp_path / "edges.csv"), "--nodes", str(tmp_path / "nodes.csv")]
    for how, scaling in (("auto", "none"), ("row", "row")):
        run(*tables, "--models", "auto", "--preprocessing", how, out=tmp_path / "runs.jsonl")
        dataset, raw = seen.pop()
        assert raw.preprocessing == scaling
        assert dataset.preprocessing == ("standard" if how == "auto" else "row")


def test_a_budget_that_is_no_time_is_said_before_anything_is_trained(cut):
    words, out = cut
    result = run(GRAPH, "--models", "auto,sgc", *words, "--budget", "soon", out=out)
    assert result.exit_code != 0
    assert not out.exists()


def test_a_class_that_cannot_be_divided_is_refused(tmp_path):
    ids = range(40)
    edges = ["src,dst", *(f"{i},{(i + 1) % 40}" for i in ids)]
    nodes = ["id,a,label", *(f"{i},{i % 7},{'rare' if i < 2 else 'xy'[i % 2]}" for i in ids)]
    (tmp_path / "edges.csv").write_text("\n".join(edges))
    (tmp_path / "nodes.csv").write_text("\n".join(nodes))
    tables = [
        "--edges",
        str(tmp_path / "edges.csv"),
        "--nodes",
        str(tmp_path / "nodes.csv"),
        "--label",
        "label",
    ]
    result = run(*tables, "--models", "mlp", "--splits", "stratified:2", out=tmp_path / "runs.jsonl")
    assert result.exit_code != 0
    assert "fewer than 3 labelled nodes" in str(result.exception) + result.output


def test_published_settings_come_from_the_folder(cut, tmp_path):
    words, out = cut
    (tmp_path / "sgc.toml").write_text(
        f'source = "us"\n["{GRAPH}".stratified]\npreprocess = "standard"\n'
        "options = { K = 1 }\ntraining = { lr = 0.5 }\n"
    )
    more = ["--settings", "published", "--configs", str(tmp_path), "--json"]
    found = json.loads(run(GRAPH, "--models", "sgc,mlp", *words, *more, out=out).stdout)
    assert {r["model"]: r["settings"] for r in found["rows"]} == {"sgc": "published", "mlp": "default"}
    record = next(r for r in read(out) if r.model == "sgc")
    assert (record.config["K"], record.training["lr"], record.dataset["preprocessing"]) == (
        1,
        0.5,
        "standard",
    )


def test_published_settings_bring_their_grid_and_unifilter_has_its_own():
    found = published(CONFIGS, ["asgc", "unifilter", "mlp", "gcn"], "cora", "quota")
    assert set(found) == {"asgc", "unifilter"}
    assert len(found["asgc"].candidates()) == 20
    assert found["unifilter"].training == preset("cora").training
    assert "gcn" in published(CONFIGS, ["gcn"], "cora", "fixed")


def test_a_model_that_fails_is_listed_with_its_reason(cut, tmp_path):
    words, out = cut
    (tmp_path / "sgc.toml").write_text(f'["{GRAPH}".stratified]\npreprocess = "log1p"\n')
    more = ["--settings", "published", "--configs", str(tmp_path)]
    result = run(GRAPH, "--models", "sgc,mlp", *words, *more, out=out)
    assert result.exit_code == 0
    assert "sgc was not trained: log1p needs features above -1" in " ".join(result.stdout.split())
    assert run(GRAPH, "--models", "sgc", *words, *more, out=out).exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--models", "sgcc"], "there is no model named 'sgcc'. Did you mean sgc"),
        (["--models", "sgc", "--splits", "quota:99"], "there are seeds for 10 quota splits"),
        (
            ["--models", "sgc", "--splits", "fixed:2"],
            "--splits quota, --splits stratified and --splits random",
        ),
        (["--models", "sgc", "--settings", "published", "--configs", "nowhere"], "no settings in nowhere"),
    ],
)
def test_wrong_input_is_said_before_anything_is_trained(words, message, tmp_path):
    result = run(GRAPH, *words, out=tmp_path / "runs.jsonl")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "runs.jsonl").exists()


def test_published_settings_and_a_scaling_of_one_s_own_exclude_each_other(tmp_path):
    words = ["--models", "sgc", "--settings", "published", "--configs", str(tmp_path)]
    result = run(GRAPH, *words, "--preprocessing", "row", out=tmp_path / "runs.jsonl")
    assert result.exit_code == 2
    assert "leave out --preprocessing" in result.stderr


def test_doubtful_labels_are_noted_and_nodes_without_features_get_signals(cut, tmp_path):
    words, out = cut
    (tmp_path / "e.csv").write_text("src,dst\n" + "".join(f"{i},{(i + 1) % 24}\n" for i in range(24)))
    rows = "".join(f"{i},{('a', 'A', 'b')[i % 3]}\n" for i in range(24))
    (tmp_path / "n.csv").write_text("id,label\n" + rows)
    tables = ["--edges", str(tmp_path / "e.csv"), "--nodes", str(tmp_path / "n.csv")]
    result = run(*tables, "--models", "sgc,mlp", *words, out=out)
    assert result.exit_code == 0, result.stderr
    assert "classes 'A', 'a' are different classes" in result.stderr
    assert "512 random signals take their place" in result.stderr

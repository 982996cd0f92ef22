"""`unifilter fit`: the walk from tables to predictions, and what can go wrong on the way."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from unifilter import Trained
from unifilter.cli.app import app
from unifilter.cli.fit import parse_options, write_predictions

RUNNER = CliRunner()
AUTO = ("--budget", "none", "--epochs", "15")
SGC = ("--model", "sgc", "--epochs", "60", "--no-report")


def fit(*words):
    return RUNNER.invoke(app, ["fit", *map(str, words)])


@pytest.fixture(scope="module")
def walked(tables, tmp_path_factory):
    """One automatic fit with everything."""
    out = tmp_path_factory.mktemp("walk") / "run"
    result = fit(*tables.words, *AUTO, "--out", out)
    assert result.exit_code == 0, result.stderr
    return out, result


def test_the_walk_leaves_model_predictions_report_and_record(walked, tables):
    out, _ = walked
    assert sorted(p.name for p in out.iterdir()) == [
        "arguments.json",
        "model",
        "predictions.parquet",
        "record.jsonl",
        "report.html",
    ]
    found = pd.read_parquet(out / "predictions.parquet")
    assert list(found.columns) == ["id", "class", "p(ape)", "p(bee)", "p(cat)", "part"]
    assert found["id"].tolist() == pd.read_parquet(tables["nodes"])["who"].tolist()
    p = found[["p(ape)", "p(bee)", "p(cat)"]].to_numpy()
    assert_allclose(p.sum(axis=1), 1)
    assert found["class"].tolist() == [("ape", "bee", "cat")[i] for i in p.argmax(axis=1)]


def test_hidden_labels_are_found(walked, tables):
    found = pd.read_parquet(walked[0] / "predictions.parquet").set_index("id")["class"]
    truth = pd.read_parquet(tables["truth"]).set_index("who")["animal"]
    both = truth.index.intersection(found.index)
    assert len(both) > 80
    assert (found[both] == truth[both]).mean() > 0.6


def test_the_record_says_what_was_done(walked):
    lines = (walked[0] / "record.jsonl").read_text().splitlines()
    assert len(lines) == 1
    record = json.loads(lines[0])
    assert record["model"] in (
        "unifilter",
        "committee",
    )  # whether one or several predict is decided on the data
    assert record["scores"]["test"]["accuracy"] > 0.4
    assert len(record["candidates"]) > 1


def test_the_model_predicts_what_was_written(walked):
    out, _ = walked
    written = pd.read_parquet(out / "predictions.parquet").iloc[:, 2:-1].to_numpy()
    assert_allclose(Trained.load(out / "model").predict_proba(), written, atol=1e-5)


def test_words_say_how_the_tables_were_read_and_where_all_lies(walked):
    out, result = walked
    for said in ("test", "accuracy", str(out / "predictions.parquet"), str(out / "report.html"), "248 nodes"):
        assert said in result.stdout
    assert result.stderr == ""


def test_csv_gives_what_parquet_gives(walked, csv_tables, tmp_path):
    result = fit(*csv_tables.words, *AUTO, "--no-report", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.stderr
    ours, theirs = (pd.read_parquet(f / "predictions.parquet") for f in (tmp_path / "run", walked[0]))
    pd.testing.assert_frame_equal(ours, theirs, atol=1e-5)
    assert not (tmp_path / "run" / "report.html").exists()


def test_json_is_the_record_and_how_the_tables_were_read(tables, tmp_path):
    result = fit(*tables.words, *SGC, "--json", "--out", tmp_path / "run")
    said = json.loads(result.stdout)
    assert len(result.stdout.splitlines()) == 1
    assert any(line.startswith("edges: ") for line in said.pop("tables"))
    # What simpler means reach is told without a report too.
    assert [row["model"].split()[0] for row in said.pop("beside")] == ["sgc", "logistic", "label", "naming"]
    assert said == json.loads((tmp_path / "run" / "record.jsonl").read_text())
    assert result.stderr == ""


def test_several_tables_of_edges_are_all_read(tables, tmp_path):
    edges = pd.read_parquet(tables["edges"])
    edges[:100].to_parquet(tmp_path / "a.parquet")
    edges[100:].to_parquet(tmp_path / "b.parquet")
    words = [tmp_path / "a.parquet" if word == tables["edges"] else word for word in tables.words]
    words += ["--edges", tmp_path / "b.parquet", *SGC, "--json"]
    halves, whole = (
        json.loads(fit(*given, "--out", tmp_path / f"run{i}").stdout)
        for i, given in enumerate((words, [*tables.words, *SGC, "--json"]))
    )
    assert halves["dataset"]["edges"] == whole["dataset"]["edges"]
    assert halves["scores"] == whole["scores"]
    assert (
        f"edges: {len(edges):,} rows (a.parquet 100, b.parquet {len(edges) - 100:,})" in halves["tables"][1]
    )


def test_a_column_of_the_nodes_may_say_who_trains_and_tests(tables, tmp_path):
    nodes = pd.read_parquet(tables["nodes"])
    nodes["role"] = np.resize(["train", "train", "val", "test", None], len(nodes))
    nodes.to_parquet(tmp_path / "nodes.parquet")
    words = [tmp_path / "nodes.parquet" if word == tables["nodes"] else word for word in tables.words]
    result = fit(*words, *SGC, "--split", "column:role", "--json", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.stderr
    said = json.loads(result.stdout)
    assert said["split"]["name"] == "column:role"
    assert any("from which 6 features" in line for line in said["tables"])
    part = pd.read_parquet(tmp_path / "run" / "predictions.parquet")["part"]
    assert part.replace("validation", "val").tolist() == nodes["role"].tolist()
    later = ["predict", tmp_path / "run", "--nodes", tables["new_nodes"], "--edges", tables["new_edges"]]
    assert RUNNER.invoke(app, [*map(str, later)]).exit_code == 0


def test_class_weights_reach_the_candidates_of_auto(tables, tmp_path):
    words = ("--budget", "1s", "--epochs", "5", "--class-weights", "--json", "--no-report")
    record = json.loads(fit(*tables.words, *words, "--out", tmp_path / "run").stdout)
    assert record["training"]["class_weights"]


def test_v_may_be_kept_in_half_precision(tables, tmp_path):
    words = ("--model", "unifilter", "--epochs", "5", "--half", "--json", "--no-report")
    record = json.loads(fit(*tables.words, *words, "--out", tmp_path / "run").stdout)
    assert "trained on V in bfloat16" in record["notes"]


def test_options_reach_the_model(tables, tmp_path):
    result = fit(*tables.words, *SGC, "--option", "K=1", "--lr", "0.2", "--json", "--out", tmp_path / "run")
    record = json.loads(result.stdout)
    assert record["config"]["K"] == 1
    assert record["training"]["lr"] == 0.2


def test_scaling_is_kept_for_newcomers(tables, tmp_path):
    """The model keeps features as they came, and the way they were scaled."""
    words = ("--preprocessing", "standard", "--out", tmp_path / "run")
    assert fit(*tables.words, *SGC, *words).exit_code == 0
    trained = Trained.load(tmp_path / "run" / "model")
    assert trained.preprocessing == "standard"
    raw = pd.read_parquet(tables["nodes"]).filter(like="x").to_numpy()
    assert_allclose(trained.dataset.X, raw, atol=1e-6)


def test_a_named_graph_needs_no_tables(tmp_path):
    words = ("sbm:n=200,h=0.9", "--split", "stratified:0.5/0.25:3", *SGC, "--out", tmp_path / "run")
    assert fit(*words).exit_code == 0
    assert pd.read_parquet(tmp_path / "run" / "predictions.parquet")["id"].tolist() == list(range(200))


def test_a_model_that_is_there_is_not_overwritten(tables, tmp_path):
    words = (*tables.words, *SGC, "--out", tmp_path / "run")
    assert fit(*words).exit_code == 0
    before = (tmp_path / "run" / "record.jsonl").read_text()
    result = fit(*words)
    assert result.exit_code == 2
    assert "holds a trained model already" in result.stderr
    assert (tmp_path / "run" / "record.jsonl").read_text() == before


def test_a_complete_run_has_nothing_to_resume(tables, tmp_path):
    words = (*tables.words, *SGC, "--out", tmp_path / "run")
    assert fit(*words).exit_code == 0
    again = fit(*words, "--resume")
    assert again.exit_code == 0
    assert "nothing to resume" in again.stdout
    as_json = fit(*words, "--resume", "--json")
    assert as_json.stdout == (tmp_path / "run" / "record.jsonl").read_text()


def test_without_plotly_all_but_the_report_is_written(tables, tmp_path, monkeypatch):
    monkeypatch.setattr("unifilter.cli.fit.find_spec", lambda name: None)
    words = ("--model", "sgc", "--epochs", "3", "--out", tmp_path / "run")
    result = fit(*tables.words, *words)
    assert result.exit_code == 0
    assert "pip install 'unifilter[viz]'" in result.stderr
    assert "report:" not in result.stdout
    assert (tmp_path / "run" / "predictions.parquet").exists()


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["K=5", "tau=learn"], {"K": 5, "tau": "learn"}),
        (["tau=0.25", "h=1"], {"tau": 0.25, "h": 1}),
        (["batch_norm=True", "residual=false"], {"batch_norm": True, "residual": False}),
        (['tau="learn"'], {"tau": "learn"}),
    ],
)
def test_options_are_read_as_json_or_text(given, wanted):
    assert parse_options("unifilter", given) == wanted


def test_a_list_becomes_a_tuple():
    assert parse_options("boosting", ["taus=[1.0, 0.5]"]) == {"taus": (1.0, 0.5)}


@pytest.mark.parametrize("given", ["K=true", "batch_norm=1", "dropout=big", "K=null"])
def test_an_option_of_another_type_is_refused(given):
    with pytest.raises(ValueError, match="of unifilter must be"):
        parse_options("unifilter", [given])


def test_predictions_without_ids_are_numbered(tmp_path):
    write_predictions(tmp_path / "deep" / "p.parquet", None, ("a", "b"), np.array([[0.3, 0.7], [0.9, 0.1]]))
    found = pd.read_parquet(tmp_path / "deep" / "p.parquet")
    assert found.to_dict("list") == {
        "id": [0, 1],
        "class": ["b", "a"],
        "p(a)": [0.3, 0.9],
        "p(b)": [0.7, 0.1],
    }
    assert len(list((tmp_path / "deep").iterdir())) == 1


def test_a_complete_run_of_another_model_is_not_taken_for_this_one(tables, tmp_path):
    words = (*tables.words, "--epochs", "3", "--no-report", "--out", tmp_path / "run")
    assert fit(*words, "--model", "sgc").exit_code == 0
    for other in (("--model", "gcn"), ("--model", "sgc", "--seed", "1"), ("--model", "auto")):
        again = fit(*words, *other, "--resume")
        assert again.exit_code == 2
        assert "--resume continues a run with the same arguments" in again.stderr
    assert "nothing to resume" in fit(*words, "--model", "sgc", "--resume").stdout
    assert not (tmp_path / "run" / "state").exists()


def test_a_run_that_was_cut_off_is_neither_thrown_away_nor_continued_on_other_data(
    tables, tmp_path, monkeypatch
):
    nodes, out = tmp_path / "nodes.parquet", tmp_path / "run"
    table = pd.read_parquet(tables["nodes"])
    table.to_parquet(nodes)
    words = [nodes if word == tables["nodes"] else word for word in tables.words]
    words += ["--model", "sgc", "--epochs", "3", "--no-report", "--out", out]
    with monkeypatch.context() as cut_off:  # its checkpoints stay, and nothing else of it
        cut_off.setattr("unifilter.cli.fit.forget", lambda state: None)
        assert fit(*words).exit_code == 0
    shutil.rmtree(out / "model")
    assert "holds a run that was cut off" in fit(*words).stderr
    table.assign(x0=table["x0"] + 1).to_parquet(nodes)
    changed = fit(*words, "--resume")
    assert changed.exit_code == 2
    assert "the tables, or the named graph, have changed since" in changed.stderr
    table.to_parquet(nodes)
    assert fit(*words, "--resume").exit_code == 0
    table.assign(x0=table["x0"] + 1).to_parquet(nodes)  # of a complete run too
    assert "the tables, or the named graph, have changed since" in fit(*words, "--resume").stderr


def test_predictions_are_csv_where_the_name_says_so_and_other_names_are_refused(tmp_path):
    p = np.array([[0.9, 0.1], [0.2, 0.8]])
    write_predictions(tmp_path / "p.csv", None, ["a", "b"], p)
    assert pd.read_csv(tmp_path / "p.csv")["class"].tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"\.parquet or \.csv"):
        write_predictions(tmp_path / "p.xlsx", None, ["a", "b"], p)


def test_nodes_without_features_are_told_apart_by_whom_they_reach(tables, tmp_path):
    nodes = pd.read_parquet(tables["nodes"])[["who", "animal"]]
    nodes.to_parquet(tmp_path / "nodes.parquet")
    words = [tmp_path / "nodes.parquet" if word == tables["nodes"] else word for word in tables.words]
    options = (
        "--model",
        "unifilter",
        "--option",
        "K=4",
        "--epochs",
        "60",
        "--out",
        tmp_path / "run",
        "--json",
    )
    result = fit(*words, *options)
    assert result.exit_code == 0, result.stderr
    assert "512 random signals take their place" in result.stderr
    found = json.loads(result.stdout)
    assert found["scores"]["test"]["accuracy"] > 0.6
    assert [row["model"].split()[0] for row in found["beside"]] == ["unifilter", "label", "naming"]
    assert (tmp_path / "run" / "report.html").exists()
    later = ["predict", tmp_path / "run", "--nodes", tables["new_nodes"], "--edges", tables["new_edges"]]
    assert RUNNER.invoke(app, [*map(str, later)]).exit_code == 0
    plain = fit(*words, "--model", "labelpropagation", "--no-report", "--out", tmp_path / "plain")
    assert plain.exit_code == 0
    assert "random signals" not in plain.stderr

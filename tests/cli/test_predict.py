"""`unifilter predict`: nodes that arrive after training."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from unifilter import Trained
from unifilter.cli.app import app

RUNNER = CliRunner()


def invoke(*words):
    return RUNNER.invoke(app, [*map(str, words)])


@pytest.fixture(scope="module", params=["unifilter", "sgc"])
def run(request, tables, tmp_path_factory):
    out = tmp_path_factory.mktemp("fit") / "run"
    options = ("--model", request.param, "--epochs", "80", "--preprocessing", "standard", "--no-report")
    assert invoke("fit", *tables.words, *options, "--out", out).exit_code == 0
    return out


def test_new_tables_are_predicted_as_the_model_does(run, tables):
    result = invoke("predict", run, "--nodes", tables["new_nodes"], "--edges", tables["new_edges"])
    assert result.exit_code == 0, result.stderr
    found = pd.read_parquet(run / "new_predictions.parquet")
    nodes, edges = pd.read_parquet(tables["new_nodes"]), pd.read_parquet(tables["new_edges"])
    assert found["id"].tolist() == nodes["who"].tolist()
    assert list(found.columns) == ["id", "class", "p(ape)", "p(bee)", "p(cat)"]

    every = [*pd.read_parquet(tables["nodes"])["who"], *nodes["who"]]
    number = {name: i for i, name in enumerate(every)}
    numbers = np.array([[number[name] for name in edges[end]] for end in ("from", "to")])
    wanted = Trained.load(run / "model").predict_new(nodes.filter(like="x").to_numpy(), numbers)
    assert_allclose(found.iloc[:, 2:].to_numpy(), wanted, atol=1e-6)

    truth = pd.read_parquet(tables["truth"]).set_index("who")["animal"][found["id"]]
    assert (found["class"].to_numpy() == truth.to_numpy()).mean() >= 0.5
    assert f"predictions of {len(nodes)} new nodes: {run / 'new_predictions.parquet'}" in result.stdout


def test_json_is_a_line_a_node_and_out_says_where(run, tables, tmp_path):
    words = ("--nodes", tables["new_nodes"], "--edges", tables["new_edges"], "--out", tmp_path / "p.parquet")
    lines = [json.loads(line) for line in invoke("predict", run, *words, "--json").stdout.splitlines()]
    written = pd.read_parquet(tmp_path / "p.parquet")
    assert [line["id"] for line in lines] == written["id"].tolist()
    assert [line["class"] for line in lines] == written["class"].tolist()
    assert_allclose(lines[0]["p"]["bee"], written["p(bee)"][0])


def test_a_csv_is_one_and_a_name_that_cannot_be_written_is_refused_before_the_work(run, tables, tmp_path):
    words = ("--nodes", tables["new_nodes"], "--edges", tables["new_edges"])
    assert invoke("predict", run, *words, "--out", tmp_path / "p.csv").exit_code == 0
    assert pd.read_csv(tmp_path / "p.csv").columns[0] == "id"
    refused = invoke("predict", tmp_path / "nothing here", *words, "--out", tmp_path / "p.txt")
    assert ".parquet or .csv" in refused.stderr


def test_the_model_s_own_folder_does_as_well(run, tables, tmp_path):
    words = ("--nodes", tables["new_nodes"], "--edges", tables["new_edges"], "--out", tmp_path / "p.parquet")
    assert invoke("predict", run / "model", *words).exit_code == 0


def test_what_was_filled_or_dropped_is_noted(run, tmp_path):
    (tmp_path / "n.csv").write_text("who,x0,x1,x2,x3,x4,x5\nzoe,1,,0,0,0,0\nyan,1,1,0,0,0,0\n")
    (tmp_path / "e.csv").write_text("from,to\nzoe,node 001\nzoe,nobody\nnode 001,node 002\n")
    result = invoke("predict", run, "--nodes", tmp_path / "n.csv", "--edges", tmp_path / "e.csv")
    assert result.exit_code == 0, result.stderr
    as_json = invoke("predict", run, "--nodes", tmp_path / "n.csv", "--edges", tmp_path / "e.csv", "--json")
    for said in ("filled with the training median", "nobody", "frozen", "have no edge (first: id 'yan')"):
        assert said in result.stdout
        assert said in as_json.stderr  # beside the lines for machines
    assert len(as_json.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("nodes", "edges", "said"),
    [
        ("who,x0\nzoe,1\n", "from,to\nzoe,node 001\n", "must have one column 'x1'"),
        ("who,x0,x1,x2,x3,x4,x5\nnode 001,0,0,0,0,0,0\n", "from,to\nnode 001,node 002\n", "ids that are new"),
        ("who,x0,x1,x2,x3,x4,x5\nzoe,0,0,0,0,0,0\n", "a,b\nzoe,node 002\n", "from"),
    ],
    ids=["a column is missing", "an old node", "edges of other columns"],
)
def test_wrong_tables_are_one_line(run, tmp_path, nodes, edges, said):
    (tmp_path / "n.csv").write_text(nodes)
    (tmp_path / "e.csv").write_text(edges)
    result = invoke("predict", run, "--nodes", tmp_path / "n.csv", "--edges", tmp_path / "e.csv")
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_folder_without_a_model_is_named(tables, tmp_path):
    result = invoke("predict", tmp_path, "--nodes", tables["new_nodes"], "--edges", tables["new_edges"])
    assert result.exit_code == 2
    assert "holds no trained model" in result.stderr


def test_nodes_without_edges_come_alone(run, tables, tmp_path):
    words = ("predict", run, "--nodes", tables["new_nodes"], "--out", tmp_path / "p.parquet")
    result = RUNNER.invoke(app, [*map(str, words)])
    assert result.exit_code == 0, result.stderr
    assert "no edges, so that the nodes are predicted by their features alone" in result.stdout
    trained, new = Trained.load(run / "model"), pd.read_parquet(tables["new_nodes"])
    wanted = trained.predict_new(new.drop(columns="who").to_numpy(), np.empty((2, 0), int))
    assert_allclose(pd.read_parquet(tmp_path / "p.parquet").iloc[:, 2:].to_numpy(), wanted, atol=1e-6)


def test_columns_may_have_other_names_than_at_training(run, tables, tmp_path):
    nodes = pd.read_parquet(tables["new_nodes"]).rename(columns={"who": "name"})
    edges = pd.read_parquet(tables["new_edges"]).rename(columns={"from": "a", "to": "b"})
    nodes.to_parquet(tmp_path / "n.parquet")
    edges.to_parquet(tmp_path / "e.parquet")
    words = ["predict", run, "--nodes", tmp_path / "n.parquet", "--edges", tmp_path / "e.parquet"]
    named = ["--id", "name", "--source", "a", "--target", "b", "--out", tmp_path / "p.parquet"]
    assert RUNNER.invoke(app, [*map(str, words + named)]).exit_code == 0
    usual = ["predict", run, "--nodes", tables["new_nodes"], "--edges", tables["new_edges"]]
    assert RUNNER.invoke(app, [*map(str, usual), "--out", str(tmp_path / "q.parquet")]).exit_code == 0
    found, wanted = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in "pq")
    pd.testing.assert_frame_equal(found, wanted)


@pytest.mark.parametrize("separator", [";", " "])
def test_semicolons_are_found_and_blanks_are_read_as_the_message_says(separator, run, tables, tmp_path):
    pd.read_parquet(tables["new_nodes"]).to_csv(tmp_path / "n.csv", index=False, sep=separator)
    words = ("predict", run, "--nodes", tmp_path / "n.csv", "--out", tmp_path / "p.csv")
    result = invoke(*words)
    if separator == " ":
        assert "pass --delimiter ' '" in result.stderr
        result = invoke(*words, "--delimiter", " ")
    assert result.exit_code == 0, result.stderr
    assert len(pd.read_csv(tmp_path / "p.csv")) == len(pd.read_parquet(tables["new_nodes"]))

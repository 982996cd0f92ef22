"""`unifilter analyze`, for people and for machines."""

import json

import pytest
from typer.testing import CliRunner

from unifilter.analysis import analyze
from unifilter.cli.app import app
from unifilter.data import load

RUNNER = CliRunner()
SMALL = ("--hops", "10", "--probes", "3")


def run(*words):
    return RUNNER.invoke(app, ["analyze", *words, *SMALL])


def test_json_is_the_analysis():
    result = run("sbm:n=300,h=0.8", "--json", "--seed", "5")
    assert json.loads(result.stdout) == analyze(load("sbm:n=300,h=0.8"), K=10, probes=3, seed=5).to_json()


def test_words_name_size_homophily_classes_and_regime():
    text = run("sbm:n=300,h=0.8").stdout
    for said in (
        "300 nodes, 1,500 edges",
        "strong homophily",
        "informativeness",
        "by chance",
        "low-pass",
        "█",
    ):
        assert said in text


def test_tables_are_analyzed_with_an_account_of_their_reading(tmp_path):
    (tmp_path / "e.csv").write_text("a,b\nx,y\ny,z\nz,nobody\n")
    (tmp_path / "n.csv").write_text("who,size,kind\nx,1,[red]\ny,2,[red]\nz,3,blue\n")
    flags = ("--source", "a", "--target", "b", "--id", "who", "--label", "kind")
    result = run("--edges", str(tmp_path / "e.csv"), "--nodes", str(tmp_path / "n.csv"), *flags)
    assert result.exit_code == 0, result.stderr
    assert "dropped for an end that is no node" in result.stdout
    assert "[red]" in result.stdout  # not taken for a colour
    assert "3 nodes, 2 edges" in result.stdout


def test_html_is_written_and_named(tmp_path):
    result = run("sbm:n=300,h=0.8", "--html", str(tmp_path / "page.html"))
    assert "page with figures:" in result.stdout
    assert "Spectral density" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_html_and_json_go_together(tmp_path):
    result = run("sbm:n=300,h=0.8", "--html", str(tmp_path / "page.html"), "--json")
    assert json.loads(result.stdout)["n"] == 300
    assert (tmp_path / "page.html").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("coraa",), "Did you mean cora"),
        ((), "neither came"),
        (("--edges", "nowhere.csv"), "nowhere.csv"),
        (("sbm:n=300", "--preprocessing", "magic"), "magic"),
    ],
)
def test_wrong_input_is_named_in_one_line(words, said):
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_what_is_not_defined_is_a_dash(tmp_path):
    """Between the two labelled nodes there is no edge, and one of them has none at all."""
    (tmp_path / "e.csv").write_text("src,dst\nx,y\n")
    (tmp_path / "n.csv").write_text("id,label\nx,red\ny,\nz,blue\n")
    text = run("--edges", str(tmp_path / "e.csv"), "--nodes", str(tmp_path / "n.csv")).stdout
    assert "–" in text
    assert "nan" not in text
    assert "informativeness" not in text


def test_a_graph_without_labels_has_no_empty_tables(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\nx,y\ny,z\n")
    text = run("--edges", str(tmp_path / "e.csv")).stdout
    assert "3 nodes, 2 edges" in text
    assert "informativeness" not in text
    assert "by chance" not in text

"""`unifilter evaluate`: predictions against the truth."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score, f1_score, log_loss
from typer.testing import CliRunner

from unifilter.cli.app import app
from unifilter.cli.fit import write_predictions
from unifilter.data.splits import Split

RUNNER = CliRunner()


def evaluate(*words):
    return RUNNER.invoke(app, ["evaluate", *map(str, words)])


@pytest.fixture
def predicted(tmp_path):
    """30 nodes with string ids and their probabilities, in the folder of a run."""
    import pyarrow as pa

    p = np.random.default_rng(0).dirichlet([1, 1, 1], size=30)
    ids = pa.array([f"node {i}" for i in range(30)])
    write_predictions(tmp_path / "run" / "predictions.parquet", ids, ("ape", "bee", "cat"), p)
    return p


@pytest.fixture
def truth(tmp_path):
    """Labels of 20 of them, out of order."""
    rng = np.random.default_rng(1)
    nodes = rng.permutation(30)[:20]
    y = rng.integers(0, 3, 20)
    frame = pd.DataFrame({"id": [f"node {i}" for i in nodes], "label": np.array(["ape", "bee", "cat"])[y]})
    frame.to_csv(tmp_path / "truth.csv", index=False)
    return nodes, y


def test_scores_are_scikit_learn_s(predicted, truth, tmp_path):
    result = evaluate(tmp_path / "run", "--labels", tmp_path / "truth.csv", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    nodes, y = truth
    p = predicted[nodes]
    assert found["nodes"] == 20
    assert found["not_predicted"] == 0
    assert found["accuracy"] == pytest.approx(accuracy_score(y, p.argmax(axis=1)))
    assert found["macro_f1"] == pytest.approx(f1_score(y, p.argmax(axis=1), average="macro"))
    assert found["log_loss"] == pytest.approx(log_loss(y, p, labels=[0, 1, 2]))


def test_words_hold_the_same_numbers(predicted, truth, tmp_path):
    words = (tmp_path / "run", "--labels", tmp_path / "truth.csv")
    found = json.loads(evaluate(*words, "--json").stdout)
    text = evaluate(*words).stdout
    assert f"{found['accuracy']:.4f}" in text
    assert "not predicted" in text


def test_a_file_of_predictions_does_as_well(predicted, truth, tmp_path):
    a, b = (
        evaluate(tmp_path / where, "--labels", tmp_path / "truth.csv", "--json").stdout
        for where in ("run", "run/predictions.parquet")
    )
    assert a == b


def test_columns_are_called_as_they_were_for_training_or_as_usual(predicted, tmp_path):
    (tmp_path / "run" / "arguments.json").write_text(json.dumps({"id": "who", "label": "kind"}))
    for header in ("who,kind", "id,label", "who,label"):
        (tmp_path / "t.csv").write_text(f"{header}\nnode 0,ape\nnode 1,bee\n")
        found = json.loads(evaluate(tmp_path / "run", "--labels", tmp_path / "t.csv", "--json").stdout)
        assert found["nodes"] == 2
    (tmp_path / "t.csv").write_text("who,kind,label\nnode 0,ape,\nnode 1,,bee\nnode 2,,cat\n")
    words = ("--labels", tmp_path / "t.csv", "--label", "label", "--json")
    assert json.loads(evaluate(tmp_path / "run", *words).stdout)["nodes"] == 2  # what is said goes first


def test_other_columns_missing_labels_and_strangers(predicted, tmp_path):
    (tmp_path / "t.csv").write_text("who,kind\nnode 0,ape\nnode 0,ape\nnode 1,\nstranger,bee\n")
    words = ("--labels", tmp_path / "t.csv", "--id", "who", "--label", "kind", "--json")
    found = json.loads(evaluate(tmp_path / "run", *words).stdout)
    assert (found["nodes"], found["not_predicted"]) == (1, 1)


def test_a_class_that_the_model_does_not_know_is_a_wrong_prediction(predicted, tmp_path):
    first = ("ape", "bee", "cat")[int(predicted[0].argmax())]
    (tmp_path / "t.csv").write_text(
        f"id,label\nnode 0,{first}\nnode 1,dog\nnode 2,dog\nnode 3,emu\nsomeone,ape\n"
    )
    found = json.loads(evaluate(tmp_path / "run", "--labels", tmp_path / "t.csv", "--json").stdout)
    assert (found["nodes"], found["accuracy"]) == (1, 1.0)
    assert (found["of_unknown_classes"], found["accuracy_with_unknown"]) == (3, 0.25)


def test_numbers_are_classes_and_ids_too(tmp_path):
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    write_predictions(tmp_path / "p.parquet", None, ("3", "7"), p)
    pd.DataFrame({"id": [0, 1, 2], "label": [3, 7, None]}).to_parquet(tmp_path / "t.parquet")  # floats
    found = json.loads(evaluate(tmp_path / "p.parquet", "--labels", tmp_path / "t.parquet", "--json").stdout)
    assert (found["nodes"], found["accuracy"]) == (2, 1.0)


@pytest.mark.parametrize(
    ("rows", "words", "said"),
    [
        ("id,label\nnode 0,dog\n", (), "a label among the classes ape, bee, cat: 1 have others"),
        ("id,label\nsomeone,ape\n", (), "id is 'someone', that of the predictions 'node 0'. Write"),
        ("id,label\nnode 0,ape\nnode 0,bee\n", (), "'node 0' has two labels, 'ape' and 'bee'"),
        ("id,label\nnode 0,ape\n", ("--label", "kind"), "kind"),
    ],
)
def test_what_does_not_fit_is_named(predicted, tmp_path, rows, words, said):
    (tmp_path / "t.csv").write_text(rows)
    result = evaluate(tmp_path / "run", "--labels", tmp_path / "t.csv", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_file_that_is_missing_or_holds_no_predictions_is_named(predicted, truth, tmp_path):
    labels = ("--labels", tmp_path / "truth.csv")
    result = evaluate(tmp_path / "nowhere", *labels)
    assert result.exit_code == 2
    assert "nowhere" in result.stderr
    result = evaluate(tmp_path / "truth.csv", *labels)
    assert result.exit_code == 2
    assert "holds no predictions" in result.stderr
    (tmp_path / "empty").mkdir()
    assert "empty" in evaluate(tmp_path / "empty", *labels).stderr


def test_ids_with_leading_zeros_stay_what_they_are(tmp_path):
    import pyarrow as pa

    ids = pa.array(["007", "7"])
    write_predictions(tmp_path / "p.parquet", ids, ("a", "b"), np.array([[0.9, 0.1], [0.1, 0.9]]))
    (tmp_path / "t.csv").write_text("id,label\n007,a\n7,b\n")
    found = json.loads(evaluate(tmp_path / "p.parquet", "--labels", tmp_path / "t.csv", "--json").stdout)
    assert (found["nodes"], found["accuracy"]) == (2, 1.0)


def test_nodes_that_trained_or_chose_are_left_out(tmp_path):
    p = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.9, 0.1]])
    parts = Split(*(np.arange(4) == i for i in range(3)), "by hand", 0)
    write_predictions(tmp_path / "p.parquet", None, ("a", "b"), p, parts)
    (tmp_path / "t.csv").write_text("id,label\n0,b\n1,b\n2,b\n3,b\n")
    found = json.loads(evaluate(tmp_path / "p.parquet", "--labels", tmp_path / "t.csv", "--json").stdout)
    assert (found["nodes"], found["that_trained_or_chose"]) == (2, 2)
    assert (found["accuracy"], found["accuracy_with_these"]) == (0.5, 0.25)
    (tmp_path / "t.csv").write_text("id,label\n0,a\n1,b\n")
    found = json.loads(evaluate(tmp_path / "p.parquet", "--labels", tmp_path / "t.csv", "--json").stdout)
    assert (found["nodes"], found["accuracy"]) == (2, 0.5)  # where there are no others


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (("0", "1"), [0.0, 1.0, None, -1.0]),
        (("0", "1"), ["0.0", "1.0", None, "-1"]),
        (("false", "true"), [False, True, None, None]),
        (("2024-01-01", "2024-01-02"), ["2024-01-01", "2024-01-02", None, None]),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_labels_are_read_as_at_training(classes, labels, kind, tmp_path):
    if kind == "parquet" and labels[0] == "0.0":
        pytest.skip("text in a Parquet file is text")
    ids = [f"2024-05-0{i + 1}" for i in range(4)]  # like dates, but names
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.5, 0.5]])
    write_predictions(tmp_path / "p.parquet", pa.array(ids), classes, p)
    frame, file = pd.DataFrame({"ID": ids, "Label": labels}), tmp_path / f"t.{kind}"
    frame.to_csv(file, index=False) if kind == "csv" else frame.to_parquet(file)
    result = evaluate(tmp_path / "p.parquet", "--labels", file, "--json")
    if kind == "csv" and labels[0] is False:
        assert "others" in result.stderr  # pandas writes False, and so it is called at training
        return
    found = json.loads(result.stdout)
    assert (found["nodes"], found["accuracy"]) == (2, 1.0)


def test_semicolons_are_found_and_blanks_are_read_as_the_message_says(predicted, truth, tmp_path):
    plain = evaluate(tmp_path / "run", "--labels", tmp_path / "truth.csv", "--json").stdout
    for name, separator in (("semi", ";"), ("blank", " ")):
        pd.read_csv(tmp_path / "truth.csv").to_csv(tmp_path / f"{name}.csv", index=False, sep=separator)
    assert evaluate(tmp_path / "run", "--labels", tmp_path / "semi.csv", "--json").stdout == plain
    words = (tmp_path / "run", "--labels", tmp_path / "blank.csv", "--json")
    assert "pass --delimiter ' '" in evaluate(*words).stderr
    assert evaluate(*words, "--delimiter", " ").stdout == plain


@pytest.mark.parametrize(
    ("labels", "said"),
    [(["", ""], "names no class at all"), (["APE", "BEE"], "2 have others (first: 'APE'). Write labels as")],
)
def test_labels_that_score_nothing_are_told_apart(labels, said, predicted, tmp_path):
    pd.DataFrame({"id": ["node 0", "node 1"], "label": labels}).to_csv(tmp_path / "t.csv", index=False)
    assert said in evaluate(tmp_path / "run", "--labels", tmp_path / "t.csv").stderr

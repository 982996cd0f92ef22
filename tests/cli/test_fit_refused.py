"""`unifilter fit` where the input is wrong, or too little for what is asked."""

import pandas as pd
import pytest

from .test_fit import SGC, fit


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "bernet"), "Did you mean bernnet"),
        (("--model", "sgc", "--option", "hops=3"), "sgc has no option 'hops'"),
        (("--model", "sgc", "--option", "K"), "--option K is not NAME=VALUE"),
        (("--model", "sgc", "--option", "K=many"), "option K of sgc must be int, but is many"),
        (("--model", "sgc", "--option", "K=2.5"), "option K of sgc must be int, but is 2.5"),
        (("--model", "logistic", "--class-weights"), "logistic is not trained by one: leave them out"),
        (("--model", "sgc", "--half"), "the V that UniFilter trains on, which sgc does not"),
        (("--half",), "--half belongs to --model unifilter"),
        (("--option", "K=2"), "auto chooses its settings itself"),
        (("--budget", "soon"), "a budget is a time"),
        (("--budget", "-3s"), "must be positive"),
        (("--device", "abacus"), 'device must be "auto"'),
        (("--epochs", "0"), "epochs must be at least 1"),
        (("--split", "thirds"), "names no split"),
        (("--split", "fixed:0"), "--split stratified:0.6/0.2"),
        (("--split", "column:where"), "must have one column 'where' (--split)"),
        (("--split", "column:animal"), "split must be another column"),
        (("--split", "stratified:a/b"), "no number where one belongs"),
        (("--preprocessing", "magic"), "magic"),
        (("--nodes", "nowhere.csv"), "nowhere.csv"),
        (("--label", "kind"), "kind"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_input_is_one_line_and_leaves_nothing(tables, tmp_path, words, said):
    result = fit(*tables.words, *words, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""
    assert not (tmp_path / "run").exists()


def test_too_few_labels_are_named(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\n" + "".join(f"{i},{(i + 1) % 9}\n" for i in range(9)))
    kinds = ["a", "a", "a", "a", "b", "b", "", "", ""]
    (tmp_path / "n.csv").write_text("id,x,label\n" + "".join(f"{i},{i},{k}\n" for i, k in enumerate(kinds)))
    words = ("--edges", tmp_path / "e.csv", "--nodes", tmp_path / "n.csv", "--out", tmp_path / "run")
    result = fit(*words, "--model", "sgc", "--epochs", "3")
    assert result.exit_code == 0
    assert "class 'b': fewer than 3 labelled nodes, too few for scores" in result.stderr
    assert "classes: a 4, b 2" in result.stdout
    part = pd.read_parquet(tmp_path / "run" / "predictions.parquet")["part"].tolist()
    assert sorted(part[4:6]) == ["test", "train"]
    assert pd.isna(part[6:]).all()
    result = fit(*words[:-1], tmp_path / "other", "--label", "")
    assert "labels of two classes at least are needed" in result.stderr


def test_a_class_that_is_not_tested_is_named(tmp_path):
    ids = range(60)
    kinds = ["rare" if i < 3 else "xy"[i % 2] for i in ids]
    (tmp_path / "e.csv").write_text("src,dst\n" + "".join(f"{i},{(i + 1) % 60}\n" for i in ids))
    (tmp_path / "n.csv").write_text(
        "id,a,label\n" + "".join(f"{i},{i % 7},{k}\n" for i, k in enumerate(kinds))
    )
    words = ("--edges", tmp_path / "e.csv", "--nodes", tmp_path / "n.csv", *SGC)
    quota = "--split", "quota", "--report"  # a small class goes to training whole
    result = fit(*words, *quota, "--out", tmp_path / "a")
    assert "note: class 'rare' has no test node: test scores say nothing of it." in result.stderr
    report = (tmp_path / "a" / "report.html").read_text(encoding="utf-8")
    assert "has no test node: test scores say nothing of it." in report  # which may be all that others see
    assert fit(*words, "--out", tmp_path / "b").stderr == ""

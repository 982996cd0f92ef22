"""The report has what was promised, and does without what is not there."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from unifilter.viz import outcome, write_report


@pytest.fixture
def body(tmp_path):
    def written(report):
        write_report(tmp_path / "report.html", report)
        return (tmp_path / "report.html").read_text(encoding="utf-8").split("</head>")[1]

    return written


def headings(text, level=2):
    return re.findall(rf"<h{level}>(.*?)</h{level}>", text)


def test_the_report_has_every_section(report, body):
    text = body(report)
    assert headings(text) == [
        "The result",
        "The data",
        "How the tables were read",
        "How it learned",
        "What it learned",
        "Where it is right",
        "Most uncertain nodes",
        "Labels",
        "Spectrum",
        "Shape",
        "Settings and versions",
    ]
    for said in (
        "75.0%",
        "0.420",
        "0.310",
        "a note &lt;i&gt;",
        "74.2%",
        "temperature of 1.30",
        "numpy",
        "learn",
    ):
        assert said in text


def test_the_most_uncertain_nodes_are_named_by_the_user_s_ids(report, body):
    confidence = np.where(report.masks["train"], 1, report.p.max(axis=1))
    (section,) = re.findall(r"<h2>Most uncertain nodes</h2>.*?</section>", body(report), re.S)
    named = [int(i) for i in re.findall(r"node &lt;(\d+)&gt;", section)]
    assert named == np.argsort(confidence, kind="stable")[:20].tolist()


def test_ids_may_be_arrow_arrays_or_missing(report, body):
    assert ">n17<" in body(replace(report, ids=pa.array([f"n{i}" for i in range(300)]), masks=_only(17)))
    assert ">17<" in body(replace(report, ids=None, masks=_only(17)))


def test_what_was_not_given_is_not_shown(report, body):
    text = body(
        replace(
            report, history=[], weights=None, frequencies=None, response=None, ingestion=None, baselines=()
        )
    )
    assert not {"How it learned", "What it learned", "How the tables were read"} & set(headings(text))
    assert "mlp" not in text


def test_simpler_means_a_verdict_and_the_vote_are_told(report, body):
    text = body(report)
    assert "mlp" in text
    assert "70.1%" in text
    assert "74.2%" in text
    assert "sgc does as well" in text
    assert "5 models vote; this is the filter of the one" in text
    alone = body(replace(report, verdict="", voters=1))
    assert "Is it worth it?" not in alone
    assert "models vote" not in alone


def test_without_test_nodes_validation_nodes_are_judged(report, body):
    masks = report.masks | {"test": np.zeros(300, bool)}
    assert replace(report, masks=masks).judged == "val"
    text = body(replace(report, masks=masks))
    assert "validation nodes." in text
    assert "these scores flatter" in text
    assert "scores to quote" in body(report)


def test_classes_without_test_nodes_are_counted_and_not_drawn_at_0(report, body, monkeypatch):
    drawn = []
    true = outcome.class_scores
    monkeypatch.setattr(outcome, "class_scores", lambda *given: drawn.append(given) or true(*given))
    assert "test node." not in body(report)
    masks = report.masks | {"test": report.masks["test"] & (report.y > 1)}
    assert "2 classes have no test node." in body(replace(report, masks=masks))
    scores, classes = drawn.pop()
    assert classes == list(report.classes[2:])
    assert all(len(of) == 3 and np.isfinite(of).all() for of in scores.values())
    masks["test"] = masks["test"] | (report.masks["test"] & (report.y == 0))
    assert "1 class has no test node." in body(replace(report, masks=masks))


def test_of_a_vote_the_shares_are_called_means(report, body):
    assert "τ, mean of 5" in body(report)
    assert "h, mean of 5" in body(report)
    assert "mean of" not in body(replace(report, voters=1)).split("<h2>The data")[0]


def test_a_loss_of_minus_nothing_is_zero(report, body):
    scores = {part: dict.fromkeys(found, -0.0) for part, found in report.record.scores.items()}
    assert "-0.000" not in body(replace(report, record=replace(report.record, scores=scores)))


def test_without_any_label_nothing_is_judged(report, body):
    text = body(replace(report, y=np.full(300, -1), masks={k: np.zeros(300, bool) for k in report.masks}))
    assert "Where it is right" not in headings(text)
    assert "Most uncertain nodes" in headings(text)


def test_one_class_and_undefined_frequencies_are_fine(report, body):
    K = len(report.weights)
    one = replace(
        report, classes=("a",), p=np.ones((300, 1)), y=np.zeros(300, int), frequencies=np.full(K, np.nan)
    )
    assert "Spectrum of the trained basis" not in body(one)


def test_names_with_markup_are_shown_as_they_are(report, body):
    text = body(report)
    assert "alert(1)" in text
    assert "<script>alert(1)" not in text
    assert "<b>mine</b>" not in text


def _only(node):
    """All but one node train, so that it is the one that is uncertain."""
    return {"train": np.arange(300) != node}

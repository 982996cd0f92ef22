from dataclasses import replace

import pytest

from unifilter.reproduce import extensions
from unifilter.reproduce.part import Published, Scale
from unifilter.train.entries import Entry

FOUND = {"bias": True, "ego": True}  # what a search chose


@pytest.fixture
def chosen(monkeypatch):
    """Jobs as they are where every search has chosen the same."""

    def job(without, graph, kind, scale):
        options = FOUND | extensions.TAKEN.get(without, {})
        return replace(real(without, graph, kind, scale), how=Published(Entry("unifilter", options=options)))

    real = extensions.job
    monkeypatch.setattr(extensions, "job", job)
    return job


def test_the_setting_of_the_row_loses_one_extension_at_a_time_and_then_all():
    scale = Scale()
    assert extensions.job("", "cora", "quota", scale).row == "UniFilter, extended, searched"
    changes = {j.how.changes["bias"] for j in extensions.jobs(scale) if "bias" in j.how.changes}
    assert changes == {False}
    assert len(extensions.jobs(scale)) == 2 * 6 * (1 + 6 + 1)
    (every,) = [extensions.job(extensions.EVERY, "cora", "quota", scale).how.changes]
    assert every == {k: v for plain in extensions.EXTENSIONS.values() for k, v in plain.items()}


@pytest.mark.parametrize(("less", "holds"), [([0.79, 0.589, 0.688], True), ([0.75, 0.65, 0.69], False)])
def test_a_gain_is_paired_and_what_the_setting_lacks_has_no_cell(results_of, chosen, less, holds):
    scale = Scale(splits=3, graphs=("cora",))
    full, part = (chosen(w, "cora", "quota", scale) for w in ("", "a bias"))
    results = results_of([(full, [0.8, 0.6, 0.7]), (part, less)])
    table = extensions.show(results, scale)[0]
    assert list(table.rows) == ["with its extensions", "without a bias", "gain of a bias"]
    gain = table.rows["gain of a bias"]["cora"].ours.mean
    assert gain == pytest.approx(100 * sum(a - b for a, b in zip([0.8, 0.6, 0.7], less, strict=True)) / 3)
    (claim,) = extensions.check(results, scale)
    assert claim.holds is holds


def test_a_gain_over_some_of_the_splits_is_none(results_of, chosen):
    scale = Scale(splits=3, graphs=("cora",))
    full, part = (chosen(w, "cora", "quota", scale) for w in ("", "a bias"))
    results = results_of([(full, [0.8, 0.6, 0.7]), (part, [0.7, 0.6])])
    assert extensions.gain("a bias", "cora", "quota", results, scale) is None
    assert extensions.check(results, scale) == []


def test_without_anything_to_compare_there_is_no_table(results_of, chosen):
    scale = Scale(splits=3, graphs=("cora",))
    results = results_of([(chosen("", "cora", "quota", scale), [0.8, 0.6, 0.7])])
    assert extensions.show(results, scale) == []

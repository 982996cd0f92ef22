import json

import pytest

from unifilter.reproduce import unseen
from unifilter.reproduce.part import Scale
from unifilter.reproduce.settings import unseen as others_choice

KIND = "quota"


@pytest.fixture
def two(scale, tmp_path):
    """A scale whose graphs have portfolios of others."""
    (tmp_path / "unseen.json").write_text(json.dumps({g: [{"of": g}] for g in scale.graphs}))
    return Scale(splits=3, settings=2, graphs=scale.graphs, configs=tmp_path)


def test_each_graph_races_what_the_others_chose(two):
    found = [j for j in unseen.jobs(two) if j.row == unseen.UNSEEN]
    assert len(found) == 2 * len(unseen.PROTOCOLS)
    assert all(job.how.portfolio == ({"of": job.dataset},) for job in found)
    assert all(j.how.portfolio is None for j in unseen.jobs(two) if j.row == unseen.SEEN)


def test_a_graph_without_such_a_portfolio_took_no_part(two):
    assert others_choice("digits", two.configs) is None


@pytest.mark.parametrize(("gains", "holds"), [([0.04, 0.05, 0.06], False), ([0.05, -0.05, 0.01], True)])
def test_what_seeing_a_graph_gains_is_paired(results_of, two, gains, holds):
    seen, other = (unseen.job(form, "cora", KIND, two) for form in (unseen.SEEN, unseen.UNSEEN))
    base = [0.5, 0.8, 0.6]
    results = results_of([(other, base), (seen, [b + g for b, g in zip(base, gains, strict=True)])])
    table = unseen.show(results, two)[0]
    assert table.rows[unseen.GAIN]["cora"].ours.mean == pytest.approx(100 * sum(gains) / 3)
    assert table.rows[unseen.UNSEEN]["cora"].ours.mean == pytest.approx(100 * sum(base) / 3)
    (claim,) = unseen.check(results, two)
    assert claim.holds is holds


def test_without_portfolios_of_others_there_is_nothing_to_compare(results_of, scale, tmp_path):
    bare = Scale(splits=3, graphs=scale.graphs, configs=tmp_path / "nowhere")
    seen = unseen.job(unseen.SEEN, "cora", KIND, bare)
    assert unseen.jobs(bare) == []
    results = results_of([(seen, [0.5] * 3)])
    assert unseen.check(results, bare) == []
    assert list(unseen.show(results, bare)) == []


def test_a_claim_needs_all_splits(results_of, two):
    seen, other = (unseen.job(form, "cora", KIND, two) for form in (unseen.SEEN, unseen.UNSEEN))
    assert unseen.check(results_of([(seen, [0.5, 0.6]), (other, [0.5, 0.6])]), two) == []


def test_records_of_another_portfolio_are_not_its(results_of, two, tmp_path):
    other = unseen.job(unseen.UNSEEN, "cora", KIND, two)
    results = results_of([(other, [0.5] * 3)])
    (tmp_path / "unseen.json").write_text(json.dumps({"cora": [{"of": "another"}]}))
    assert results.of(unseen.job(unseen.UNSEEN, "cora", KIND, two)) == []

import pytest

from unifilter.reproduce import bare
from unifilter.reproduce.part import Scale


def test_every_row_is_on_what_it_needs(scale):
    jobs = bare.jobs(scale)
    assert len(jobs) == 2 * len(bare.ROWS)
    on = {(j.model, j.dataset.split(":")[0]) for j in jobs}
    assert on == {
        ("labelpropagation", "bare"),
        ("linkx", "bare"),
        ("gcn", "signals"),
        ("unifilter", "signals"),
    }
    assert len(bare.jobs(Scale(graphs=("a", "b"), quick=True))) == len(bare.ROWS)


@pytest.mark.parametrize(("ours", "holds"), [([0.5, 0.8, 0.6], True), ([0.4, 0.7, 0.5], False)])
def test_being_worse_is_a_matter_of_pairs(results_of, scale, ours, holds):
    linkx, own = (bare.job(row, "cora", scale) for row in ("LINKX", bare.OURS))
    results = results_of([(linkx, [0.5, 0.8, 0.6]), (own, ours)])
    (claim,) = bare.check(results, scale)
    assert "not worse than LINKX" in claim.sentence
    assert claim.holds is holds
    (table,) = bare.show(results, scale)
    assert table.rows[bare.OURS]["cora"].ours.mean == pytest.approx(100 * sum(ours) / 3)
    assert table.rows[bare.OURS]["squirrel"].ours is None


def test_a_claim_needs_all_splits(results_of, scale):
    both = [(bare.job(row, "cora", scale), [0.5, 0.6]) for row in ("LINKX", bare.OURS)]
    assert bare.check(results_of(both), scale) == []

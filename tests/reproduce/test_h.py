import pytest

from unifilter.reproduce import h
from unifilter.reproduce.part import Scale


def test_the_papers_values_are_tried_on_its_two_graphs():
    jobs = h.jobs(Scale())
    assert {j.dataset for j in jobs} == {"pubmed", "squirrel"}
    assert {j.how.entry.options["h"] for j in jobs if j.dataset == "squirrel"} == {
        0.19,
        0.20,
        0.21,
        0.22,
        0.23,
    }
    assert len(jobs) == 20


def test_our_figure_stands_beside_that_of_the_same_h(results_of, scale):
    job = h.job("squirrel", "released", 0.2, scale)
    (table,) = h.show(results_of([(job, [0.67] * 3)]), scale)
    cell = table.rows["released basis"]["h = 0.2"]
    assert (cell.ours.mean, cell.printed) == (pytest.approx(67), 66.96)
    assert table.rows["released basis"]["h = 0.19"].ours is None


@pytest.mark.parametrize(("low", "holds"), [(0.66, True), (0.6, False)])
def test_little_sensitivity_is_a_claim_once_every_value_was_run(results_of, scale, low, holds):
    values = h.values("squirrel")
    pairs = [(h.job("squirrel", "released", v, scale), [0.67] * 3) for v in values[1:]]
    assert h.check(results_of(pairs), scale) == []
    pairs.append((h.job("squirrel", "released", values[0], scale), [low] * 3))
    (claim,) = h.check(results_of(pairs), scale)
    assert claim.holds is holds


def test_a_training_that_failed_is_named_in_its_cell(results_of, scale):
    job = h.job("squirrel", "unibasis", 0.2, scale)
    (table,) = h.show(results_of([(job, [0.62, 0.61, 0.4])]), scale)
    assert table.rows["exact basis"]["h = 0.2"].note == "split 2 ended at 40.0, the median is 61.0"

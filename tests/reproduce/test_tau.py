import pytest

from unifilter.reproduce import tau
from unifilter.reproduce.part import Scale


def test_eleven_values_are_tried_on_two_graphs_with_both_bases():
    jobs = tau.jobs(Scale())
    assert len(jobs) == 44
    assert {j.dataset for j in jobs} == {"cora", "squirrel"}
    assert {j.how.entry.options["tau"] for j in jobs} == {i / 10 for i in range(11)}
    released = next(j for j in jobs if j.dataset == "squirrel").how.entry
    assert (released.options["batch_norm"], released.preprocess) == (True, "none")


def test_the_papers_points_are_drawn_in_with_the_interval_of_ten_runs(results_of, scale):
    job = tau.job("cora", "released", 0.9, scale)
    cora, squirrel = tau.show(results_of([(job, [0.89] * 3)]), scale)
    ours, exact, paper = cora.series
    assert (list(ours.x), list(ours.y)) == ([0.9], [pytest.approx(89)])
    assert list(exact.x) == []
    assert paper.printed
    assert (len(paper.x), paper.y[-2]) == (10, 89.39)
    assert paper.half[-2] == pytest.approx(0.973, abs=0.001)
    assert squirrel.name == "tau_squirrel"


@pytest.mark.parametrize(("high", "holds"), [(0.9, True), (0.5, False)])
def test_on_cora_the_homophily_basis_is_claimed_to_win(results_of, scale, high, holds):
    jobs = [tau.job("cora", "unibasis", t, scale) for t in (0.0, 1.0)]
    results = results_of([(jobs[0], [0.7] * 3), (jobs[1], [high] * 3)])
    assert tau.check(results, scale)[0].holds is holds


def test_a_training_that_failed_is_named_below_the_points(results_of, scale):
    job = tau.job("squirrel", "unibasis", 1.0, scale)
    _, squirrel = tau.show(results_of([(job, [0.62, 0.61, 0.4])]), scale)
    assert "split 2 ended at 40.0, the median is 61.0" in squirrel.caption

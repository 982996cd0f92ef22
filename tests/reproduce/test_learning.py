import pytest

from unifilter.reproduce import learning
from unifilter.reproduce.part import Published, Scale, Searched


def test_the_forms_share_one_search_and_differ_in_tau_and_h_alone():
    jobs = [j for j in learning.jobs(Scale()) if j.dataset == "cora"]
    assert len(jobs) == 4
    assert all(isinstance(j.how, Searched) and set(j.how.changes) <= {"tau", "h"} for j in jobs)
    assert sum(len(j.how.grid) for j in jobs) == 2
    assert all(isinstance(j.how, Published) for j in learning.jobs(Scale(graphs=("a",), quick=True)))


def test_the_gain_is_paired_and_tau_stands_beside_the_papers(results_of, scale):
    chosen, learned = (learning.job(f, "cora", scale) for f in (learning.CHOSEN, learning.LEARNED))
    pairs = [(chosen, [0.8, 0.9, 0.7]), (learned, [0.81, 0.91, 0.71])]
    results = results_of(pairs, {"tau": 0.6, "h": 0.8})
    gains, taus = learning.show(results, scale)
    gain = gains.rows["gain of learning both"]["cora"].ours
    assert (gain.mean, gain.half) == (pytest.approx(1), pytest.approx(0, abs=1e-9))
    means = {row: cells["cora"].ours.mean for row, cells in taus.rows.items()}
    assert means == {
        "tau, the paper's": 1.0,
        "tau, chosen": 0.0,  # the first of the grid
        "tau, learned": pytest.approx(0.6),
        "h, the paper's": 0.81,
        "h, learned": pytest.approx(0.8),
    }


@pytest.mark.parametrize(("tau", "holds"), [(0.4, True), (1.4, False)])
def test_what_is_learned_must_lie_between_0_and_1(results_of, scale, tau, holds):
    job = learning.job(learning.LEARNED, "cora", scale)
    claims = learning.check(results_of([(job, [0.8] * 3)], {"tau": tau, "h": 0.8}), scale)
    assert claims[0].holds is holds

from dataclasses import replace

import pytest

from unifilter.reproduce import learning
from unifilter.reproduce.part import Published, Scale, Searched
from unifilter.reproduce.results import Results

from .conftest import made, search_ended


def test_the_forms_share_one_search_and_differ_in_tau_and_h_alone():
    jobs = [learning.job(form, "squirrel", Scale()) for form in learning.FORMS]
    assert all(isinstance(j.how, Searched) for j in jobs)
    own, *others = (j.how.changes for j in jobs)
    assert own == {}
    assert all(set(changes) == {"tau", "h"} for changes in others)
    assert others[0] == {"tau": 0.7, "h": "estimate"}  # the paper's tau
    assert len({j.how.first for j in [replace(j, how=replace(j.how, first=())) for j in jobs]}) == 1
    quick = [learning.job(form, "a", Scale(graphs=("a",), quick=True)) for form in learning.FORMS]
    assert all(isinstance(j.how, Published) for j in quick)


def test_gains_are_paired_and_tau_stands_beside_the_papers(results_of, scale):
    _, fixed, half, learned = (learning.job(form, "cora", scale) for form in learning.FORMS)
    pairs = [(fixed, [0.8, 0.9, 0.7]), (half, [0.82, 0.92, 0.72]), (learned, [0.81, 0.91, 0.71])]
    results = results_of(pairs, {"tau": 0.6, "h": 0.8})
    gains, taus = learning.show(results, scale)
    for row, points in (("gain of learning tau", 2), ("gain of learning both", 1)):
        gain = gains.rows[row]["cora"].ours
        assert (gain.mean, gain.half) == (pytest.approx(points), pytest.approx(0, abs=1e-9))
    means = {row: cells["cora"].ours and cells["cora"].ours.mean for row, cells in taus.rows.items()}
    assert means == {
        "tau, the paper's": 1.0,
        "tau, searched": None,
        "tau, the search's own": pytest.approx(0.6),  # its winner learns it
        "tau, learned": pytest.approx(0.6),
        "h, the paper's": 0.81,
        "h, learned": pytest.approx(0.8),
    }


@pytest.mark.parametrize(("said", "shown"), [(0.4, 0.4), ("learn", 0.6)])
def test_the_searchs_own_tau_is_what_its_best_setting_has_or_learned(tmp_path, scale, said, shown):
    own, learned = (learning.job(form, "cora", scale) for form in (learning.OWN, learning.LEARNED))
    search_ended(tmp_path, own, {"options.tau": said})
    entry = Results([], tmp_path, scale).entry(own)
    records = made(own, [0.8] * 3, scale, entry, {"tau": 0.6, "h": 0.8})
    other = Results([], tmp_path, scale).entry(learned)
    records += made(learned, [0.83] * 3, scale, other, {"tau": 0.6, "h": 0.8}) if said != "learn" else []
    gains, table = learning.show(Results(records, tmp_path, scale), scale)
    gain = gains.rows["gain of learning both over the search's own"]["cora"].ours.mean
    assert gain == pytest.approx(0 if said == "learn" else 3)
    assert table.rows["tau, the search's own"]["cora"].ours.mean == pytest.approx(shown)


def test_a_mean_over_some_of_the_splits_is_no_cell(results_of, scale):
    fixed, learned = (learning.job(form, "cora", scale) for form in (learning.FIXED, learning.LEARNED))
    results = results_of([(fixed, [0.8, 0.9]), (learned, [0.8, 0.9, 0.7])], {"tau": 0.6, "h": 0.8})
    rows = learning.show(results, scale)[0].rows
    assert rows[learning.FIXED]["cora"].ours is None
    assert rows["gain of learning both"]["cora"].ours is None
    assert rows[learning.LEARNED]["cora"].ours.runs == 3


def test_the_searched_tau_is_that_of_the_best_validation_accuracy_once_all_were_tried(results_of, scale):
    tried = learning.searched(scale)["cora"]
    pairs = [(one, [0.9 if value == 0.3 else 0.8] * 3) for value, one in tried.items()]
    assert learning.best_tau(tried, results_of(pairs)) == 0.3
    assert learning.best_tau(tried, results_of(pairs[:-1])) is None
    assert learning.best_tau(tried, results_of([*pairs[:-1], (pairs[-1][0], [0.8] * 2)])) is None


@pytest.mark.parametrize(("tau", "holds"), [(0.4, [True, True]), (0.5, [False, True]), (0.2, [True, False])])
def test_learned_tau_leaves_its_beginning_and_ends_near_h(results_of, scale, tau, holds):
    job = learning.job(learning.LEARNED, "cora", scale)
    claims = learning.check(results_of([(job, [0.8] * 3)], {"tau": tau, "h": 0.8}), scale)
    assert [claim.holds for claim in claims] == holds

from dataclasses import replace

import pytest

from unifilter.models._registry import configure
from unifilter.reproduce import ablation
from unifilter.reproduce.part import Scale
from unifilter.reproduce.results import Results


def test_four_variants_meet_on_eight_graphs_and_differ_in_their_basis_alone():
    jobs = ablation.jobs(Scale())
    assert len(jobs) == 32
    assert {j.dataset for j in jobs} >= {"gs:0.13:cora", "gs:0.81:cora"}
    entries = {j.model: j.how.entry for j in jobs}
    configs = {m: configure(m, e.candidates()[0]) for m, e in entries.items()}
    assert (configs["hetfilter"].tau, configs["homfilter"].tau) == (0.0, 1.0)
    assert configs["ortfilter"].basis == "orthonormal"
    assert len(entries["unifilter"].grid["tau"]) == 11
    assert len({(c.hidden, c.layers, c.dropout, c.scale) for c in configs.values()}) == 1


def test_a_quick_run_without_cora_relabels_a_planted_graph():
    quick = Scale(graphs=("sbm",), quick=True)
    assert {j.dataset.split(":", 2)[2] for j in ablation.jobs(quick)} == {ablation.QUICK_BASE}
    assert ablation.jobs(Scale(graphs=("cora",), quick=True))[0].dataset.endswith(":cora")


def test_gaps_are_paired_over_the_splits_and_drawn_beside_the_papers(results_of, scale):
    ours, het = (ablation.job(m, 0.81, scale) for m in ("unifilter", "hetfilter"))
    results = results_of([(ours, [0.8, 0.9, 1.0]), (het, [0.5, 0.6, 0.7])])
    gap = ablation.gap("hetfilter", 0.81, results, scale)
    assert (gap.mean, gap.half, gap.runs) == (pytest.approx(30), pytest.approx(0, abs=1e-9), 3)
    below, means = ablation.show(results, scale)
    drawn = {(s.name, s.printed): s for s in below.series}
    assert (drawn["HetFilter", False].x, drawn["HetFilter", False].y) == ((0.81,), (pytest.approx(30),))
    assert drawn["HetFilter", True].y[-1] == 35.76
    assert drawn["OrtFilter", False].y == ()
    assert {s.name: list(s.y) for s in means.series}["UniFilter"] == [pytest.approx(90)]
    below, means = ablation.show(results_of([(ours, [0.8, 0.9, 1.0]), (het, [0.5, 0.6])]), scale)
    assert {s.name: s.y for s in below.series if not s.printed}["HetFilter"] == (), "two of three splits"
    assert {s.name: list(s.y) for s in means.series}["HetFilter"] == []


def test_the_claim_fails_when_the_heterophily_basis_wins_at_high_h(results_of, scale, tmp_path):
    hom, het = (ablation.job(m, 0.81, scale) for m in ("homfilter", "hetfilter"))
    for good, bad, holds in ((0.8, 0.5, True), (0.5, 0.8, False)):
        results = results_of([(hom, [good] * 3), (het, [bad] * 3)])
        assert ablation.check(results, scale)[0].holds is holds
    assert ablation.check(Results([], tmp_path, scale), scale) == []
    assert not ablation.check(Results([], tmp_path, scale), replace(scale, quick=True))[0].holds

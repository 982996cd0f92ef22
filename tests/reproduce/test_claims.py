from dataclasses import replace

import pytest

from unifilter.record import Record
from unifilter.reproduce import ablation, angles, estimates, h, rows, spectrum, tau, theorem1
from unifilter.reproduce.claims import (
    CLAIMS,
    PART,
    angle_that_stays,
    any_estimate,
    better_than_its_parts,
    few_labels,
    frequency_and_homophily,
    led_on,
    low_and_high,
    met,
    over_smoothing,
    polynomial,
    standing,
    tau_near_homophily,
    together,
)
from unifilter.reproduce.part import Claim, Job, Published, Searched
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import Results
from unifilter.reproduce.settings import released
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Cell, Table, Value

MINE = rows.row("unifilter", rows.SEARCHED)


def pair(graph, mine, theirs):
    """UniFilter and SGC on a graph."""
    ours = Job(MINE, graph, "quota:3", Published(Entry("unifilter")))
    return [(ours, mine), (Job("SGC, published", graph, "quota:3", Published(Entry("sgc"))), theirs)]


def test_who_leads_is_told_with_the_interval_where_it_is_more_than_chance(results_of):
    won = pair("cora", [0.9, 0.9, 0.9], [0.5, 0.51, 0.5])
    close = pair("pubmed", [0.9, 0.6, 0.9], [0.6, 0.89, 0.9])
    lost = pair("actor", [0.3, 0.3, 0.3], [0.4, 0.4, 0.4])
    some = [*won, *close, *lost]
    led, behind = standing([job for job, _ in some], results_of(some))
    assert led == ["cora (by 39.7 ± 2.0)", "pubmed"]
    assert behind == ["actor SGC by 10.00"]
    assert led_on(led, behind) == "Holds on 2 of 3 graphs"
    assert (led_on(led, []), led_on([], behind)) == ("Holds", "Does not hold")


def test_a_model_counts_with_its_better_row_and_only_over_all_splits(results_of):
    some = pair("cora", [0.5, 0.5, 0.5], [0.6, 0.6, 0.6])
    again = Job("SGC, searched", "cora", "quota:3", Published(Entry("sgc", options={"K": 1})))
    part = Job("GCN, published", "cora", "quota:3", Published(Entry("gcn")))
    some += [(again, [0.7, 0.7, 0.7]), (part, [0.9])]
    assert standing([job for job, _ in some], results_of(some)) == ([], ["cora SGC by 20.00"])


def test_printed_figures_that_do_not_come_out_are_named(results_of):
    name = rows.row("unifilter", rows.RELEASED)
    cora, squirrel = (
        Job(name, graph, "quota:3", Published(released(graph))) for graph in ("cora", "squirrel")
    )
    results = results_of([(cora, [0.8945, 0.895, 0.895]), (squirrel, [0.5, 0.5, 0.501])])
    said = met([cora, squirrel], "table2", results)
    assert said == "Its printed figures come out on 1 of 2 graphs (not on squirrel -17.4)."
    assert met([cora], "table2", results_of([])) == ""


def test_tau_is_judged_by_where_the_highest_means_are(results_of, scale):
    def run(best):
        found = []
        for graph in tau.GRAPHS:
            for basis in tau.BASES:
                for t in tau.taus(scale):
                    found.append((tau.job(graph, basis, t, scale), [0.5 + 0.1 * (t == best[graph])] * 3))
        return tau_near_homophily(results_of(found), scale)

    verdict, said = run({"cora": 0.9, "squirrel": 0.4})
    assert verdict == "Holds"
    assert "cora, exact basis: 50.0 at 0, 50.0 at 1, highest at 0.9 (60.0)" in said
    assert run({"cora": 0.9, "squirrel": 0.8})[0] == "Does not hold"
    assert run({"cora": 0.4, "squirrel": 0.4})[0] == "Does not hold"


def test_the_span_over_values_of_h_decides(results_of, scale):
    def run(step):
        found = [
            (h.job("squirrel", basis, value, scale), [0.6 + step * i] * 3)
            for basis in tau.BASES
            for i, value in enumerate(h.values("squirrel"))
        ]
        return any_estimate(results_of(found), scale)

    count = len(h.values("squirrel")) - 1
    verdict, said = run(0.001)
    assert verdict == "Holds"
    assert f"squirrel, exact basis {0.1 * count:.2f}" in said
    assert run(0.05)[0] == "Does not hold"


def test_parts_that_are_better_than_the_whole_are_found(results_of, scale):
    def run(whole_, others):
        found = []
        for x in printed()["ablation"]["h"]:
            for model in ablation.VARIANTS:
                scores = whole_ if model == "unifilter" else others
                found.append((ablation.job(model, x, scale), scores))
        return better_than_its_parts(results_of(found), scale)

    assert run([0.9, 0.9, 0.901], [0.5, 0.5, 0.5])[0] == "Holds"
    verdict, said = run([0.5, 0.52, 0.5], [0.5, 0.5, 0.5])
    assert verdict == "Never worse by more than chance"
    assert "than HetFilter nowhere; than HomFilter nowhere" in said
    assert run([0.5, 0.5, 0.501], [0.9, 0.9, 0.9])[0] == "Does not hold"


def estimated(off, scale):
    """Records of estimates that are so far off h = 0.5, by kind of splits."""
    return [
        Record(
            m.part,
            dict(m.what),
            {},
            {"name": g},
            {},
            0,
            {"estimate": {"0": 0.5 + off[kind]}, "graph": {"h": 0.5}},
        )
        for g in scale.graphs
        for kind in off
        for m in [estimates.by_protocol(g, kind, scale)]
    ]


def test_stratified_estimates_decide_on_few_labels(tmp_path, scale):
    def run(**off):
        return few_labels(Results(estimated(off, scale), tmp_path, scale), scale)

    verdict, said = run(stratified=-0.01, quota=0.02, quota48=-0.08)
    assert verdict == "Holds"
    assert said.startswith(
        "Means over stratified splits lie within 0.010 of h, over quota splits within 0.080."
    )
    assert run(stratified=0.06, quota=0.0)[0] == "Does not hold"
    assert run(stratified=0.0) == run(quota=0.0) == ("", "")


@pytest.mark.parametrize(("other", "verdict"), [(0.4, "Holds"), (0.2, "Does not hold on squirrel")])
def test_filters_of_other_graphs_must_work_higher(tmp_path, scale, monkeypatch, other, verdict):
    rows_ = {"released basis": {"cora": Cell(Value(0.3)), "squirrel": Cell(Value(other))}}
    monkeypatch.setattr(
        spectrum, "centres", lambda results, scale: Table("t", "T", ["cora", "squirrel"], rows_)
    )
    records = estimated({"quota": 0.0}, scale)
    for record, agreeing in zip(records, (0.8, 0.2), strict=True):
        record.scores["graph"]["h"] = agreeing
    found, said = low_and_high(Results(records, tmp_path, scale), scale)
    assert found == verdict
    assert f"cora 0.30; squirrel {other:.2f}" in said


@pytest.mark.parametrize(
    ("factors", "verdict"), [((0.5, 0.55), "Holds"), ((0.5, 0.7), "Holds under more conditions")]
)
def test_one_factor_for_all_graphs_is_what_theorem_1_needs(results_of, scale, monkeypatch, factors, verdict):
    monkeypatch.setattr(theorem1, "ratios", lambda *_: dict(zip("ab", factors, strict=True)))
    assert frequency_and_homophily(results_of([]), scale)[0] == verdict


def test_each_theorem_of_angles_has_its_own_evidence(results_of, scale, monkeypatch):
    claims = [Claim("the heterophily basis turns", True, "70"), Claim("the homophily basis ends", False, "5")]
    monkeypatch.setattr(angles, "check", lambda *_: claims)
    verdict, said = angle_that_stays(results_of([]), scale)
    assert (verdict, said.partition(". ")[0]) == ("Holds for Algorithm 1", "The heterophily basis turns: 70")
    assert over_smoothing(results_of([]), scale) == ("Does not hold", "The homophily basis ends: 5.")


def test_what_was_not_run_is_not_told(results_of, scale):
    results = results_of([])
    assert all(say(results, scale)[1] == "" for _, say in CLAIMS)
    assert PART.show(results, scale) == []


def test_a_quick_run_tells_nothing_of_the_paper(results_of, scale):
    some = pair("cora", [0.9] * 3, [0.5] * 3)
    assert PART.show(results_of(some), replace(scale, quick=True)) == []


def test_the_exhibit_lists_what_was_run(results_of, scale):
    job = next(j for j in rows.table("table2", "quota", ["cora"], scale) if j.row == "SGC, published")
    mine = next(j for j in rows.table("table2", "quota", ["cora"], scale) if j.row == MINE)
    assert isinstance(mine.how, Searched)
    results = results_of([(job, [0.9] * 3), (mine, [0.8] * 3)])
    verdict, said = polynomial(results, scale)
    assert verdict == "Does not hold"
    assert said == "Ahead of it: cora SGC by 10.00."
    (words,) = PART.show(results, scale)
    assert words.items == [(CLAIMS[0][0], f"Does not hold. {said}")]


def test_sentences_that_say_nothing_leave_no_gap():
    assert together("", "One.", "", "Two.") == "One. Two."

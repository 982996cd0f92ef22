from dataclasses import replace

from unifilter.reproduce import ablation, h, rows, tau
from unifilter.reproduce.claims import (
    CLAIMS,
    PART,
    any_estimate,
    better_than_its_parts,
    led_on,
    met,
    polynomial,
    standing,
    tau_near_homophily,
    together,
)
from unifilter.reproduce.part import Job, Published, Searched
from unifilter.reproduce.printed import printed
from unifilter.reproduce.settings import released
from unifilter.train.entries import Entry

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

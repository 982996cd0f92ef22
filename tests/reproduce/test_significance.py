import math

import pytest

from unifilter.reproduce import significance, table2
from unifilter.reproduce.ranks import cliques, critical_difference
from unifilter.train.significance import holm, interval, paired
from unifilter.viz.exhibit import Plot, Table, Words

OURS, THEIRS, OTHER = [0.90, 0.91, 0.93], [0.80, 0.82, 0.81], [0.94, 0.92, 0.93]


def jobs(scale, form="searched"):
    titles = {"unifilter": OURS, "sgc": THEIRS, "sign": OTHER}
    found = table2.jobs(scale)
    return [(j, titles[j.model]) for j in found if j.model in titles and j.row.endswith(form)]


def table2_jobs(scale):
    return [(j, OURS) for j in table2.jobs(scale) if j.row.endswith("searched")]


def test_differences_are_paired_and_corrected_over_the_models_of_a_graph(results_of, scale):
    shown = significance.show(results_of(jobs(scale)), scale)
    table = shown[0]
    assert isinstance(table, Table)
    cell = table.rows["SGC"]["cora"]
    assert cell.ours.mean == pytest.approx(100 * sum(a - b for a, b in zip(OURS, THEIRS, strict=True)) / 3)
    ratio = 0.2 / 0.6
    ps = holm([paired(OURS, THEIRS, ratio), paired(OURS, OTHER, ratio)])
    assert ps[0] < 0.05 < ps[1]
    assert cell.mark == f"p {ps[0]:.3f} †"
    assert table.rows["SIGN"]["cora"].mark == f"p {ps[1]:.3f}"
    gaps = [100 * (a - b) for a, b in zip(OURS, THEIRS, strict=True)]
    assert cell.ours.half == pytest.approx(interval(gaps, ratio))
    assert "† marks p below 0.05." in table.caption
    assert "UniFilter" not in table.rows


def test_ranks_come_with_the_critical_difference(results_of, scale):
    shown = significance.show(results_of(jobs(scale)), scale)
    plot = next(e for e in shown if isinstance(e, Plot))
    assert list(plot.series[0].x) == ["SIGN", "UniFilter", "SGC"]
    assert list(plot.series[0].y) == [1.0, 2.0, 3.0]
    assert not plot.series[0].half


def test_bars_join_who_cannot_be_told_apart_from_the_best_of_them_on(results_of, scale):
    shown = significance.show(results_of(jobs(scale)), scale)
    plot = next(e for e in shown if isinstance(e, Plot))
    _, bars = plot.series
    distance = critical_difference(3, 2)
    assert (plot.kind, bars.reference) == ("rows", True)
    assert list(bars.x) == ["SIGN"] * 3 + ["critical difference"] * 3
    assert list(bars.y) == pytest.approx([1.0, 3.0, math.nan, 1.0, 1.0 + distance, math.nan], nan_ok=True)
    ranks = [1.0, 2.5, 4.0]
    apart = significance._bars(["a", "b", "c"], ranks, cliques(ranks, 2.0), 2.0)
    assert list(apart.x)[::3] == ["a", "b", "critical difference"]
    assert list(apart.y)[:2] == [1.0, 2.5]
    assert min(y for y in apart.y if not math.isnan(y)) >= 1  # ranks that exist


def test_a_searched_setting_counts_before_a_published_one_and_some_of_the_splits_do_not(results_of, scale):
    graph = "cora"
    searched = next(j for j in table2.jobs(scale) if j.row == "SGC, searched" and j.dataset == graph)
    results = results_of([(searched, THEIRS[:2])])
    assert significance.accuracies("table2", results, scale) == {}
    results = results_of([(searched, THEIRS)])
    assert significance.accuracies("table2", results, scale)["SGC"][graph] == pytest.approx([80, 82, 81])


def test_published_settings_that_stand_for_a_search_are_named(results_of, scale):
    published = [(j, s) for j, s in jobs(scale, "published") if j.model == "sgc"]
    searched = [(j, s) for j, s in jobs(scale) if j.model != "sgc"]
    table, plot = significance.show(results_of(published + searched), scale)[:2]
    assert plot.caption.endswith(" SGC with published settings on cora, squirrel.")
    assert table.rows["SGC"]["cora"].note == "published settings"
    assert table.rows["SIGN"]["cora"].note == ""


def test_a_model_without_every_graph_is_not_ranked(results_of, scale):
    everything = jobs(scale)
    some = [(j, s) for j, s in table2_jobs(scale) if j.model == "gprgnn"][:1]
    plot = next(e for e in significance.show(results_of(everything + some), scale) if isinstance(e, Plot))
    assert "GPR-GNN" not in plot.series[0].x
    assert plot.caption.endswith("Without a figure for every graph: GPR-GNN.")


def test_too_few_graphs_give_no_ranking(results_of, scale):
    shown = significance.show(results_of([]), scale)
    assert all(isinstance(e, Words) and "Too few" in e.paragraphs[0] for e in shown)

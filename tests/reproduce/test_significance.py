import pytest

from unifilter.reproduce import significance, table2
from unifilter.reproduce.ranks import critical_difference
from unifilter.train.significance import holm, paired
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
    ps = holm([paired(OURS, THEIRS), paired(OURS, OTHER)])
    assert cell.note == f"p = {ps[0]:.3f}"
    assert "UniFilter" not in table.rows


def test_ranks_come_with_the_critical_difference(results_of, scale):
    shown = significance.show(results_of(jobs(scale)), scale)
    plot = next(e for e in shown if isinstance(e, Plot))
    assert list(plot.series[0].x) == ["SIGN", "UniFilter", "SGC"]
    assert list(plot.series[0].y) == [1.0, 2.0, 3.0]
    assert plot.series[0].half[0] == pytest.approx(critical_difference(3, 2) / 2)


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
    assert table.rows["SGC"]["cora"].note.endswith(", published settings")
    assert "published" not in table.rows["SIGN"]["cora"].note


def test_a_model_without_every_graph_is_not_ranked(results_of, scale):
    everything = jobs(scale)
    some = [(j, s) for j, s in table2_jobs(scale) if j.model == "gprgnn"][:1]
    plot = next(e for e in significance.show(results_of(everything + some), scale) if isinstance(e, Plot))
    assert "GPR-GNN" not in plot.series[0].x
    assert plot.caption.endswith("Without a figure for every graph: GPR-GNN.")


def test_too_few_graphs_give_no_ranking(results_of, scale):
    shown = significance.show(results_of([]), scale)
    assert all(isinstance(e, Words) and "Too few" in e.paragraphs[0] for e in shown)

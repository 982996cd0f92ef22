import numpy as np
import pytest

from unifilter.data import load
from unifilter.reproduce import rows
from unifilter.reproduce.accuracies import (
    OTHERS,
    accuracies,
    beats,
    best_of,
    failures,
    goals,
    majorities,
    note,
)
from unifilter.reproduce.part import Job, Published, Scale
from unifilter.reproduce.results import Results
from unifilter.train.entries import Entry

from .conftest import made


def job(model, graph="cora", row=None):
    return Job(row or model, graph, "quota:3", Published(Entry(model)))


def test_cells_stand_beside_the_printed_figure_and_empty_rows_are_left_out(results_of):
    results = results_of([(job("sgc"), [0.8, 0.9, 1.0])])
    table = accuracies("t", "T", "table2", [job("sgc"), job("sgc", "pubmed"), job("sign")], results)
    assert list(table.rows) == ["sgc"]
    cell = table.rows["sgc"]["cora"]
    assert (cell.ours.mean, cell.ours.runs) == (pytest.approx(90), 3)
    assert (cell.printed, cell.printed_half) == (86.83, 1.28)
    assert table.rows["sgc"]["pubmed"].ours is None
    assert table.columns == ["cora", "pubmed"]
    searched = job("sgc", row="SGC, searched")
    assert list(accuracies("t", "T", "table2", [searched], results_of([(searched, [0.8] * 3)])).beyond) == [
        "SGC, searched"
    ]


def test_published_settings_come_first_even_if_the_first_graph_has_none(results_of):
    searched, published = job("optbasis", row="OptBasisGNN, searched"), "OptBasisGNN, published"
    jobs = [searched, job("optbasis", "pubmed", published), job("sgc", row="SGC, published")]
    table = accuracies("t", "T", "table2", jobs, results_of([(j, [0.8] * 3) for j in jobs]))
    assert list(table.rows) == ["OptBasisGNN, published", "OptBasisGNN, searched", "SGC, published"]


def test_a_mean_over_some_of_the_splits_is_named_but_is_no_cell(results_of):
    jobs = [job("sgc"), job("sgc", "pubmed"), job("sign"), job("gprgnn")]
    results = results_of([(jobs[0], [0.8, 0.9]), (jobs[1], [0.7] * 3), (jobs[2], [0.9])])
    table = accuracies("t", "T", "table2", jobs, results, "Caption.")
    assert table.rows["sgc"]["cora"].ours is None
    assert list(table.rows) == ["sgc"]
    assert table.caption == (
        "Caption. Not run: gprgnn. Not finished: sgc on cora (85.00 over 2 of 3 splits); "
        "sign on cora (90.00 over 1 of 3 splits)."
    )


def test_a_cell_says_whose_settings_it_has(results_of):
    filtered = job("sgc", "chameleon-filtered", "SGC, published")
    assert note(results_of([(filtered, [0.8] * 3)]), filtered) == "settings of chameleon"


def test_settings_of_the_graph_itself_need_no_note(tmp_path):
    (tmp_path / "sgc.toml").write_text("[squirrel-filtered.fixed]\n")
    results = Results([], tmp_path, Scale(configs=tmp_path))
    own, other = (
        Job("SGC, published", graph, "fixed:3", Published(Entry("sgc")))
        for graph in ("squirrel-filtered", "chameleon-filtered")
    )
    assert (note(results, own), note(results, other)) == ("", "settings of chameleon")


def test_a_split_whose_training_failed_is_named(results_of):
    assert note(results_of([(job("sgc"), [0.8, 0.82, 0.31])]), job("sgc")) == (
        "split 2 ended at 31.0, the median is 80.0"
    )
    assert note(results_of([(job("sgc"), [0.8, 0.82, 0.7])]), job("sgc")) == ""


def test_five_starts_are_a_form_of_unifilter_that_the_paper_does_not_have(results_of):
    starts, other = job("unifilter", row=rows.row("unifilter", rows.STARTS)), job("sgc", row="SGC")
    results = results_of([(starts, [0.9] * 3), (other, [0.8] * 3)])
    assert accuracies("t", "T", "table2", [starts, other], results).beyond == [starts.row]
    (claim,) = best_of(results, [starts, other])
    assert (claim.holds, claim.sentence.startswith(starts.row)) == (True, True)
    assert starts.row in goals("g", "G", "mine", [starts, other], results, {"cora": 85.0}).rows


@pytest.mark.parametrize(("ours", "holds"), [(0.9, True), (0.7, False)])
def test_the_claim_is_of_one_form_against_the_best_of_the_others(results_of, ours, holds):
    mine = job("unifilter", row="UniFilter, searched")
    better = Job("UniFilter, exact basis", "cora", "quota:3", Published(Entry("unifilter", options={"K": 3})))
    jobs = [job("sgc", row="SGC"), job("gcn", row="GCN"), mine, better]
    pairs = zip(jobs, ([0.8] * 3, [0.6] * 3, [ours] * 3, [0.99] * 3), strict=True)
    (claim,) = best_of(results_of(pairs), jobs)
    assert claim.holds is holds
    assert claim.sentence.startswith("UniFilter, searched: the highest mean of 3 rows on cora")
    assert claim.evidence == f"{100 * ours:.2f}, SGC 80.00"


def test_a_row_that_lacks_splits_leads_nothing(results_of):
    jobs = [job("sgc", row="SGC"), job("unifilter", row="UniFilter, searched")]
    assert best_of(results_of([(jobs[0], [0.9, 0.9]), (jobs[1], [0.8] * 3)]), jobs) == []


def test_nothing_is_claimed_where_nothing_was_run(results_of):
    assert best_of(results_of([]), [job("sgc"), job("unifilter", row="UniFilter")]) == []


def test_a_model_no_better_than_the_largest_class_does_not_beat_it(tmp_path):
    graph = "sbm:n=100,classes=4"
    (claim,) = beats(Results([], tmp_path, Scale()), [job("sgc", graph)], Scale())
    assert not claim.holds
    floor = np.mean(majorities(load(graph), "quota:3"))  # of test nodes, which are not balanced
    assert floor > 0.25
    for accuracy, holds in ((floor - 0.01, False), (floor + 0.01, True)):
        results = Results(made(job("sgc", graph), [accuracy] * 3), tmp_path, Scale())
        assert beats(results, [job("sgc", graph)], Scale())[0].holds is holds


def test_goals_stand_beside_both_forms_and_the_best_of_the_others(results_of):
    forms = {form: job("unifilter", row=f"UniFilter, {form}") for form in ("searched", "released basis")}
    others = [job("sgc", row="SGC, published"), job("sign", row="SIGN, published")]
    pairs = [(forms["searched"], [0.8] * 3), (forms["released basis"], [0.99] * 3)]
    results = results_of([*pairs, (others[0], [0.7] * 3), (others[1], [0.9] * 3)])
    table = goals("g", "G", "mine", [*forms.values(), *others], results, {"cora": 85.0, "pubmed": 90.0})
    mine, best = table.rows["UniFilter, searched"]["cora"], table.rows[OTHERS]["cora"]
    assert (mine.ours.mean, mine.printed, round(mine.difference, 6)) == (pytest.approx(80), 85.0, -5.0)
    assert (best.ours.mean, best.note) == (pytest.approx(90), "SIGN, published")
    assert "UniFilter, released basis" not in table.rows
    assert table.verdicts()["alone"] == 2
    assert "beside the target, mine." in table.caption
    assert "still to be run" not in table.caption


def test_goals_name_the_searches_that_are_still_to_be_run(results_of):
    jobs = [job("sgc", row="SGC, searched"), job("sign", row="SIGN, searched")]
    results = results_of([(jobs[0], [0.8] * 3), (jobs[1], [0.9] * 2)])
    caption = goals("g", "G", "mine", jobs, results, {"cora": 85.0}).caption
    assert caption.endswith("Searches that are still to be run: SIGN on cora.")


def test_the_claim_of_a_lead_names_its_paired_gain(results_of, scale):
    ours, other = (
        next(j for j in rows.jobs(model, "cora", "quota:3", scale) if j.row.endswith(", searched"))
        for model in ("unifilter", "sgc")
    )
    results = results_of([(ours, [0.8, 0.7, 0.6]), (other, [0.79, 0.71, 0.59])])
    claim = best_of(results, [ours, other])[0]
    gain = results.gain(ours, other)
    assert claim.evidence.endswith(f"paired {gain.mean:+.2f} ± {gain.half:.2f}")
    assert abs(gain.mean) < gain.half  # a lead, but none that three splits can tell


def test_a_cell_says_that_nothing_was_learned(results_of, scale):
    job = next(j for j in rows.jobs("sgc", "cora", "quota:3", scale) if j.row == "SGC, searched")
    results = results_of([(job, [0.1, 0.1, 0.1])])
    for record in results.of(job):
        record.scores["train"] = {"accuracy": 0.21}
    assert "only 21% of the training nodes are right" in note(results, job)
    for record in results.of(job):
        record.scores["train"] = {"accuracy": 0.31}
    assert note(results, job) == ""


def test_a_plot_names_the_trainings_that_failed(results_of, scale):
    job = next(j for j in rows.jobs("sgc", "cora", "quota:3", scale) if j.row == "SGC, searched")
    results = results_of([(job, [0.6, 0.61, 0.4])])
    assert failures(results, [job]) == (
        " Trainings that failed: SGC, searched, split 2 ended at 40.0, the median is 60.0."
    )
    assert failures(results_of([(job, [0.6, 0.61, 0.5])]), [job]) == ""

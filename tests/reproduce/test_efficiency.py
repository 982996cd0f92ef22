import pytest

from unifilter.data.embedded import build
from unifilter.record import Record
from unifilter.reproduce import efficiency, rows
from unifilter.reproduce.part import Scale
from unifilter.reproduce.results import Results


def test_every_model_of_both_tables_is_measured_alone():
    measures = efficiency.measures(Scale())
    assert {m.what["model"] for m in measures} == {*rows.models("table2"), *rows.models("table3")}
    assert {m.dataset for m in measures} == set(efficiency.GRAPHS)


def test_the_first_point_of_a_grid_is_measured(tmp_path):
    (tmp_path / "gcn.toml").write_text(
        "[cora.quota]\ngrid = {hidden = [8, 16], 'training.lr' = [0.5, 0.1], preprocess = ['row', 'none']}\n"
    )
    what = efficiency.measure("gcn", "cora", Scale(configs=tmp_path)).what
    assert (what["options"], what["preprocess"]) == ({"hidden": 8}, "row")


def test_a_measure_trains_for_all_its_epochs():
    what = {"model": "sgc", "options": {}, "preprocess": "row", "epochs": 4}
    cost = efficiency.take(build("sbm:n=100,h=0.9,classes=3"), what, "cpu")["cost"]
    assert cost["epochs"] == 4
    assert cost["epoch_ms"] > 0
    assert cost["peak_mb"] > 1
    assert cost["parameters"] > 0


def test_cost_and_accuracy_stand_in_one_row(results_of, scale):
    job = next(j for j in rows.jobs("sgc", "cora", "quota:3", scale) if j.row == "SGC, searched")
    results = results_of([(job, [0.8] * 3)])
    measure = efficiency.measure("sgc", "cora", scale)
    cost = {"epoch_ms": 2.0, "prepare_seconds": 0.5, "peak_mb": 30.0, "parameters": 5000.0, "epochs": 50.0}
    record = Record("efficiency", dict(measure.what), {}, {"name": "cora"}, {}, 0, {"cost": cost})
    results = Results([*results.records, record], results.folder, scale)
    table, plot = efficiency.show(results, scale)[:2]
    row = {name: cell.ours.mean for name, cell in table.rows["SGC"].items()}
    assert table.rows["SGC"]["accuracy, 60/20/20 (%)"].note == "another setting than the one timed"
    epochs = results.of(job)[0].epochs
    assert epochs > 0
    assert row == {
        "ms an epoch": 2.0,
        "training (s)": pytest.approx(0.5 + epochs * 0.002),
        "preparation (s)": 0.5,
        "peak memory (MB)": 30.0,
        "parameters (thousands)": 5.0,
        "accuracy, 60/20/20 (%)": pytest.approx(80),
    }
    assert (list(plot.series[0].x), list(plot.series[0].y)) == ([row["training (s)"]], [pytest.approx(80)])
    assert [e.name for e in efficiency.show(results, scale)] == [table.name, plot.name]  # no empty ones


def test_accuracy_is_that_of_the_setting_whose_cost_was_measured(results_of, scale):
    searched, printed = (
        next(j for j in rows.jobs("sgc", "cora", "quota:3", scale) if j.row == f"SGC, {form}")
        for form in (rows.SEARCHED, rows.PRINTED)
    )
    results = results_of([(searched, [0.8] * 3), (printed, [0.7] * 3)])
    assert efficiency.trained("table2", "sgc", "cora", results, scale) == printed
    some = results_of([(searched, [0.8] * 3), (printed, [0.7] * 2)])  # a mean over some of the splits
    assert efficiency.trained("table2", "sgc", "cora", some, scale) == searched


def test_a_solver_has_no_epochs_and_its_training_is_what_was_timed(results_of, scale):
    job = next(j for j in rows.jobs("asgc", "cora", "quota:3", scale) if j.row == "ASGC, searched")
    measure = efficiency.measure("asgc", "cora", scale)
    cost = {"epoch_ms": 200.0, "prepare_seconds": 0.5, "peak_mb": 1.0, "parameters": 5.0, "epochs": 1.0}
    record = Record("efficiency", dict(measure.what), {}, {"name": "cora"}, {}, 0, {"cost": cost})
    results = results_of([(job, [0.8] * 3)])
    table = efficiency.show(Results([*results.records, record], results.folder, scale), scale)[0]
    assert "ms an epoch" not in table.rows["ASGC"]
    assert table.rows["ASGC"]["training (s)"].ours.mean == pytest.approx(0.7)


def test_accuracies_of_two_kinds_of_splits_have_a_plot_each(results_of, scale):
    some = [j for kind in ("quota", "fixed") for j in rows.jobs("unifilter", "cora", f"{kind}:3", scale)]
    exact = [j for j in some if j.row.endswith(rows.EXACT)]
    results = results_of([(job, [accuracy] * 3) for job, accuracy in zip(exact, (0.8, 0.7), strict=True)])
    measure = efficiency.measure("unifilter", "cora", scale)
    cost = {"epoch_ms": 2.0, "prepare_seconds": 0.5, "peak_mb": 30.0, "parameters": 5000.0, "epochs": 50.0}
    record = Record("efficiency", dict(measure.what), {}, {"name": "cora"}, {}, 0, {"cost": cost})
    plots = efficiency.show(Results([*results.records, record], results.folder, scale), scale)[1:]
    assert [p.name for p in plots] == ["efficiency_cora_table2", "efficiency_cora_table3"]
    assert [list(p.series[0].y) for p in plots] == [[pytest.approx(80)], [pytest.approx(70)]]

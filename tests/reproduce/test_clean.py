import numpy as np
import pytest

from unifilter.data import Dataset, load
from unifilter.record import Record
from unifilter.reproduce import clean
from unifilter.reproduce.part import Scale
from unifilter.reproduce.protocols import trials
from unifilter.reproduce.results import Results


def test_both_tables_are_run_on_both_graphs_without_duplicates():
    jobs = clean.jobs(Scale())
    assert {j.dataset for j in jobs} == set(clean.FILTERED)
    assert {j.protocol for j in jobs if j.model == "sgc"} == {"quota:10"}
    assert {j.protocol for j in jobs if j.model == "gcn"} == {"fixed:10"}
    assert {j.protocol for j in jobs if j.model == "unifilter"} == {"quota:10", "fixed:10"}


def test_nothing_stands_for_them_where_they_are_not_at_hand(results_of):
    quick = Scale(graphs=("sbm",), quick=True)
    assert clean.jobs(quick) == []
    assert clean.show(results_of([]), quick) == []


def test_the_tables_have_no_printed_figures(results_of):
    scale = Scale(splits=3, settings=2)
    job = next(j for j in clean.jobs(scale) if j.row == "UniFilter, released basis")
    first, second = clean.show(results_of([(job, [0.4] * 3)]), scale)
    assert first.rows[job.row][job.dataset].printed is None
    assert "settings of chameleon" in first.rows[job.row][job.dataset].note
    assert second.rows == {}


def test_the_floor_is_the_largest_class_of_the_test_nodes(results_of):
    scale = Scale(splits=2, settings=2)
    taken = Record(
        "clean",
        {"protocol": "quota:2"},
        {},
        {"name": clean.FILTERED[1]},
        {},
        0,
        {"largest": {"0": 0.5, "1": 0.6}},
    )
    results = results_of([])
    table, _ = clean.show(Results([taken], results.folder, scale), scale)
    assert {g: c.ours.mean for g, c in table.rows[clean.FLOOR].items()} == {
        clean.FILTERED[1]: pytest.approx(55)
    }


def test_the_floor_counts_test_nodes_and_not_the_graph():
    data = load("sbm:n=100,h=0.5,classes=2")
    y = np.array([0] * 90 + [1] * 10)
    skewed = Dataset(data.graph, data.features().numpy(), y)
    shares = clean.take(skewed, {"protocol": "quota:2"}, "cpu")["largest"]
    for i, trial in enumerate(trials(skewed, "quota:2")):
        of = y[trial.split.test]
        assert shares[str(i)] == max((of == c).mean() for c in (0, 1)) != 0.9

from unifilter.reproduce import clean
from unifilter.reproduce.part import Scale


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

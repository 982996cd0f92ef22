from unifilter.reproduce import table2
from unifilter.reproduce.part import Published, Scale


def test_table_2_has_twelve_models_on_ten_quota_splits_of_six_graphs():
    jobs = table2.jobs(Scale())
    assert {j.protocol for j in jobs} == {"quota:10"}
    assert len({j.model for j in jobs}) == 12
    assert len({j.dataset for j in jobs}) == 6


def test_a_quick_run_takes_two_rows_to_the_real_graphs_that_are_at_hand():
    quick = Scale(splits=2, graphs=("sbm",), quick=True, also=("cora",))
    real = {j.row for j in table2.jobs(quick) if j.dataset == "cora"}
    assert real == {"SGC, published", "UniFilter, exact basis"}


def test_the_table_shows_what_was_run_beside_the_papers_figure(results_of, scale):
    job = next(j for j in table2.jobs(scale) if j.row == "UniFilter, released basis" and j.dataset == "cora")
    assert isinstance(job.how, Published)
    (table,) = table2.show(results_of([(job, [0.89, 0.9, 0.91])]), scale)
    cell = table.rows["UniFilter, released basis"]["cora"]
    assert (round(cell.ours.mean, 2), cell.printed) == (90.0, 89.49)
    assert "2 settings" in table.caption


def test_what_was_wanted_stands_below_the_table_once_a_form_that_should_reach_it_was_run(results_of, scale):
    job = next(j for j in table2.jobs(scale) if j.row == "UniFilter, searched" and j.dataset == "cora")
    table, reached = table2.show(results_of([(job, [0.89, 0.9, 0.91])]), scale)
    assert (table.name, reached.name) == ("table2", "goals_table2")
    assert reached.rows["UniFilter, searched"]["cora"].printed == 89.49


def test_what_must_hold_on_further_graphs_must_hold_on_homophilous_ones(results_of):
    agree, differ = (f"sbm:n=200,h={h},classes=3,d=8" for h in (0.8, 0.1))
    quick = Scale(splits=2, graphs=(), quick=True, also=(agree, differ))
    claims = table2.check(results_of([]), quick)
    assert len(claims) == 2
    assert all(agree in claim.sentence for claim in claims)

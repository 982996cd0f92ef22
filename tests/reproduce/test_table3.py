import pytest

from unifilter.reproduce import table3
from unifilter.reproduce.part import Scale


def test_table_3_is_run_in_both_readings():
    jobs = table3.jobs(Scale())
    assert {j.protocol for j in jobs} == {"fixed:10", "quota48:10"}
    assert len({j.model for j in jobs}) == 10
    quick = table3.jobs(Scale(graphs=("a", "b"), quick=True))
    assert {j.dataset for j in quick if j.protocol.startswith("quota48")} == {"a"}


def test_the_reading_that_the_printed_figures_fit_is_told_by_cells_that_both_have(results_of, scale):
    row = "UniFilter, released basis"
    fixed, quota = (
        next(j for j in table3.reading(kind, scale) if j.row == row and j.dataset == "cora")
        for kind in table3.READINGS
    )
    alone = next(j for j in table3.reading("fixed", scale) if j.row == row and j.dataset == "squirrel")
    pairs = [(fixed, [0.8712] * 3), (quota, [0.8962] * 3), (alone, [0.1] * 3)]  # printed: 89.12
    searched = [
        next(j for j in table3.reading(kind, scale) if j.row == "GCN, searched" and j.dataset == "cora")
        for kind in table3.READINGS
    ]
    pairs += [(j, [0.5] * 3) for j in searched]  # what was searched on one kind of split says nothing
    *tables, words = table3.show(results_of(pairs), scale)
    assert [t.name for t in tables] == ["table3", "table3_quota48", "goals_table3"]
    # The printed figures of UniFilter are those of quota splits, and the others' those of the public ones.
    assert row in tables[0].beyond
    assert row not in tables[1].beyond
    said = dict(words.items)
    assert said["UniFilter on the ten public splits that came with the graphs"].startswith(
        "mean difference -2.00 points, mean distance 2.00, 1 cells"
    )
    assert "+0.50" in said["UniFilter on ten quota splits of the same shares"]
    (verdict,) = words.paragraphs
    assert "UniFilter are nearer to ten quota splits" in verdict
    assert "0.50 against 2.00" in verdict


def test_without_records_it_says_that_nothing_can_be_compared(results_of, scale):
    words = table3.fit(results_of([]), scale)
    assert words.items == []
    assert words.paragraphs == ("No cell has been run in both readings.",)


@pytest.mark.parametrize(("ours", "holds"), [(0.9, True), (0.5, False)])
def test_who_leads_is_claimed_on_the_public_splits(results_of, scale, ours, holds):
    jobs = [j for j in table3.reading("fixed", scale) if j.dataset == "cora"]
    mine = next(j for j in jobs if j.row == "UniFilter, searched")
    other = next(j for j in jobs if j.row == "GCN, searched")
    claims = table3.check(results_of([(mine, [ours] * 3), (other, [0.7] * 3)]), scale)
    # Without settings of ours (scale.configs) the extended search is the same.
    assert [(c.sentence.split(":")[0], c.holds) for c in claims] == [
        ("UniFilter, searched", holds),
        ("UniFilter, extended, searched", holds),
    ]

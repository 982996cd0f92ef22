from dataclasses import replace
from pathlib import Path

from unifilter.models import names
from unifilter.reproduce.part import Auto, Published, Scale, Searched
from unifilter.reproduce.rows import EXTENDED, SEARCHED, STARTS, jobs, models, table
from unifilter.reproduce.settings import own_setting, own_settings

CONFIGS = Path(__file__).parents[2] / "experiments/configs"
FULL = Scale(settings=7, configs=CONFIGS)


def test_every_printed_row_is_a_registered_model():
    assert set(models("table2")) | set(models("table3")) <= set(names())


def test_every_model_is_searched_with_the_same_budget_and_trained_as_published_where_it_was():
    found = table("table2", "quota", ("cora", "squirrel"), FULL)
    searched = [j for j in found if isinstance(j.how, Searched) and not j.how.whole]
    assert {(j.model, j.dataset) for j in searched} == {
        (m, g) for m in models("table2") for g in ("cora", "squirrel")
    }
    assert {j.how.settings for j in searched} == {7}
    ours = own_settings(CONFIGS)
    first = {j.row: j.how.first for j in searched}
    assert not any(s in ours for row, some in first.items() if "extended" not in row for s in some)
    assert {j.model for j in found if isinstance(j.how, Published)} == set(models("table2"))
    assert len({(j.row, j.dataset) for j in found}) == len(found)


def test_unifilter_comes_in_its_forms():
    forms = {j.row: j.how for j in jobs("unifilter", "cora", "quota:10", FULL)}
    assert forms["UniFilter, released basis"].entry.options["basis"] == "released"
    assert forms["UniFilter, exact basis"].entry.options["basis"] == "unibasis"
    assert isinstance(forms["UniFilter, auto"], Auto)
    assert (forms["UniFilter, 500 searched"].settings, forms["UniFilter, 500 searched"].whole) == (500, True)
    extended = {j.row: j.how for j in jobs("unifilter", "cora", "quota:10", replace(FULL, settings=30))}
    known, more = (extended[f"UniFilter, {form}"] for form in (SEARCHED, EXTENDED))
    assert more == replace(known, first=known.first + own_settings(CONFIGS))
    assert len(more.first) == 18
    for graph, protocol in (("cora", "fixed:10"), ("cora", "quota48:10"), ("chameleon-filtered", "quota:10")):
        assert "UniFilter, 500 searched" not in {j.row for j in jobs("unifilter", graph, protocol, FULL)}


def test_without_published_settings_a_full_run_only_searches_and_a_quick_one_takes_defaults():
    assert [type(j.how) for j in jobs("gcn", "a graph", "quota:2", FULL)] == [Searched]
    quick = Scale(quick=True, configs=CONFIGS)
    assert [j.how.entry.options for j in jobs("gcn", "a graph", "quota:2", quick)] == [{}]


def test_five_starts_of_what_long_searches_found_vote_where_they_looked():
    """Not on the second reading of Table 3, nor on graphs without duplicates: they have no setting there."""
    for graph, protocol, looked in (
        ("cora", "quota:10", True),
        ("actor", "fixed:10", True),
        ("cora", "quota48:10", False),
        ("squirrel-filtered", "fixed:10", False),
    ):
        found = {j.row: j.how for j in jobs("unifilter", graph, protocol, FULL)}
        how = found.get(f"UniFilter, {STARTS}")
        assert (how is not None) is looked
        if how is not None:
            assert how.portfolio == (own_setting(graph, protocol, CONFIGS),)
            assert how.note != found["UniFilter, auto"].note

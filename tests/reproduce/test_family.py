import pytest

from unifilter.data.embedded import build
from unifilter.models import names
from unifilter.reproduce import family
from unifilter.reproduce.part import Scale


def test_every_model_that_can_be_trained_alone_takes_part():
    assert set(family.models(Scale())) == set(names()) - {"committee"}
    assert {j.protocol for j in family.jobs(Scale())} == {"stratified:5"}


@pytest.mark.parametrize("h", family.homophilies(Scale()))
def test_the_family_exists_at_every_homophily(h):
    assert build(family.FAMILY.format(h=h)).n == 1000


def test_curves_and_table_say_the_same(results_of, scale):
    jobs = {m: family.job(m, 0.9, scale) for m in ("mlp", "unifilter")}
    plot, table = family.show(results_of([(jobs["mlp"], [0.5] * 3), (jobs["unifilter"], [0.9] * 3)]), scale)
    assert {s.name: list(s.y) for s in plot.series} == {
        "MLP": [pytest.approx(50)],
        "UniFilter": [pytest.approx(90)],
    }
    assert table.winners("0.9") == {"UniFilter"}


def test_few_curves_are_in_colour_and_the_others_are_grey(results_of):
    """UniFilter, GPR-GNN, GCN, MLP, label propagation, and of the others the best that has every h."""
    scale = Scale(splits=2)
    scores = {"unifilter": 0.9, "gcn": 0.5, "sgc": 0.8, "sign": 0.7, "gat": 0.6}
    pairs = [(family.job(m, h, scale), [s] * 2) for m, s in scores.items() for h in family.homophilies(scale)]
    pairs.append((family.job("linkx", 0.0, scale), [1.0] * 2))  # at one h alone
    plot, table = family.show(results_of(pairs), scale)
    assert [s.name for s in plot.series if not s.muted] == ["UniFilter", "GCN", "SGC"]
    assert {s.name: s.muted for s in plot.series if s.muted} == dict.fromkeys(
        ("SIGN", "GAT", "LINKX"), family.OTHERS
    )
    assert plot.caption.startswith("In colour: UniFilter, GCN, SGC, the last for the highest mean accuracy")
    assert set(table.rows) == {s.name for s in plot.series}


def test_the_models_in_colour_are_registered():
    assert set(family.SHOWN) <= set(names())


@pytest.mark.parametrize(("ours", "holds"), [(0.9, True), (0.4, False)])
def test_a_filter_must_beat_the_mlp_where_neighbours_agree(results_of, scale, ours, holds):
    jobs = {m: family.job(m, 0.9, scale) for m in ("mlp", "unifilter")}
    results = results_of([(jobs["mlp"], [0.5] * 3), (jobs["unifilter"], [ours] * 3)])
    assert family.check(results, scale)[0].holds is holds

from dataclasses import replace

import numpy as np
import pytest

from reproduce.measured import GRAPHS, SMALL, measured
from unifilter.data import load, splits
from unifilter.graph.homophily import edge_homophily
from unifilter.reproduce.estimates import LOOPED, PART, by_protocol, by_share, estimated, looped, safe, take
from unifilter.reproduce.part import Scale
from unifilter.viz.exhibit import Plot


def test_an_estimate_sees_training_labels_alone():
    data = load("sbm:n=400,h=0.7")
    found = take(data, {"share": 0.3, "splits": 2}, "cpu")["estimate"]
    wanted = [
        edge_homophily(data.graph, data.y, splits.quota(data.y, 0.3, 0.2, s).train) for s in splits.SEEDS[:2]
    ]
    assert list(found.values()) == wanted


def test_means_and_spreads_of_all_protocols_are_shown(tmp_path):
    results = measured(PART, SMALL, tmp_path)
    means, spreads, shares, _, *plots = PART.show(results, SMALL)
    assert means.rows["h on all labels"][GRAPHS[0]].ours.mean == pytest.approx(0.85)
    quota = estimated(results, by_protocol(GRAPHS[0], "quota", SMALL))
    assert means.rows["60%, quota splits"][GRAPHS[0]].ours.mean == pytest.approx(sum(quota) / 2)
    spread = abs(quota[0] - quota[1]) / 2**0.5
    assert spreads.rows["60%, quota splits"][GRAPHS[0]].ours.mean == pytest.approx(spread)
    assert means.beyond == spreads.beyond == ("48%, fixed splits",)
    assert set(means.beyond) <= set(means.rows)
    assert shares.columns == ["20%", "60%"]
    assert {p.name for p in plots} == {f"estimates_{safe(g)}" for g in GRAPHS}
    assert all(isinstance(p, Plot) for p in plots)
    assert all(claim.holds for claim in PART.check(results, SMALL))


def test_a_graph_that_was_not_measured_has_no_cell(tmp_path):
    more = Scale(splits=2, graphs=(*GRAPHS, "sbm:n=100"), quick=True)
    means = PART.show(measured(PART, SMALL, tmp_path), more)[0]
    assert "sbm:n=100" not in means.rows["60%, quota splits"]


def test_on_citeseer_the_printed_estimate_is_that_of_quota_splits_of_48_percent(mirror):
    """0.69 as printed for 48/32/20; the public fixed splits give the graph's own 0.74."""
    data = load("citeseer")
    quota, fixed = (
        take(data, {"protocol": f"{kind}:10"}, "cpu")["estimate"] for kind in ("quota48", "fixed")
    )
    assert sum(quota.values()) / 10 == pytest.approx(0.69, abs=0.005)
    assert sum(fixed.values()) / 10 > 0.72


def test_the_printed_deviation_of_cora_at_50_percent_lost_a_zero(mirror, tmp_path):
    scale = Scale(graphs=("cora",))
    from unifilter.reproduce.executor import results_of
    from unifilter.reproduce.executor import take as record

    for share in (0.4, 0.5):
        record(by_share("cora", share, scale), tmp_path, "cpu")
    spread = PART.show(results_of(tmp_path, scale), scale)[3].rows["cora"]
    assert spread["50%"].ours.mean == pytest.approx(0.0083, abs=5e-4)
    assert (spread["40%"].verdict(3), spread["50%"].verdict(3)) == ("agrees", "below")


def test_a_loop_joins_a_label_to_itself_and_counts_once():
    data = load("sbm:n=100,h=0.5")
    u, v = data.graph.edges()
    inside = (u < 50) & (v < 50)
    same = data.y[u[inside]] == data.y[v[inside]]
    arcs = np.stack([np.r_[u, v, 3, 3, 70], np.r_[v, u, 3, 3, 70]])  # a loop twice, and one outside
    found = looped(replace(data, arcs=arcs), np.arange(100) < 50)
    assert found == pytest.approx((same.sum() + 1) / (same.size + 1))


def test_actors_printed_estimate_has_the_loops_of_the_data(mirror):
    data = load("actor")
    for kind in LOOPED:
        protocol = {"protocol": f"{kind}:10"}
        plain, counted = (
            np.mean(list(take(data, protocol | more, "cpu")["estimate"].values()))
            for more in ({}, {"loops": True})
        )
        assert (round(plain, 2), round(counted, 2)) == (0.2, 0.21)

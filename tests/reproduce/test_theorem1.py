import numpy as np
import pytest
import torch

from reproduce.measured import GRAPHS, SMALL, measured
from unifilter import propagation, signal_frequency
from unifilter.data import load
from unifilter.reproduce.executor import results_of
from unifilter.reproduce.executor import take as run
from unifilter.reproduce.part import Scale
from unifilter.reproduce.theorem1 import (
    CLASSES,
    PART,
    SIGNALS,
    filtered,
    frequencies,
    of_graph,
    ratios,
    slope,
    take,
    together,
)


def test_the_signal_of_the_proof_has_half_of_one_minus_h_on_any_graph():
    for name in ("sbm:n=300,h=0.35,power=2.3", "sbm:n=300,h=0.8,classes=2"):
        found = take(load(name), {"filter": False}, "cpu")
        assert found["frequency"]["proof"] == pytest.approx((1 - found["graph"]["h"]) / 2, abs=1e-12)
        assert "filtered" not in found["frequency"]


def test_labels_have_a_factor_of_their_own_on_every_graph(tmp_path):
    scale = Scale(graphs=("sbm:n=300,h=0.8,classes=2", "sbm:n=300,h=0.8,classes=5"))
    for graph in scale.graphs:
        run(of_graph(graph), tmp_path, "cpu")
    results = results_of(tmp_path, scale)
    two, five = ratios("labels", results, scale).values()
    assert (two, five) == pytest.approx((slope(2), slope(5)), abs=0.1)
    assert list(ratios("proof", results, scale).values()) == pytest.approx([0.5, 0.5], abs=1e-12)
    caption = PART.show(results, scale)[-1].caption
    assert f"f/(1 - h) goes from {five:.2f} to {two:.2f}: not one factor." in caption


def test_columns_together_are_weighed_by_their_length():
    data = load("sbm:n=100")
    P, X = propagation(data.graph, dtype=torch.float64), data.features().double()
    size = (X * X).sum(dim=0)
    assert together(P, X) == pytest.approx(float((signal_frequency(P, X) * size).sum() / size.sum()))


def test_the_filter_sees_the_labels_of_training_nodes_alone():
    data = load("sbm:n=200,classes=2")
    P, X = propagation(data.graph, dtype=torch.float64), data.features().double()
    Y = torch.from_numpy(np.eye(2)[data.y])
    train = torch.arange(200) < 120
    other = torch.where(train[:, None], Y, 1 - Y)
    torch.testing.assert_close(filtered(P, X, Y, train), filtered(P, X, other, train))
    changed = torch.where(train[:, None], 1 - Y, Y)
    assert not torch.allclose(filtered(P, X, Y, train), filtered(P, X, changed, train))


def test_filtered_signals_follow_one_minus_h_and_raw_features_do_not(tmp_path):
    results = measured(PART, SMALL, tmp_path)
    claims = PART.check(results, SMALL)
    assert len(claims) == 2 * len(CLASSES)
    assert all(claim.holds for claim in claims)
    *plots, table = PART.show(results, SMALL)
    assert [p.name for p in plots] == ["theorem1_2", "theorem1_5"]
    assert table.rows["(1 - h) / 2"][GRAPHS[0]].ours.mean == pytest.approx(0.075)
    found = frequencies("filtered", 2, results, SMALL)
    assert list(found) == [0.1, 0.5, 0.9]
    assert np.mean(found[0.1]) == pytest.approx(0.9 * slope(2), abs=0.1)
    assert {s.name for s in plots[0].series if not s.reference} == set(SIGNALS.values())

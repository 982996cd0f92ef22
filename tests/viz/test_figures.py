"""Figures show the numbers that they were given."""

from itertools import pairwise

import numpy as np
import pytest

from unifilter.analysis import Density, Features, Label
from unifilter.graph.homophily import Estimate
from unifilter.viz import figures

NAN = float("nan")


def test_degree_bins_hold_every_node_once_and_join_without_gap():
    degrees = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 1303])
    counts = np.arange(1, 15)
    (bar,) = figures.degree_histogram(np.stack([degrees, counts])).data
    assert sum(bar.y) == counts.sum()
    ends = [[int(v.replace(",", "")) for v in tick.split("–")] for tick in bar.x]
    assert ends[0] == [0]
    assert ends[-1][0] <= 1303 <= ends[-1][-1]
    assert all(b[0] == a[-1] + 1 for a, b in pairwise(ends))
    by_bin = [sum(c for d, c in zip(degrees, counts, strict=True) if e[0] <= d <= e[-1]) for e in ends]
    assert list(bar.y) == by_bin


def test_degree_bins_start_where_the_degrees_do():
    (bar,) = figures.degree_histogram(np.array([[9, 10], [3, 4]])).data
    assert list(bar.x) == ["8–11"]
    assert list(bar.y) == [7]


def test_nodes_without_a_label_have_a_bar_only_if_there_are_any():
    labels = [Label("a", 3, 0.6, 0.1, 0.4), Label("b", 2, 0.4, 0.2, 0.4)]
    assert list(figures.label_shares(labels, 5).data[0].x) == [3, 2, 5]
    assert list(figures.label_shares(labels, 0).data[0].x) == [3, 2]


def test_homophily_bars_have_two_standard_errors_and_no_undefined_measure():
    found = {
        "edge": Estimate(0.8, 0.02),
        "adjusted": Estimate(-0.1, 0.03),
        "informativeness": Estimate(NAN, 0.0),
    }
    fig = figures.homophily_bars(found)
    assert list(fig.data[0].x) == [0.8, -0.1]
    assert list(fig.data[0].error_x.array) == [0.04, 0.06]
    assert fig.layout.xaxis.range[0] < -0.16


def test_exact_measures_have_no_whiskers():
    assert figures.homophily_bars({"edge": Estimate(0.8, 0.0)}).data[0].error_x.visible is False


def test_a_class_without_a_frequency_is_left_out():
    labels = [Label("a", 3, 0.6, 0.1, 0.4), Label("b", 2, 0.4, NAN, NAN)]
    _, chance, these = figures.label_frequencies(labels).data
    assert (list(chance.x), list(these.x), list(these.y)) == ([0.4], [0.1], ["a"])


def test_the_density_is_drawn_over_0_to_2():
    trace = figures.spectral_density(Density(np.array([[0.5, 1.5]]), np.array([[0.5, 0.5]]))).data[0]
    assert (trace.x[0], trace.x[-1]) == (0, 2)
    assert np.sum(trace.y) * (trace.x[1] - trace.x[0]) == pytest.approx(1, abs=0.01)


def test_features_are_counted_by_column_and_by_energy():
    features = Features(np.array([0.11, 0.11, 0.91]), np.array([0.1, 0.1, 0.8]), 0.75, 0)
    columns, energy, *means = figures.feature_frequencies(features, 0.2, bins=10).data
    np.testing.assert_allclose(np.asarray(columns.y)[[1, 9]], [2 / 3, 1 / 3])
    np.testing.assert_allclose(np.asarray(energy.y)[[1, 9]], [0.2, 0.8])
    assert [line.x[0] for line in means] == [0.75, 0.2]


def test_a_frequency_that_rounding_put_outside_still_counts():
    features = Features(np.array([-1e-9, 1 + 1e-9]), np.array([0.5, 0.5]), 0.5, 0)
    assert sum(figures.feature_frequencies(features).data[0].y) == pytest.approx(1)

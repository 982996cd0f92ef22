"""Random signals in the place of features."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from unifilter import Graph, Trained, Training, run, splits
from unifilter.data import Dataset, load, read_tables, signals, with_signals
from unifilter.data.newcomers import read_newcomers
from unifilter.data.signals import random_signs


@pytest.mark.parametrize("d", [1, 64, 256, 300, 512])
@pytest.mark.parametrize("start", [0, 1, 1000])
def test_rows_are_the_same_wherever_they_are_asked_for(d, start):
    whole = random_signs(start + 7, d)
    assert whole.shape == (start + 7, d)
    assert whole.dtype == np.float32
    assert_array_equal(whole[start:], random_signs(7, d, start))


def test_signs_are_fair_and_columns_do_not_know_each_other():
    R = random_signs(20_000, 64)
    assert set(np.unique(R)) == {-1, 1}
    correlation = R.T @ R / 20_000
    assert np.abs(R.mean(axis=0)).max() < 0.04
    assert np.abs(correlation - np.eye(64)).max() < 0.04
    assert np.abs((R[1:] * R[:-1]).mean()) < 0.01


def test_large_graphs_get_fewer_and_old_features_go(monkeypatch):
    data = load("sbm:n=100")
    assert with_signals(data).d == signals.WIDTH
    monkeypatch.setattr(signals, "MANY", 99)
    found = with_signals(data)
    assert found.d == signals.NARROW
    assert found.columns[:2] == ("signal 0", "signal 1")
    assert_array_equal(found.y, data.y)


@pytest.mark.parametrize("h", [0.9, 0.02])
def test_places_in_the_graph_are_learned_whether_neighbours_agree_or_differ(h):
    """Where they differ, in a circle of five classes, of which no two have the same neighbours."""
    rng = np.random.default_rng(0)
    y = np.arange(500) % 5
    u = rng.integers(0, 500, 5000)
    other = np.where(rng.random(5000) < h, y[u], (y[u] + 1) % 5)
    v = 5 * rng.integers(0, 100, 5000) + other
    bare = Dataset(Graph.from_edges(np.stack([u, v]), n=500), np.empty((500, 0), np.float32), y)
    options, training = {"K": 6, "hidden": 32}, Training(epochs=150)
    found = run(with_signals(bare), splits.stratified(y), "unifilter", options, training)
    assert found.record.scores["test"]["accuracy"] > 0.8


def test_nodes_that_come_later_get_signals_too(tmp_path):
    def write(name, *rows):
        (tmp_path / name).write_text("\n".join(rows) + "\n")
        return tmp_path / name

    rng, y = np.random.default_rng(1), np.arange(120) % 2
    pairs = [(a, b) for a, b in rng.integers(0, 120, (2000, 2)) if a != b and (y[a] == y[b])]
    edges = write("e.csv", "src,dst", *(f"n{a},n{b}" for a, b in pairs))
    nodes = write("n.csv", "id,label", *(f"n{i},{'ab'[c]}" for i, c in enumerate(y)))
    data = with_signals(read_tables(edges, nodes))
    result = run(data, splits.stratified(data.y), "unifilter", {"K": 4, "hidden": 16}, Training(epochs=60))
    Trained.of(result, data).save(tmp_path / "model")
    trained = Trained.load(tmp_path / "model")
    new_edges = write("f.csv", "src,dst", *(f"new{i},n{j}" for i in (0, 1) for j in range(i, 60, 2)))
    new = read_newcomers(trained.dataset, write("m.csv", "id", "new0", "new1"), new_edges)
    assert_array_equal(new.X, random_signs(2, data.d, start=120))
    assert trained.predict_new(new.X, new.edges, new.weights).argmax(axis=1).tolist() == [0, 1]

import numpy as np
import pytest

from unifilter.graph.homophily import edge_homophily
from unifilter.reproduce.graphs import at_hand, load

BASE = "sbm:n=400,h=0.82,classes=5,degree=6"


@pytest.mark.parametrize("h", [0.2, 0.5])
def test_g_s_has_the_homophily_of_its_name_and_the_edges_of_its_base(h):
    data, base = load(f"gs:{h}:{BASE}"), load(BASE)
    assert edge_homophily(data.graph, data.y, np.ones(data.n, bool)) == pytest.approx(h, abs=0.01)
    np.testing.assert_array_equal(data.graph.edges(), base.graph.edges())
    assert data.d == 100
    assert (data.X.sum(axis=1) == 1).all()


def test_g_s_of_its_bases_own_homophily_keeps_the_labels():
    np.testing.assert_array_equal(load(f"gs:0.9:{BASE}").y, load(BASE).y)


def test_a_named_graph_is_at_hand_once_a_mirror_or_the_cache_has_it(tmp_path, monkeypatch):
    monkeypatch.setenv("UNIFILTER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("UNIFILTER_MIRROR", raising=False)
    assert at_hand(BASE)
    assert at_hand(f"gs:0.3:{BASE}")
    assert not at_hand("cora")
    assert not at_hand("gs:0.3:cora")
    monkeypatch.setenv("UNIFILTER_MIRROR", str(tmp_path / "mirror"))
    assert not at_hand("cora")
    (tmp_path / "mirror/Planetoid/Cora/raw").mkdir(parents=True)
    assert at_hand("cora")
    monkeypatch.delenv("UNIFILTER_MIRROR")
    stored = tmp_path / "cache/datasets/cora"
    stored.mkdir(parents=True)
    (stored / "meta.json").write_text("{}")
    assert at_hand("cora")


def test_features_are_taken_away_and_signals_put_in_their_place():
    base, bare, signals = load(BASE), load(f"bare:{BASE}"), load(f"signals:{BASE}")
    assert (bare.d, signals.d) == (0, 512)
    for found in (bare, signals):
        np.testing.assert_array_equal(found.y, base.y)
        assert found.graph is base.graph
    assert signals.name == f"signals:{BASE}"
    assert at_hand(f"bare:{BASE}")
    assert not at_hand("signals:nobody")

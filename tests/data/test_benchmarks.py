"""Named graphs: figures, origin, and what happens when something goes wrong."""

import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.sparse import issparse

from unifilter import edge_homophily
from unifilter.data import benchmarks, readers, splits
from unifilter.data.benchmarks import MissingDataError, cached, load
from unifilter.data.catalog import CATALOG

SIX = ("cora", "citeseer", "pubmed", "actor", "chameleon", "squirrel")
HOMOPHILY = dict(zip(SIX, (0.810, 0.736, 0.802, 0.217, 0.230, 0.222), strict=True))
LOOPS = dict(zip(SIX, (0, 124, 3, 93, 50, 140), strict=True))
ARCS = {"actor": (33391, 30019), "chameleon": (36101, 36101), "squirrel": (217073, 217073)}


@pytest.mark.parametrize("name", SIX)
def test_the_paper_s_graphs_have_their_figures(name, mirror):
    dataset, entry = load(name), CATALOG[name]
    assert (dataset.n, dataset.graph.m) == (entry.nodes, entry.edges)
    assert (dataset.d, len(dataset.classes)) == (entry.features, entry.classes)
    assert edge_homophily(dataset.graph, dataset.y, dataset.labelled) == pytest.approx(
        HOMOPHILY[name], abs=5e-4
    )
    assert set(dataset.about) >= {"source", "licence", "citation", "checksum"}


@pytest.mark.parametrize("name", SIX)
def test_arcs_keep_what_the_graph_drops(name, mirror):
    arcs = load(name).arcs
    distinct = np.unique(arcs, axis=1)
    assert (distinct[0] == distinct[1]).sum() == LOOPS[name]
    if name in ARCS:
        assert (arcs.shape[1], distinct.shape[1]) == ARCS[name]


@pytest.mark.parametrize("name", ["chameleon-filtered", "squirrel-filtered"])
def test_graphs_without_duplicated_nodes_are_there(name, mirror):
    dataset = load(name)
    assert dataset.graph.m == CATALOG[name].edges
    assert len(splits.fixed(dataset, 9).train) == dataset.n


def test_ten_fixed_splits_are_48_32_20_with_their_oddities(mirror):
    cora, citeseer = load("cora"), load("citeseer")
    assert cora.unassigned.size == 223
    assert all(mask.dtype == bool for mask in cora.masks.values())
    for i in range(10):
        assert [int(m.sum()) for m in splits.fixed(cora, i)[:3]] == [1192, 796, 497]
        small = i in (4, 5)
        wanted = [1017, 679, 424] if small else [1596, 1065, 666]
        assert [int(m.sum()) for m in splits.fixed(citeseer, i)[:3]] == wanted
    assert citeseer.unlabelled.size == 15
    assert (citeseer.y[citeseer.unlabelled] == 0).all()
    assert splits.fixed(load("squirrel"), 0).shares == pytest.approx((0.48, 0.32, 0.20), abs=0.001)


def test_planetoid_s_public_split_is_there(mirror):
    split = splits.public(load("pubmed"))
    assert [int(m.sum()) for m in split[:3]] == [60, 500, 1000]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("cora", (1557, 542, 609)),
        ("citeseer", (1929, 665, 733)),
        ("pubmed", (11829, 3943, 3945)),
        ("actor", (4501, 1520, 1579)),
    ],
)
def test_quota_splits_have_the_sizes_of_the_literature(name, sizes, mirror):
    split = splits.quota(load(name).y)
    assert tuple(int(m.sum()) for m in split[:3]) == sizes


def test_the_second_load_maps_the_cache(mirror):
    """Nothing is parsed, and nothing is read until it is asked for."""
    load("pubmed")
    start = time.process_time()  # of this process only: other work on the machine does not count
    dataset = load("pubmed")
    assert time.process_time() - start < 0.2
    assert dataset.X.shape == (19717, 500)
    assert mapped(dataset.X.data if issparse(dataset.X) else dataset.X)


def mapped(array) -> bool:
    """Whether its memory is that of a file."""
    while array is not None and not isinstance(array, np.memmap):
        array = array.base
    return array is not None


def test_two_processes_may_load_the_same_name_at_once(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("UNIFILTER_CACHE", str(tmp_path))
    code = "from unifilter.data.benchmarks import load; print(load('cora').graph.m)"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out.strip()) == (0, "5278"), err
    assert not list(tmp_path.glob("staging-*"))


def test_a_changed_pickle_is_not_opened(mirror, tmp_path, monkeypatch):
    """The pickle would print if it were opened."""
    copy = tmp_path / "mirror"
    shutil.copytree(mirror / "Planetoid" / "Cora", copy / "Planetoid" / "Cora")
    (copy / "Planetoid/Cora/raw/ind.cora.x").write_bytes(b"cbuiltins\nprint\n(S'opened'\ntR.")
    monkeypatch.setenv("UNIFILTER_MIRROR", str(copy))
    monkeypatch.setenv("UNIFILTER_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ValueError, match="ind.cora.x is not the file.*It was not opened"):
        load("cora")
    assert not cached("cora").exists()


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """No mirror, an empty cache, and a network that refuses."""
    monkeypatch.delenv("UNIFILTER_MIRROR", raising=False)
    monkeypatch.setenv("UNIFILTER_CACHE", str(tmp_path))
    for proxy in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:9")
    return tmp_path


@pytest.mark.parametrize("name", ["actor", "chameleon-filtered", "texas", "pokec", "twitch-gamer"])
def test_without_network_and_mirror_the_error_says_what_to_get_and_where_to_put_it(name, offline):
    with pytest.raises(MissingDataError, match="Get it from https://.* and put it at") as caught:
        load(name)
    assert CATALOG[name].folders[0] in str(caught.value)
    assert not list(offline.glob("staging-*"))
    assert not cached(name).exists()


def test_a_download_cut_in_half_leaves_nothing_behind(offline, monkeypatch):
    def cut(entry, stage, verify):
        file = stage / entry.folders[0] / "out1_graph_edges.txt"
        file.parent.mkdir(parents=True)
        file.write_text("node_id\tnode_id\n0\t")
        raise OSError("connection reset")

    monkeypatch.setattr(readers, "actor", cut)
    with pytest.raises(MissingDataError, match="connection reset"):
        load("actor")
    assert not list(offline.glob("staging-*"))
    assert not cached("actor").exists()


def test_figures_that_do_not_fit_the_name_are_refused(offline, monkeypatch):
    from unifilter.data import embedded

    monkeypatch.setattr(readers, "actor", lambda *_: embedded.build("sbm:n=100"))
    with pytest.raises(ValueError, match="100 nodes where 7600 belong"):
        load("actor")


def test_an_unknown_name_gets_the_nearest_ones():
    with pytest.raises(ValueError, match="no dataset named 'coraa'. Did you mean cora"):
        load("coraa")


def test_embedded_graphs_are_cached_too(offline):
    one = load("sbm:h=0.3,n=200")
    assert (cached("sbm:h=0.3,n=200") / "meta.json").exists()
    other = load("sbm:h=0.3,n=200")
    np.testing.assert_array_equal(one.graph.indices, other.graph.indices)
    assert other.about["checksum"] == one.about["checksum"]


def test_preprocessing_can_be_asked_for_by_name(offline):
    assert load("sbm:n=200", "standard").preprocessing == "standard"


def test_the_cache_is_where_the_environment_says(monkeypatch):
    monkeypatch.setenv("UNIFILTER_CACHE", "/somewhere")
    assert str(benchmarks.cache()) == "/somewhere"

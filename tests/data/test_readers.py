"""Readers of families whose files are not at hand, fed with tiny files in their format."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csr_array

from unifilter.data import readers
from unifilter.data.catalog import CATALOG


def nothing():
    pass


def raw(tmp_path, name):
    folder = tmp_path / CATALOG[name].folders[0]
    folder.mkdir(parents=True)
    return folder


def test_webkb_reads_geom_gcn_s_text_files(tmp_path):
    folder = raw(tmp_path, "texas")
    (folder / "out1_graph_edges.txt").write_text("a\tb\n0\t1\n1\t2\n2\t2\n")
    rows = "\n".join(f"{i}\t{i},1,0\t{i % 2}" for i in range(3))
    (folder / "out1_node_feature_label.txt").write_text(f"id\tfeature\tlabel\n{rows}\n")
    for i in range(10):
        parts = {f"{p}_mask": np.arange(3) == j for j, p in enumerate(("train", "val", "test"))}
        np.savez(folder / f"texas_split_0.6_0.2_{i}.npz", **parts)
    texas = readers.webkb(CATALOG["texas"], tmp_path, nothing)
    assert texas.arcs.tolist() == [[0, 1, 2], [1, 2, 2]]
    assert (texas.graph.m, texas.graph.self_loops) == (2, 1)
    assert texas.masks["fixed_val"].shape == (10, 3)
    np.testing.assert_array_equal(texas.features()[2], [2, 1, 0])


@pytest.mark.parametrize(
    ("name", "reader"), [("minesweeper", "heterophilous"), ("squirrel-filtered", "filtered")]
)
def test_npz_files_of_platonov_et_al_are_read(name, reader, tmp_path):
    entry = CATALOG[name]
    arrays = {
        "node_features": np.eye(4, dtype=np.float32),
        "node_labels": np.array([0, 1, 0, 1]),
        "edges": np.array([[0, 1], [1, 2]]),
    } | {f"{p}_masks": np.ones((10, 4), bool) for p in ("train", "val", "test")}
    np.savez(raw(tmp_path, name) / f"{entry.argument}.npz", **arrays)
    dataset = getattr(readers, reader)(entry, tmp_path, nothing)
    assert dataset.arcs.tolist() == [[0, 1], [1, 2]]
    assert dataset.graph.m == 2
    assert dataset.masks["fixed_train"].shape == (10, 4)


def test_penn94_is_read_without_its_pickled_splits(tmp_path):
    A = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], float))
    info = np.array([[1, 1, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 8], [2, 0, 3, 4, 5, 6, 7]])
    savemat(raw(tmp_path, "penn94") / "data.mat", {"A": A, "local_info": info})
    penn = readers.linkx(CATALOG["penn94"], tmp_path, nothing)
    assert penn.y.tolist() == [0, 1, -1]
    assert penn.graph.m == 2
    assert penn.masks == {}


def test_pokec_and_patents_are_read_from_matlab_files(tmp_path):
    edges = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
    folder = raw(tmp_path, "pokec")
    savemat(
        folder / "pokec.mat",
        {"edge_index": edges, "node_feat": np.eye(5), "label": np.array([0, 1, -1, 0, 1])},
    )
    assert readers.matlab(CATALOG["pokec"], tmp_path, nothing).y.tolist() == [0, 1, -1, 0, 1]
    folder = raw(tmp_path, "snap-patents")
    years = np.array([1970, 1980, 1990, 2000, 2010])
    features = csr_array(np.eye(5))
    savemat(folder / "snap_patents.mat", {"edge_index": edges, "node_feat": features, "years": years})
    patents = readers.matlab(CATALOG["snap-patents"], tmp_path, nothing)
    assert patents.y.tolist() == [0, 1, 2, 3, 4]
    assert patents.d == 5


def test_twitch_gamers_are_read_from_csv(tmp_path):
    folder = raw(tmp_path, "twitch-gamer")
    (folder / "twitch-gamer_edges.csv").write_text("numeric_id_1,numeric_id_2\n0,1\n1,2\n")
    (folder / "twitch-gamer_feat.csv").write_text(
        "views,mature,life_time,created_at,updated_at,numeric_id,dead_account,language,affiliate\n"
        "10,1,5,2018-01-01,2018-02-01,1,0,EN,1\n"
        "20,0,6,2017-01-01,2018-03-01,0,1,DE,0\n"
        "30,1,7,2016-01-01,2018-04-01,2,0,EN,1\n"
    )
    twitch = readers.twitch(CATALOG["twitch-gamer"], tmp_path, nothing)
    assert twitch.y.tolist() == [0, 1, 1]
    assert (twitch.d, twitch.graph.m) == (7, 2)
    np.testing.assert_allclose(twitch.features().mean(dim=0), 0, atol=1e-6)


def test_quantiles_make_classes_of_equal_size():
    years = np.repeat(np.arange(2000.0, 2010.0), 10)
    years[0] = np.nan
    classes = readers._quantiles(years, 5)
    assert classes[0] == -1
    assert np.bincount(classes[1:]).tolist() == [19, 20, 20, 20, 20]


def test_ogb_is_an_extra_that_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ogb.nodeproppred", None)
    with pytest.raises(ImportError, match=r"pip install 'unifilter\[ogb\]'"):
        readers.ogbn(CATALOG["ogbn-arxiv"], tmp_path, nothing)

import json
import os

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from unifilter import Graph
from unifilter.data import store
from unifilter.data.dataset import Dataset


def example(sparse=False, weighted=False):
    rng = np.random.default_rng(0)
    arcs = rng.integers(0, 20, (2, 60))
    graph = Graph.from_edges(arcs, n=20, weights=rng.random(60) if weighted else None)
    X = rng.random((20, 5)).astype(np.float32) * (rng.random((20, 5)) < 0.5)
    return Dataset(
        graph,
        csr_array(X) if sparse else X,
        rng.integers(-1, 3, 20),
        "example",
        ("a", "b", "c"),
        pa.array([f"node {i}" for i in range(20)]),
        arcs,
        {"fixed_train": rng.random((2, 20)) < 0.5},
        np.array([3]),
        tuple("vwxyz"),
        about={"licence": "MIT"},
    )


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_was_saved_is_loaded(tmp_path, sparse, weighted):
    one = example(sparse, weighted)
    one.save(tmp_path / "d")
    other = Dataset.load(tmp_path / "d")
    for name in ("indptr", "indices", "weights"):
        np.testing.assert_array_equal(getattr(other.graph, name), getattr(one.graph, name))
    assert repr(other.graph) == repr(one.graph)
    np.testing.assert_array_equal(other.features(), one.features())
    for name in ("y", "arcs", "unlabelled"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
    np.testing.assert_array_equal(other.masks["fixed_train"], one.masks["fixed_train"])
    assert other.ids.equals(one.ids)
    for name in ("name", "classes", "columns", "preprocessing", "about"):
        assert getattr(other, name) == getattr(one, name)
    assert store.checksum(other) == store.checksum(one)


def test_arrays_are_mapped_and_nothing_is_a_pickle(tmp_path):
    example().save(tmp_path / "d")
    loaded = Dataset.load(tmp_path / "d")
    assert isinstance(loaded.X.base, np.memmap) or isinstance(loaded.X, np.memmap)
    for file in (tmp_path / "d").glob("*.npy"):
        np.load(file, allow_pickle=False)
    assert {p.suffix for p in (tmp_path / "d").iterdir()} == {".npy", ".json", ".arrow"}


def test_saving_again_replaces_and_leaves_nothing_beside(tmp_path):
    example().save(tmp_path / "d")
    example(sparse=True).save(tmp_path / "d")
    assert [p.name for p in tmp_path.iterdir()] == ["d"]
    assert not (tmp_path / "d" / "X.npy").exists()


def test_a_save_that_fails_leaves_the_old_one_alone(tmp_path, monkeypatch):
    example().save(tmp_path / "d")
    before = sorted(os.listdir(tmp_path / "d"))
    monkeypatch.setattr(store, "_meta", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        example(sparse=True).save(tmp_path / "d")
    assert [p.name for p in tmp_path.iterdir()] == ["d"]
    assert sorted(os.listdir(tmp_path / "d")) == before


def test_what_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no meta.json"):
        Dataset.load(tmp_path)
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(ValueError, match="not written by Dataset.save"):
        Dataset.load(tmp_path)
    example().save(tmp_path / "d")
    meta = json.loads((tmp_path / "d" / "meta.json").read_text())
    (tmp_path / "d" / "meta.json").write_text(json.dumps(meta | {"version": 99}))
    with pytest.raises(ValueError, match="version 99; this unifilter reads up to 1"):
        Dataset.load(tmp_path / "d")


def test_the_checksum_sees_what_trains_and_not_what_surrounds_it():
    one = example()
    assert store.checksum(one) == store.checksum(example())
    changed = one.y.copy()
    changed[0] = (changed[0] + 2) % 3
    assert store.checksum(Dataset(one.graph, one.X, changed)) != store.checksum(one)
    assert store.checksum(Dataset(one.graph, one.X, one.y, "other name")) == store.checksum(one)

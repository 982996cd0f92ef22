"""Raw files to Dataset, one reader for each family of named graphs.

PyTorch Geometric's classes download and parse; what they lose is read again here: the original arcs with
their direction, duplicates and loops, and which labels were missing. Every reader takes the entry, the folder
that holds (or gets) its raw files as a mirror would, and ``verify``, to be called before a pickle is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from unifilter._types import IntArray
from unifilter.data.catalog import Entry
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph

Verify = Callable[[], None]


def planetoid(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Cora, Citeseer, Pubmed: Planetoid's public split and Geom-GCN's ten."""
    from torch_geometric.datasets import Planetoid

    root = str(stage / "Planetoid")
    public = _verified(Planetoid, verify)(root, entry.argument, split="public")
    fixed = _verified(Planetoid, verify)(root, entry.argument, split="geom-gcn")
    raw = Path(public.raw_dir)
    lower = entry.argument.lower()
    tests = np.loadtxt(raw / f"ind.{lower}.test.index", dtype=np.int64)
    # Nodes of the test range that the test file does not name have neither features nor a label.
    unlabelled = np.setdiff1d(np.arange(tests.min(), tests.max() + 1), tests)
    masks = _masks(public[0], "public") | _masks(fixed[0], "fixed")
    return _dataset(public[0], _planetoid_arcs(raw / f"ind.{lower}.graph"), masks, unlabelled)


def actor(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Actor co-occurrence, of Geom-GCN."""
    from torch_geometric.datasets import Actor

    data = _verified(Actor, verify)(str(stage / "Actor"))
    return _dataset(data[0], _text_arcs(Path(data.raw_dir)), _masks(data[0], "fixed"))


def wikipedia(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Chameleon and Squirrel, of Geom-GCN."""
    from torch_geometric.datasets import WikipediaNetwork

    data = _verified(WikipediaNetwork, verify)(str(stage / "WikipediaNetwork"), entry.argument)
    return _dataset(data[0], _text_arcs(Path(data.raw_dir)), _masks(data[0], "fixed"))


def webkb(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Texas, Wisconsin, Cornell, of Geom-GCN."""
    from torch_geometric.datasets import WebKB

    data = _verified(WebKB, verify)(str(stage / "WebKB"), entry.argument)
    return _dataset(data[0], _text_arcs(Path(data.raw_dir)), _masks(data[0], "fixed"))


def filtered(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Chameleon and Squirrel without duplicated nodes, which PyTorch Geometric does not have."""
    from torch_geometric.data import download_url

    folder = stage / entry.folders[0]
    file = folder / f"{entry.argument}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        download_url(f"{entry.family.source}/raw/main/data/{file.name}", str(folder), log=False)
    verify()
    return _npz(file)


def heterophilous(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """The five graphs of Platonov et al."""
    from torch_geometric.datasets import HeterophilousGraphDataset

    data = _verified(HeterophilousGraphDataset, verify)(str(stage / "heterophilous-graphs"), entry.argument)
    return _npz(Path(data.raw_paths[0]))


def linkx(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Penn94, genius and wiki, of the LINKX paper.

    Penn94's splits are a pickle of unknown checksum and are left out.
    """
    import torch
    from torch_geometric.datasets import LINKXDataset

    class Safe(LINKXDataset):  # type: ignore[misc]
        splits: dict[str, str] = {}  # noqa: RUF012 - hides the base's

        def _process_wiki(self) -> Any:
            from torch_geometric.data import Data

            paths = {Path(p).stem: p for p in self.raw_paths}
            parts = ("features", "edges", "views")
            x, edges, y = (torch.load(paths[f"wiki_{part}2M"], weights_only=True) for part in parts)
            return Data(x=x, edge_index=edges.t().contiguous(), y=y)

    data = _verified(Safe, verify)(str(stage / "LINKX"), entry.argument)[0]
    return _dataset(data, data.edge_index.numpy(), {})


def twitch(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Twitch gamers: two CSV files; the class is whether the account has explicit content."""
    import pyarrow.csv

    folder = stage / entry.folders[0]
    edges = pyarrow.csv.read_csv(_present(folder / "twitch-gamer_edges.csv"))
    nodes = pyarrow.csv.read_csv(_present(folder / "twitch-gamer_feat.csv")).sort_by("numeric_id")
    dates = [nodes[c].cast("timestamp[s]").cast("int64") for c in ("created_at", "updated_at")]
    language = nodes["language"].combine_chunks().dictionary_encode().indices
    numbers = [nodes[c] for c in ("views", "life_time", "dead_account", "affiliate")]
    X = np.stack([c.to_numpy() for c in (*numbers, *dates, language)], axis=1).astype(np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    arcs = np.stack([edges[c].to_numpy() for c in ("numeric_id_1", "numeric_id_2")])
    y = nodes["mature"].to_numpy().astype(np.int64)
    return Dataset(Graph.from_edges(arcs, n=len(y)), X, y, arcs=arcs)


def matlab(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Pokec and snap-patents: a .mat file each; patents are classed by year, in five equal parts."""
    from scipy.io import loadmat

    raw = loadmat(_present(stage / entry.folders[0] / f"{entry.argument}.mat"))
    arcs = np.asarray(raw["edge_index"], dtype=np.int64)
    X = raw["node_feat"]
    years = entry.name != "pokec"
    y = (
        _quantiles(np.asarray(raw["years"]).ravel(), 5)
        if years
        else np.asarray(raw["label"], np.int64).ravel()
    )
    return Dataset(Graph.from_edges(arcs, n=y.size), X, y, arcs=arcs)


def arxiv_year(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """ogbn-arxiv with the year of publication as the class, in five equal parts."""
    raw, _, _ = _ogb("ogbn-arxiv", stage)
    y = _quantiles(raw["node_year"].ravel(), 5)
    return Dataset(Graph.from_edges(raw["edge_index"], n=y.size), raw["node_feat"], y, arcs=raw["edge_index"])


def ogbn(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Node property prediction of the Open Graph Benchmark, with its official split."""
    raw, label, split = _ogb(entry.name, stage)
    label = label.ravel()
    y = np.where(np.isnan(label), -1, label).astype(np.int64) if label.dtype.kind == "f" else label
    masks = {}
    for ours, theirs in (("train", "train"), ("val", "valid"), ("test", "test")):
        masks[f"fixed_{ours}"] = np.zeros((1, y.size), bool)
        masks[f"fixed_{ours}"][0, split[theirs]] = True
    graph = Graph.from_edges(raw["edge_index"], n=y.size)
    return Dataset(graph, raw["node_feat"], y, arcs=raw["edge_index"], masks=masks)


def amazon(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Co-purchase graphs of photo and computer articles."""
    from torch_geometric.datasets import Amazon

    data = _verified(Amazon, verify)(str(stage / "Amazon"), entry.argument)[0]
    return _dataset(data, data.edge_index.numpy(), {})


def coauthor(entry: Entry, stage: Path, verify: Verify) -> Dataset:
    """Co-author graphs of computer science and physics."""
    from torch_geometric.datasets import Coauthor

    data = _verified(Coauthor, verify)(str(stage / "Coauthor"), entry.argument)[0]
    return _dataset(data, data.edge_index.numpy(), {})


def _verified(cls: Any, verify: Verify) -> Any:
    """The class, with checksums compared between its download and its opening of files."""

    class Verified(cls):  # type: ignore[misc]
        def process(self) -> None:
            verify()
            super().process()

    return Verified


def _present(file: Path) -> Path:
    if not file.exists():
        raise FileNotFoundError(f"{file.name} must be fetched by hand, as its source is a shared drive")
    return file


def _ogb(name: str, stage: Path) -> Any:
    try:
        from ogb.nodeproppred import NodePropPredDataset
    except ImportError:
        raise ImportError(f"{name} needs the package ogb: pip install 'unifilter[ogb]'.") from None
    data = NodePropPredDataset(name, root=str(stage / "ogb"))
    raw, label = data[0]
    return raw, label, data.get_idx_split()


def _dataset(data: Any, arcs: IntArray, masks: dict[str, Any], unlabelled: IntArray | None = None) -> Dataset:
    y = data.y.numpy()
    unlabelled = np.empty(0, np.int64) if unlabelled is None else unlabelled
    graph = Graph.from_edges(arcs, n=y.size)
    X = _thin(data.x.to_dense().numpy())
    return Dataset(graph, X, y, arcs=np.asarray(arcs), masks=masks, unlabelled=unlabelled)


def _thin(X: Any) -> Any:
    """Sparse if that is smaller."""
    return csr_array(X) if 2 * np.count_nonzero(X) < X.size else X


def _masks(data: Any, kind: str) -> dict[str, Any]:
    """PyTorch Geometric's (n,) or (n, s) masks as (s, n)."""
    parts = {"train": data.train_mask, "val": data.val_mask, "test": data.test_mask}
    return {
        f"{kind}_{part}": np.ascontiguousarray(np.atleast_2d(mask.bool().numpy().T))
        for part, mask in parts.items()
    }


def _npz(file: Path) -> Dataset:
    with np.load(file, allow_pickle=False) as raw:
        arcs, X, y = raw["edges"].T, raw["node_features"], raw["node_labels"].astype(np.int64)
        masks = {f"fixed_{part}": raw[f"{part}_masks"] for part in ("train", "val", "test")}
    graph = Graph.from_edges(arcs, n=y.size)
    return Dataset(graph, _thin(X), y, arcs=np.ascontiguousarray(arcs), masks=masks)


def _text_arcs(folder: Path) -> IntArray:
    """Geom-GCN's edge list, a line an arc."""
    return np.loadtxt(folder / "out1_graph_edges.txt", dtype=np.int64, skiprows=1).T.copy()


def _planetoid_arcs(file: Path) -> IntArray:
    """Planetoid's neighbour lists; the file is a pickle, and was verified."""
    import pickle

    with file.open("rb") as stream:
        neighbours = pickle.load(stream, encoding="latin1")
    source = np.repeat(list(neighbours), [len(v) for v in neighbours.values()])
    return np.stack([source, np.concatenate([np.asarray(v, np.int64) for v in neighbours.values()])])


def _quantiles(values: Any, parts: int) -> IntArray:
    """Class c holds the values between the c-th and the next quantile; NaN is -1."""
    known = ~np.isnan(values.astype(np.float64))
    cuts = np.quantile(values[known], np.arange(1, parts) / parts)
    return np.where(known, np.searchsorted(cuts, values, side="right"), -1)

"""Graphs of other libraries as a :class:`Dataset`, and back. Each library is needed only for its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array
from torch import Tensor, from_numpy, strided

from unifilter._types import BoolArray, IntArray
from unifilter.data.convert_networkx import from_networkx, to_networkx
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph

__all__ = ["from_dgl", "from_networkx", "from_pyg", "from_scipy", "to_networkx", "to_pyg"]

PARTS = ("train", "val", "test")


def from_scipy(A: Any, X: Any = None, y: Any = None, name: str = "scipy", **known: Any) -> Dataset:
    """An adjacency matrix (n, n), dense or sparse features (n, d) and labels (n,), -1 = unlabelled.

    Entries that are all 0 or 1 make an unweighted graph. ``known`` are further fields of a :class:`Dataset`,
    as ``classes``, ``ids`` or ``columns``. The way back is ``dataset.graph.to_scipy()``.

    Examples
    --------
    >>> A = csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> from_scipy(A, X=np.eye(3), y=[0, 1, -1], classes=("cat", "dog"))
    Dataset(scipy: n=3, m=2, d=3, classes=2, unlabelled: 1)
    """
    graph, arcs = Graph.from_scipy(A), coo_array(A)
    X = np.empty((graph.n, 0), np.float32) if X is None else X
    y = np.full(graph.n, -1) if y is None else np.asarray(y)
    there = arcs.data != 0  # a sparse matrix may store zeros, which are no edges
    return Dataset(graph, X, y, name, arcs=np.stack([arcs.row[there], arcs.col[there]]), **known)


def from_pyg(data: Any, name: str = "pyg") -> Dataset:
    """A PyTorch Geometric ``Data``: edge_index, x, y, edge_weight and train_mask, val_mask, test_mask.

    x may be sparse and stays so; y may be missing, and NaN or -1 mean unlabelled. The three masks, (n,) or
    (n, s), become the fixed splits; one of (n,) beside others of (n, s), as WikiCS has it, is a part of each.
    Other attributes are not read.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> from_pyg(Data(x=torch.eye(3), edge_index=edge_index, y=torch.tensor([0, 1, -1])))
    Dataset(pyg: n=3, m=2, d=3, classes=2, unlabelled: 1)
    """
    from torch_geometric.data import Data

    if not isinstance(data, Data):
        raise TypeError(
            f"from_pyg takes a torch_geometric.data.Data, but got {type(data).__name__}. A dataset's graph "
            "is dataset[0]; HeteroData has to_homogeneous()."
        )
    if data.edge_index is None:
        raise ValueError(
            f"data must have an edge_index, but has {', '.join(data.keys()) or 'nothing'}. "
            "Of a sparse adj_t take torch.stack(data.adj_t.t().coo()[:2])."
        )
    return _from_tensors(
        data.edge_index,
        int(data.num_nodes),
        data.x,
        data.y,
        data.edge_weight if "edge_weight" in data else None,
        {part: data[f"{part}_mask"] for part in PARTS if f"{part}_mask" in data},
        name=name,
        classes=tuple(getattr(data, "classes", ())),
        ids=getattr(data, "ids", None),
    )


def to_pyg(dataset: Dataset) -> Any:
    """The undirected graph as a PyTorch Geometric ``Data``; :func:`from_pyg` gives the dataset back.

    edge_index holds every edge in both directions, sorted; edge_weight where there are weights; x is dense; y
    has -1 where a label is missing; the fixed splits become train_mask, val_mask, test_mask, (n,) or (n, s).
    The names of the classes and the ids go along as ``classes`` and ``ids``. Not carried: arcs, other splits,
    names of columns.

    Examples
    --------
    >>> dataset = from_scipy(csr_array([[0, 1], [1, 0]]), X=[[1.0], [2.0]], y=[0, 1])
    >>> to_pyg(dataset)
    Data(x=[2, 1], edge_index=[2, 2], y=[2], classes=[2])
    """
    from torch_geometric.data import Data

    graph = dataset.graph
    edge_index = from_numpy(np.stack([graph.rows(), graph.indices]).astype(np.int64))
    y = from_numpy(np.array(dataset.y, np.int64))
    data = Data(dataset.features(), edge_index, y=y, classes=list(dataset.classes))
    if graph.weights is not None:
        data.edge_weight = from_numpy(graph.weights.astype(np.float32))
    for part in PARTS:
        mask = dataset.masks.get(f"fixed_{part}")
        if mask is not None:
            data[f"{part}_mask"] = from_numpy(np.array(mask[0] if mask.shape[0] == 1 else mask.T))
    if dataset.ids is not None:
        data.ids = dataset.ids
    return data


def from_dgl(
    g: Any,
    label: str | None = "label",
    features: str | None = "feat",
    weight: str | None = None,
    name: str = "dgl",
) -> Dataset:
    """A homogeneous DGL graph: its node data ``features`` and ``label``, its edge data ``weight``, its masks.

    train_mask, val_mask and test_mask, where they exist, become the fixed splits. ``None`` leaves a part out.
    DGL itself is not imported: only ``edges()``, ``num_nodes()``, ``ndata``, ``edata`` and ``is_homogeneous``
    are asked for.

    Examples
    --------
    >>> import torch
    >>> from types import SimpleNamespace  # in place of g = dgl.graph(([0, 1], [1, 2]))
    >>> g = SimpleNamespace(
    ...     edges=lambda: (torch.tensor([0, 1]), torch.tensor([1, 2])), num_nodes=lambda: 3,
    ...     ndata={"feat": torch.eye(3), "label": torch.tensor([0, 1, 1])}, edata={}, is_homogeneous=True)
    >>> from_dgl(g)
    Dataset(dgl: n=3, m=2, d=3, classes=2)
    """
    import torch

    if not g.is_homogeneous:
        raise ValueError(
            "from_dgl takes a graph with one kind of nodes and edges; see dgl.to_homogeneous(g)."
        )
    for key, data in ((label, g.ndata), (features, g.ndata), (weight, g.edata)):
        if key is not None and key not in data:
            raise ValueError(
                f"the graph has no data {key!r}, only {', '.join(data) or 'none'}. Name another, or None."
            )
    return _from_tensors(
        torch.stack(g.edges()),
        g.num_nodes(),
        None if features is None else g.ndata[features],
        None if label is None else g.ndata[label],
        None if weight is None else g.edata[weight],
        {part: g.ndata[f"{part}_mask"] for part in PARTS if f"{part}_mask" in g.ndata},
        name=name,
    )


def _from_tensors(
    edge_index: Tensor,
    n: int,
    x: Tensor | None,
    y: Tensor | None,
    weights: Tensor | None,
    masks: dict[str, Tensor],
    **known: Any,
) -> Dataset:
    arcs = edge_index.cpu().numpy()
    graph = Graph.from_edges(arcs, n, None if weights is None else weights.reshape(-1))
    X = np.empty((n, 0), np.float32) if x is None else _features(x)
    splits = _splits(masks) if len(masks) == len(PARTS) else {}  # one or two of three are no split
    if weights is not None:
        arcs = arcs[:, weights.reshape(-1).cpu().numpy() != 0]  # 0 is no edge
    return Dataset(graph, X, _labels(y, n), arcs=arcs, masks=splits, **known)


def _splits(masks: dict[str, Tensor]) -> dict[str, BoolArray]:
    """Masks (n,) or (n, s) as (s, n)."""
    found = {part: np.atleast_2d(mask.cpu().numpy().T).astype(bool) for part, mask in masks.items()}
    counts = {part: len(mask) for part, mask in found.items()}
    count = max(counts.values())
    if not set(counts.values()) <= {1, count}:
        raise ValueError(f"the three masks must be of as many splits, or one for all, but are of {counts}.")
    return {f"fixed_{part}": np.repeat(m, count // len(m), axis=0) for part, m in found.items()}


def _features(x: Tensor) -> Any:
    if x.layout is strided:
        return x.detach().cpu().numpy().reshape(x.shape[0], -1)
    x = x.detach().cpu().to_sparse_csr()
    parts = (x.values(), x.col_indices(), x.crow_indices())
    return csr_array(tuple(part.numpy() for part in parts), shape=(x.shape[0], x.shape[1]))


def _labels(y: Tensor | None, n: int) -> IntArray:
    if y is None:
        return np.full(n, -1)
    labels = y.detach().cpu().numpy()
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise ValueError(
            f"y must name one class a node, but has shape {labels.shape}. Of one-hot rows take y.argmax(1); "
            "several labels a node are not supported."
        )
    labels = labels.reshape(-1)
    if np.issubdtype(labels.dtype, np.floating):
        labels = np.where(np.isnan(labels), -1, labels)
        broken = labels != np.floor(labels)
        if broken.any():
            i = int(np.argmax(broken))
            raise ValueError(
                f"y must name classes, but node {i} has {labels[i]:g}. Sort the values into a few ranges."
            )
    return labels.astype(np.int64)

"""A graph with features and labels, and what is known of their origin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from scipy.sparse import csr_array, issparse

from unifilter._checks import check_features, check_target
from unifilter._types import BoolArray, FloatArray, IntArray
from unifilter.graph import Graph

if TYPE_CHECKING:
    from unifilter.data.tables import Ingestion

Features: TypeAlias = FloatArray | csr_array


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A checked dataset: a :class:`Graph`, features, labels, and names for all of them.

    Parameters
    ----------
    graph : Graph
        Undirected, n nodes.
    X : array or scipy.sparse.csr_array of shape (n, d)
        Features, finite, float32. Sparse ones stay sparse until :meth:`features` is asked for a block.
    y : array of shape (n,)
        Labels 0 .. C-1; -1 = unlabelled, to be predicted.
    name : str
    classes : tuple of str
        The names of the classes; "0", "1", ... if not given.
    ids : pyarrow array of length n, optional
        The nodes' own ids, of any type; 0 .. n-1 if not given.
    arcs : array of shape (2, a), optional
        The edges as they came: direction, duplicates and self-loops included. Some models use direction.
    masks : dict of boolean arrays of shape (s, n)
        Splits that came with the data: "fixed_train", "fixed_val", "fixed_test", "public_train", ...; that of
        a column of the node table: "column_train", ...
    unlabelled : array of node numbers
        Nodes that have no label in the raw data though ``y`` has one by convention, as 15 of Citeseer do.
    columns : tuple of str
        The names of the feature columns, if they have any.
    preprocessing : str
        What was done to X, see :meth:`preprocess`.
    about : dict
        Source, licence, citation, checksum.
    ingestion : Ingestion, optional
        What :func:`unifilter.read_tables` dropped, encoded and filled.

    Examples
    --------
    >>> import numpy as np
    >>> graph = Graph.from_edges([[0, 1], [1, 2]])
    >>> Dataset(graph, np.eye(3), np.array([0, 1, -1]), classes=("cat", "dog"))
    Dataset(unnamed: n=3, m=2, d=3, classes=2, unlabelled: 1)
    """

    graph: Graph
    X: Features
    y: IntArray
    name: str = "unnamed"
    classes: tuple[str, ...] = ()
    ids: Any = None
    arcs: IntArray | None = None
    masks: dict[str, BoolArray] = field(default_factory=dict)
    unlabelled: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    columns: tuple[str, ...] = ()
    preprocessing: str = "none"
    about: dict[str, Any] = field(default_factory=dict)
    ingestion: Ingestion | None = None

    def __post_init__(self) -> None:
        X = check_features(self.X, self.graph.n)
        y = check_target(self.y, self.graph.n)
        classes = self.classes or tuple(str(c) for c in range(int(y.max(initial=-1)) + 1))
        if y.max(initial=-1) >= len(classes):
            raise ValueError(f"y names class {y.max()}, but there are only {len(classes)} names of classes.")
        for key, value in (("X", X), ("y", y), ("classes", classes)):
            object.__setattr__(self, key, value)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.graph.n

    @property
    def d(self) -> int:
        """Number of feature columns."""
        return int(self.X.shape[1])

    @property
    def labelled(self) -> BoolArray:
        """Nodes with a label."""
        return np.asarray(self.y >= 0)

    @property
    def unassigned(self) -> IntArray:
        """Nodes that no fixed split uses, as 223 of Cora; empty if there are no fixed splits."""
        used = [self.masks[k].any(axis=0) for k in self.masks if k.startswith("fixed")]
        return np.flatnonzero(~np.logical_or.reduce(used)) if used else np.empty(0, np.int64)

    def features(self, columns: slice = slice(None)) -> torch.Tensor:
        """A block of columns of X, dense, as a float32 tensor of its own."""
        block = self.X[:, columns]
        if issparse(block):
            return torch.from_numpy(block.toarray())
        return torch.from_numpy(np.array(block, dtype=np.float32, order="C"))

    def preprocess(self, how: str) -> Dataset:
        """The same dataset with X scaled: "none", "row", "standard" or "log1p".

        "row" divides rows by their sum (zero rows stay), "standard" gives every column mean 0 and variance 1
        (constant ones become 0), "log1p" takes log(1 + x). Once: a record, a saved model and newcomers know
        features by one name.
        """
        from unifilter.data.preprocess import preprocess

        if "none" not in (how, self.preprocessing):
            raise ValueError(
                f"features are scaled once, but those of {self.name} were scaled by {self.preprocessing!r} "
                f"before {how!r} was asked for. Scale the dataset as it came, or make one of the scaled X "
                "with Dataset(...)."
            )
        if how == "none":
            return self
        return replace(self, X=preprocess(self.X, how), preprocessing=how)

    def save(self, folder: str | Path) -> None:
        """Write one folder of plain arrays and a JSON; nothing is written if anything fails."""
        from unifilter.data.store import save

        save(self, Path(folder))

    @staticmethod
    def load(folder: str | Path) -> Dataset:
        """Map the folder that :meth:`save` wrote; nothing is read before it is used."""
        from unifilter.data.store import load

        return load(Path(folder))

    @staticmethod
    def from_scipy(A: Any, X: Any = None, y: Any = None, **known: Any) -> Dataset:
        """From an adjacency matrix, features and labels: :func:`unifilter.data.convert.from_scipy`."""
        from unifilter.data.convert import from_scipy

        return from_scipy(A, X, y, **known)

    @staticmethod
    def from_networkx(G: Any, label: str | None = None, **choice: Any) -> Dataset:
        """From a NetworkX graph and its attributes: :func:`unifilter.data.convert.from_networkx`."""
        from unifilter.data.convert import from_networkx

        return from_networkx(G, label, **choice)

    @staticmethod
    def from_pyg(data: Any, name: str = "pyg") -> Dataset:
        """From a PyTorch Geometric ``Data``: :func:`unifilter.data.convert.from_pyg`."""
        from unifilter.data.convert import from_pyg

        return from_pyg(data, name)

    @staticmethod
    def from_dgl(g: Any, label: str | None = "label", **choice: Any) -> Dataset:
        """From a DGL graph and its data: :func:`unifilter.data.convert.from_dgl`."""
        from unifilter.data.convert import from_dgl

        return from_dgl(g, label, **choice)

    def to_networkx(self) -> Any:
        """As a ``networkx.Graph``: :func:`unifilter.data.convert.to_networkx`."""
        from unifilter.data.convert import to_networkx

        return to_networkx(self)

    def to_pyg(self) -> Any:
        """As a PyTorch Geometric ``Data``: :func:`unifilter.data.convert.to_pyg`."""
        from unifilter.data.convert import to_pyg

        return to_pyg(self)

    def __repr__(self) -> str:
        said = [f"n={self.n}", f"m={self.graph.m}", f"d={self.d}", f"classes={len(self.classes)}"]
        missing = int(np.count_nonzero(~self.labelled))
        if missing:
            said.append(f"unlabelled: {missing}")
        if self.preprocessing != "none":
            said.append(f"features: {self.preprocessing}")
        return f"Dataset({self.name}: {', '.join(said)})"

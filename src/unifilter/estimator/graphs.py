"""The graph of an estimator: given, or the nearest neighbours of X."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_array, csr_array, issparse
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors

from unifilter._checks import check_count, check_edges
from unifilter._types import FloatArray, IntArray
from unifilter.graph import Graph
from unifilter.models._basis import Basis


class OnGraph(BaseEstimator):  # type: ignore[misc]
    """What needs a graph beside X: a Graph, SciPy matrix or edge array; else the nearest neighbours of X."""

    neighbors: int
    neighbors_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _graph(self, X: FloatArray, graph: Any) -> Graph:
        if hasattr(self, "neighbors_"):
            del self.neighbors_  # of an earlier fit
        if graph is None:
            if check_count(self.neighbors, "neighbors") < 1:
                raise ValueError("neighbors must be 1 at least, but is 0.")
            k = min(self.neighbors, X.shape[0] - 1)
            self.neighbors_ = NearestNeighbors(n_neighbors=max(1, k)).fit(X)
            return (
                Graph.from_scipy(self.neighbors_.kneighbors_graph(n_neighbors=k)) if k else _alone(X.shape[0])
            )
        found = graph if isinstance(graph, Graph) else _graph_of(graph, X.shape[0])
        if found.n != X.shape[0]:
            raise ValueError(f"the graph has {found.n} nodes, but X has {X.shape[0]} rows.")
        return found

    def _inputs_of(self, X: FloatArray, scaled: FloatArray, inputs: Basis, degrees: FloatArray) -> Basis:
        """V of rows of X: a training row's own, a new row's as it looks at its nearest training rows.

        So the answer for a row does not depend on the rows beside it.
        """
        place = {row.tobytes(): i for i, row in reversed(list(enumerate(self.neighbors_._fit_X)))}
        at = np.array([place.get(row.tobytes(), -1) for row in X], np.int64)
        V = inputs.V.new_empty(inputs.V.shape[0], X.shape[0], X.shape[1])
        old, new = np.flatnonzero(at >= 0), np.flatnonzero(at < 0)
        V[:, torch.from_numpy(old)] = inputs.V[:, torch.from_numpy(at[old])]
        if new.size:
            links = csr_array(self.neighbors_.kneighbors_graph(X[new]))
            rows = torch.from_numpy(scaled[new]).to(V)
            V[:, torch.from_numpy(new)] = inputs.of_attached(links, degrees, rows).V
        return replace(inputs, V=V)


def dense(X: Any) -> Any:
    """X as a dense array where it was sparse."""
    return X.toarray() if hasattr(X, "toarray") else X


def arcs_of(graph: Any, n: int) -> IntArray | None:
    """The edges as they came, (2, a), for models that use direction; None where none was given.

    A :class:`Graph` has lost its directions, and nearest neighbours are meant as a graph without.

    Examples
    --------
    >>> arcs_of(csr_array([[0, 1], [0, 0]]), 2)
    array([[0],
           [1]])
    """
    if graph is None or isinstance(graph, Graph):
        return None
    A = _matrix_of(graph, n)
    if A is None:
        return np.stack(check_edges(graph)).astype(np.int64)
    entries = coo_array(A)
    kept = entries.data != 0  # a sparse matrix may store zeros, which are no edges
    return np.stack([entries.row[kept], entries.col[kept]]).astype(np.int64)


def _graph_of(graph: Any, n: int) -> Graph:
    A = _matrix_of(graph, n)
    if A is not None:
        return Graph.from_scipy(A)
    largest = max((int(end.max(initial=-1)) for end in check_edges(graph)), default=-1)
    if largest >= n:
        raise ValueError(
            f"the graph names node {largest}, but X has {n} rows, from 0 to {n - 1}. Ids that count from 1 "
            "need edges - 1; grids and cross-validation, which cut X into rows, work where no graph is given."
        )
    return Graph.from_edges(graph, n=n)


def _matrix_of(graph: Any, n: int) -> Any:
    """The adjacency matrix if it is one, and None if it is an array of edges."""
    if issparse(graph):
        return graph
    if hasattr(graph, "adjacency"):  # of NetworkX, whose nodes have an order of their own
        raise ValueError(
            "graph is one of NetworkX: Dataset.from_networkx(graph) gives X, y and graph in one order."
        )
    array = np.asarray(graph)
    return csr_array(array) if array.shape == (n, n) and n > 2 else None


def _alone(n: int) -> Graph:
    return Graph.from_edges(np.empty((2, 0), np.int64), n=n)

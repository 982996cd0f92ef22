"""An undirected graph as CSR arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array
from torch import Tensor

from unifilter._checks import check_edges, check_ids, check_undirected, check_weights
from unifilter._types import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph: ``indices[indptr[i]:indptr[i+1]]`` are the sorted neighbours of node i.

    Every edge stands in it twice, once from either end; there are no self-loops and no duplicates.
    Isolated nodes, several components and bipartite graphs are legal. The arrays are read-only.

    Build one with :meth:`from_edges` or :meth:`from_scipy`.

    Examples
    --------
    >>> Graph.from_edges([[0, 1, 1, 2], [1, 0, 2, 2]], n=4)
    Graph(n=4, m=2, self-loops dropped: 1, one-way edges completed: 1, isolated nodes: 1)
    """

    indptr: IntArray
    indices: IntArray
    weights: FloatArray | None = None
    duplicates: int = 0
    self_loops: int = 0
    one_way: int = 0

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.weights):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Tensor,
        n: int | None = None,
        weights: ArrayLike | Tensor | None = None,
        undirected: bool = True,
    ) -> Graph:
        """Build a graph from pairs of node ids.

        Parameters
        ----------
        edges : array of shape (2, m) or (m, 2)
            Whole numbers in [0, n). A (2, 2) array is read as two rows, source and target.
        n : int, optional
            Number of nodes; the largest id + 1 if not given.
        weights : array of shape (m,), optional
            Finite and not negative. An edge that is listed several times in the same direction gets the sum
            of its weights (an unweighted one counts once); where the two directions differ, the larger one
            counts. Edges of weight 0 are no edges.
        undirected : bool
            True completes one-way edges. False makes them an error, for data that ought to be symmetric.

        Notes
        -----
        Time and memory are linear in the number of edges.
        """
        source, target = check_edges(edges)
        n = check_ids(source, target, n)
        data = np.ones(source.size, np.int8) if weights is None else check_weights(weights, source.size)
        loops = source == target
        self_loops = int(np.count_nonzero(loops))
        if self_loops:
            source, target, data = source[~loops], target[~loops], data[~loops]
        A = _sorted_csr(source, target, data, n)
        duplicates = source.size - A.nnz
        if weights is None:
            A.data[:] = 1
        else:
            A.eliminate_zeros()
        return cls._symmetrised(A, undirected, weights is not None, duplicates, self_loops)

    @classmethod
    def from_scipy(cls, A: Any, undirected: bool = True) -> Graph:
        """Build a graph from a SciPy sparse matrix or array, its entries the weights.

        Entries that are all 0 or 1 make an unweighted graph. Otherwise as :meth:`from_edges`.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> Graph.from_scipy(csr_array([[0, 1], [1, 0]]))
        Graph(n=2, m=1)
        """
        if A.ndim != 2 or A.shape[0] != A.shape[1]:
            raise ValueError(f"an adjacency matrix is square, but A has shape {A.shape}.")
        coo = coo_array(A, copy=True)
        coo.eliminate_zeros()
        ones = bool((coo.data == 1).all())
        return cls.from_edges(
            np.stack([coo.row, coo.col]), A.shape[0], None if ones else coo.data, undirected=undirected
        )

    @classmethod
    def _symmetrised(
        cls, A: csr_array, undirected: bool, weighted: bool, duplicates: int, self_loops: int
    ) -> Graph:
        one_way = 0
        if undirected:
            arcs = A.nnz
            A = A.maximum(_transposed(A))
            one_way = A.nnz - arcs
        else:
            check_undirected(A)
        wide = A.nnz > np.iinfo(np.int32).max
        return cls(
            A.indptr.astype(np.int64 if wide else np.int32, copy=False),
            A.indices.astype(np.int32, copy=False) if A.shape[0] <= np.iinfo(np.int32).max else A.indices,
            A.data if weighted else None,
            duplicates,
            self_loops,
            one_way,
        )

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.indptr.size - 1

    @property
    def m(self) -> int:
        """Number of undirected edges."""
        return self.indices.size // 2

    @property
    def weighted(self) -> bool:
        """Whether the edges carry weights."""
        return self.weights is not None

    @property
    def degrees(self) -> FloatArray:
        """Number of neighbours, or sum of the weights towards them."""
        if self.weights is None:
            return np.diff(self.indptr).astype(np.float64)
        # Sums of their own: differences of a running sum would lose small weights behind a large one.
        some = np.diff(self.indptr) > 0
        found = np.zeros(self.n)
        if some.any():
            found[some] = np.add.reduceat(np.asarray(self.weights, np.float64), self.indptr[:-1][some])
        return found

    @property
    def isolated(self) -> int:
        """Number of nodes without an edge."""
        return int(np.count_nonzero(np.diff(self.indptr) == 0))

    def edges(self) -> tuple[IntArray, IntArray]:
        """Every edge once, as two arrays (u, v) with u < v."""
        rows = self.rows()
        once = rows < self.indices
        return rows[once], self.indices[once]

    def rows(self) -> IntArray:
        """The row of every entry of ``indices``."""
        return np.repeat(np.arange(self.n, dtype=self.indices.dtype), np.diff(self.indptr))

    def ball(self, nodes: IntArray, hops: int) -> IntArray:
        """Nodes within so many hops of some nodes, those included, sorted.

        Examples
        --------
        >>> Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]]).ball(np.array([0]), 2)
        array([0, 1, 2])
        """
        inside = np.zeros(self.n, bool)
        edge = np.unique(np.asarray(nodes, np.int64))
        inside[edge] = True
        for _ in range(hops):
            starts, stops = self.indptr[edge].astype(np.int64), self.indptr[edge + 1].astype(np.int64)
            reached = np.unique(self.indices[_ranges(starts, stops)])
            edge = reached[~inside[reached]].astype(np.int64)
            if not edge.size:
                break
            inside[edge] = True
        return np.flatnonzero(inside)

    def to_scipy(self) -> csr_array:
        """The adjacency matrix as ``scipy.sparse.csr_array``, a copy."""
        data = np.ones(self.indices.size) if self.weights is None else self.weights.copy()
        return csr_array((data, self.indices.copy(), self.indptr.copy()), shape=(self.n, self.n))

    def __repr__(self) -> str:
        counts = [
            ("duplicates merged", self.duplicates),
            ("self-loops dropped", self.self_loops),
            ("one-way edges completed", self.one_way),
            ("isolated nodes", self.isolated),
        ]
        said = [f"n={self.n}", f"m={self.m}"] + (["weighted"] if self.weighted else [])
        return f"Graph({', '.join(said + [f'{what}: {count}' for what, count in counts if count])})"


def _ranges(starts: IntArray, stops: IntArray) -> IntArray:
    """start_0 ... stop_0 - 1, start_1 ... stop_1 - 1, and so on, in one array."""
    lengths = stops - starts
    shift = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) if starts.size else 0
    return np.arange(int(lengths.sum())) + shift


def _sorted_csr(source: IntArray, target: IntArray, data: Any, n: int) -> csr_array:
    """Duplicates summed, columns sorted; linear, as two bucket sorts do what sorting every row would."""
    A = csr_array(coo_array((data, (target, source)), shape=(n, n)))
    A = _transposed(A)
    A.has_sorted_indices = True
    A.sum_duplicates()
    return A


def _transposed(A: csr_array) -> csr_array:
    """The transpose as CSR, its columns sorted."""
    return csr_array(A.T)

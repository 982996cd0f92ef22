"""How often edges join equal labels, by every common measure; from labelled nodes only.

Each measure takes the nodes whose labels may be used as ``mask``, without a default: test labels must not
reach h. An edge counts if both its ends are labelled and allowed. Edges count once whatever their weight,
as in the definitions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from unifilter._checks import check_labels
from unifilter._types import BoolArray, FloatArray, IntArray
from unifilter.graph.graph import Graph


def edge_homophily(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> float:
    r"""The paper's homophily ratio h: the share of edges that join equal labels.

    .. math:: h = |\{(u, v) \in E : y_u = y_v\}| \,/\, |E|

    Parameters
    ----------
    graph : Graph
    y : array of shape (n,)
        Labels 0, 1, ...; -1 = unlabelled.
    mask : boolean array of shape (n,)
        The nodes whose labels may be used.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    >>> edge_homophily(graph, [0, 0, 1, 1], [True, True, True, True])
    0.6666666666666666
    """
    return float(_labelled(graph, y, mask).same.mean())


def node_homophily(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> float:
    """Mean over nodes of the share of their neighbours that have their label.

    Nodes without a labelled neighbour do not count. Arguments as :func:`edge_homophily`.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    >>> node_homophily(graph, [0, 0, 1, 1], [True, True, True, True])
    0.75
    """
    e = _labelled(graph, y, mask)
    same, degree = e.per_node(e.same), e.per_node(np.ones(e.same.size))
    return float((same[degree > 0] / degree[degree > 0]).mean())


def class_homophily(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> float:
    r"""Class-insensitive homophily (Lim et al. 2021): excess over class shares, averaged over classes.

    .. math:: \frac{1}{C-1} \sum_c \max\Bigl(0,\; h_c - \frac{|C_c|}{n}\Bigr)

    with h_c the share of edge ends of class c that lead to class c. 0 for edges at random, 1 for perfect
    homophily; negative excess is cut. Arguments as :func:`edge_homophily`.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    >>> class_homophily(graph, [0, 0, 1, 1], [True, True, True, True])
    0.33333333333333326
    """
    e = _labelled(graph, y, mask)
    counts = np.bincount(e.y[e.allowed], minlength=e.classes)
    ends = e.joint.sum(axis=1)
    share = np.divide(np.diag(e.joint), ends, out=np.zeros(e.classes), where=ends > 0)
    excess = np.maximum(0, share - counts / counts.sum())
    return float(excess.sum() / max(1, np.count_nonzero(counts) - 1))


def adjusted_homophily(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> float:
    r"""Edge homophily corrected for chance (Platonov et al. 2023): 0 at random, 1 for perfect homophily.

    .. math:: \frac{h - \sum_c p_c^2}{1 - \sum_c p_c^2}

    with p_c the share of edge ends in class c. NaN if only one class has edges. Arguments as
    :func:`edge_homophily`.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    >>> round(adjusted_homophily(graph, [0, 0, 1, 1], [True, True, True, True]), 4)
    0.3333
    """
    e = _labelled(graph, y, mask)
    chance = float(((e.joint.sum(axis=1) / e.joint.sum()) ** 2).sum())
    return float((e.same.mean() - chance) / (1 - chance)) if chance < 1 else float("nan")


def label_informativeness(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> float:
    r"""What a neighbour's label tells of one's own, in [0, 1] (Platonov et al. 2023).

    .. math:: I(y_u; y_v) / H(y_u) \quad \text{for an edge } (u, v) \text{ drawn at random}

    High for heterophily with a pattern, 0 for edges at random. NaN if only one class has edges. Arguments as
    :func:`edge_homophily`.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    >>> label_informativeness(graph, [0, 1, 0, 1], [True, True, True, True])
    1.0
    """
    e = _labelled(graph, y, mask)
    p = e.joint / e.joint.sum()
    single, pair = _entropy(p.sum(axis=1)), _entropy(p.ravel())
    return float(2 - pair / single) if single > 0 else float("nan")


class Estimate(NamedTuple):
    """A value with its standard error."""

    value: float
    error: float


def estimate_homophily(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> Estimate:
    r"""The homophily ratio of the whole graph, estimated from some labels, with its standard error.

    .. math:: \mathrm{var}(\hat h) \approx \frac{(1-p^2) \sum_e r_e^2
              + (1-p) \bigl(\sum_u (\sum_{e \ni u} r_e)^2 - 2 \sum_e r_e^2\bigr)}{m^2}

    for labels seen on a share p of the nodes, drawn at random: r_e = 1[same] - h over the m edges between
    them. Edges that share a node are not independent, which the second sum pays for; at p = 1 nothing is
    left to estimate.

    Arguments as :func:`edge_homophily`.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    >>> estimate_homophily(graph, [0, 0, 1, 1], [True, True, True, True])
    Estimate(value=0.6666666666666666, error=0.0)
    """
    e = _labelled(graph, y, mask)
    h = e.same.mean()
    rest = e.same - h
    squares = float((rest**2).sum())
    stars = float((e.per_node(rest) ** 2).sum()) - 2 * squares
    p = np.count_nonzero(e.allowed) / graph.n
    variance = ((1 - p**2) * squares + (1 - p) * stars) / e.same.size**2
    return Estimate(float(h), float(np.sqrt(max(0.0, variance))))


class _Labelled(NamedTuple):
    """The edges between allowed, labelled nodes."""

    y: IntArray
    allowed: BoolArray
    u: IntArray
    v: IntArray
    same: FloatArray
    classes: int

    @property
    def joint(self) -> FloatArray:
        """Edge ends by (own class, class at the other end)."""
        pairs = self.y[self.u].astype(np.int64) * self.classes + self.y[self.v]
        counts = np.bincount(pairs, minlength=self.classes**2).reshape(self.classes, self.classes)
        return (counts + counts.T).astype(np.float64)

    def per_node(self, values: FloatArray) -> FloatArray:
        """Sum of an edge's value over the edges of each node."""
        n = self.y.size
        return np.asarray(np.bincount(self.u, values, n) + np.bincount(self.v, values, n), np.float64)


def _labelled(graph: Graph, y: ArrayLike | Tensor, mask: ArrayLike | Tensor) -> _Labelled:
    labels, allowed = check_labels(y, mask, graph.n)
    u, v = graph.edges()
    both = allowed[u] & allowed[v]
    u, v = u[both], v[both]
    if not u.size:
        raise ValueError(
            f"homophily needs an edge between two labelled nodes, but none of the {graph.m} edges joins two "
            f"of the {int(allowed.sum())} that may be used. Label more nodes, or pass h yourself."
        )
    same = (labels[u] == labels[v]).astype(np.float64)
    return _Labelled(labels, allowed, u, v, same, int(labels[allowed].max()) + 1)


def _entropy(p: FloatArray) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())

"""Graphs with a wanted homophily."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unifilter._checks import check_count, check_share
from unifilter._types import FloatArray, IntArray
from unifilter.graph.graph import Graph


class Sample(NamedTuple):
    """A graph, features of shape (n, d) and labels of shape (n,)."""

    graph: Graph
    X: FloatArray
    y: IntArray


def block_model(
    n: int,
    h: float,
    *,
    classes: int = 5,
    degree: float = 10.0,
    power: float | None = None,
    d: int = 16,
    signal: float = 1.0,
    generator: np.random.Generator,
) -> Sample:
    r"""Contextual stochastic block model with exactly the homophily that is asked for.

    A share h of the edges joins nodes of one class, the rest nodes of two, both ends drawn in proportion to
    the nodes' expected degrees; features are x_u ~ N(signal * mu_{y_u}, I) around unit class centres.

    Parameters
    ----------
    n : int
        Nodes; classes have equal sizes.
    h : float
        Edge homophily, met to one edge.
    classes, degree, d : numbers
        Classes, mean degree, feature columns.
    power : float, optional
        Expected degrees follow a power law with this exponent, for instance 2.5; equal if not given.
    signal : float
        Distance of the class centres from 0 in standard deviations; 0 makes the features useless.
    generator : numpy.random.Generator

    Notes
    -----
    Time is linear in n d and the number of edges: 10M edges take seconds.

    Examples
    --------
    >>> sample = block_model(1000, h=0.2, generator=np.random.default_rng(0))
    >>> sample.graph.m, sample.X.shape
    (5000, (1000, 16))
    """
    n, m = check_count(n, "n"), round(n * degree / 2)
    h = check_share(h, "h")
    y = np.sort(np.arange(n) % classes)
    start = np.searchsorted(y, np.arange(classes + 1))
    theta = np.ones(n) if power is None else generator.pareto(power - 1, n) + 1
    # A node's expected degree may not exceed the number of partners that it has.
    theta = np.minimum(theta, np.sqrt(theta.sum()))
    equal = round(h * m)
    _check_room(np.diff(start), equal, m - equal)
    keys = [
        _draw(theta, start, count, same, generator) for count, same in ((equal, True), (m - equal, False))
    ]
    both = np.concatenate(keys)
    centres = generator.standard_normal((classes, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    X = signal * centres[y] + generator.standard_normal((n, d))
    shuffle = generator.permutation(n)
    back = np.empty(n, np.int64)
    back[shuffle] = np.arange(n)
    return Sample(Graph.from_edges(back[np.stack([both // n, both % n])], n=n), X[shuffle], y[shuffle])


def relabelled(
    graph: Graph, y: ArrayLike, h: float, *, generator: np.random.Generator, d: int = 100
) -> Sample:
    """The paper's synthetic graph G_s: labels reassigned until the homophily is h, one-hot random features.

    Nodes get random labels in a random order until the homophily has fallen to h. Below about 1/C, which
    random labels do not reach, further rounds accept only changes that lower it.

    Parameters
    ----------
    graph : Graph
        Its structure is kept.
    y : array of shape (n,)
        Labels to start from, none missing.
    h : float
        Edge homophily, at most that of y; met to the change of one node.
    generator : numpy.random.Generator
    d : int
        Width of the random one-hot features.

    Raises
    ------
    ValueError
        If h is above the homophily of y, or no change of a single node leads closer to it.

    Examples
    --------
    >>> graph, _, y = block_model(500, h=0.8, generator=np.random.default_rng(0))
    >>> sample = relabelled(graph, y, 0.3, generator=np.random.default_rng(1))
    >>> sample.X.shape, bool((sample.y == y).all())
    ((500, 100), False)
    """
    from unifilter.kernels.relabel import relabel  # loads numba

    y = np.array(y, dtype=np.int64)
    classes = int(y.max()) + 1
    target = round(check_share(h, "h") * graph.m)
    u, v = graph.edges()
    same = int((y[u] == y[v]).sum())
    if target > same:
        raise ValueError(
            f"relabelling lowers the homophily, which is {same / graph.m:.4f}; {h} lies above it."
        )
    for sweep in range(200):
        order, proposals = generator.permutation(graph.n), generator.integers(0, classes, graph.n)
        same = int(relabel(graph.indptr, graph.indices, y, order, proposals, same, target, sweep > 0))
        if same <= target:
            X = np.zeros((graph.n, d))
            X[np.arange(graph.n), generator.integers(0, d, graph.n)] = 1
            return Sample(graph, X, y)
    raise ValueError(
        f"no relabelling of single nodes brought the homophily to {h}: it stays at {same / graph.m:.4f}. "
        f"With {classes} classes on this graph, ask for a value nearer to that."
    )


def _check_room(sizes: IntArray, equal: int, unequal: int) -> None:
    """Whether that many edges fit; drawing without repetition gets slow when most of them are taken."""
    within = int((sizes * (sizes - 1) // 2).sum())
    across = int(sizes.sum() * (sizes.sum() - 1) // 2) - within
    for wanted, room, where in ((equal, within, "within classes"), (unequal, across, "between classes")):
        if wanted > 0.5 * room:
            raise ValueError(
                f"{wanted} edges {where} were asked for, but only {room} pairs exist there and at most half "
                "of them can be drawn. Ask for more nodes, a lower degree, or fewer classes."
            )


def _draw(
    theta: FloatArray, start: IntArray, count: int, same: bool, generator: np.random.Generator
) -> IntArray:
    """``count`` different pairs u < v as u * n + v, within one class or across, in proportion to theta."""
    n = theta.size
    running = np.concatenate([[0.0], np.cumsum(theta)])
    keys = np.empty(0, np.int64)
    while keys.size < count:
        missing = int((count - keys.size) * 1.1) + 16
        u = np.searchsorted(running, generator.random(missing) * running[-1], side="right") - 1
        u = np.minimum(u, n - 1)
        c = np.searchsorted(start, u, side="right") - 1
        low, high = running[start[c]], running[start[c + 1]]
        if same:
            at = low + generator.random(missing) * (high - low)
        else:  # a point outside [low, high): the part behind it is moved up
            at = generator.random(missing) * (running[-1] - (high - low))
            at = np.where(at < low, at, at + (high - low))
        v = np.minimum(np.searchsorted(running, at, side="right") - 1, n - 1)
        other = np.searchsorted(start, v, side="right") - 1
        u, v = np.minimum(u, v), np.maximum(u, v)
        fresh = (u * n + v)[(u < v) & ((other == c) == same)]
        keys = np.concatenate([keys, fresh])
        _, first = np.unique(keys, return_index=True)
        keys = keys[np.sort(first)]
    return keys[:count]

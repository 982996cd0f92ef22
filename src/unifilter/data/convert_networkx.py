"""NetworkX graphs as a :class:`Dataset`, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unifilter._types import IntArray
from unifilter.data.columns import learn
from unifilter.data.dataset import Dataset
from unifilter.data.ingestion import Ingestion
from unifilter.data.labels import encode_labels
from unifilter.data.recipes import feature_names
from unifilter.data.recipes import features as features_of
from unifilter.graph import Graph


def from_networkx(
    G: Any,
    label: str | None = None,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    name: str | None = None,
) -> Dataset:
    """A NetworkX graph, its node attributes treated as the columns of :func:`unifilter.read_tables` are.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        One-way edges are completed; parallel ones count once, or with the sum of their weights. Arcs are
        those of G, and both directions of every edge where G has none.
    label : str, optional
        The attribute with the class. Nodes without it are unlabelled; without ``label`` all are.
    features : list of str, optional
        Attributes that become features: numbers, truth values, text, dates, vectors; all but the label if not
        given.
    weight : str, optional
        The edge attribute with the weight, 1 where an edge has none.
    name : str, optional

    Returns
    -------
    Dataset
        ``ids`` are the nodes of G in their order: whole numbers, text, or the text of anything else.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.Graph([("ann", "bob"), ("bob", "cleo")])
    >>> nx.set_node_attributes(G, {"ann": {"age": 30, "label": "cat"}, "bob": {"age": 40, "label": "dog"}})
    >>> dataset = from_networkx(G, label="label")
    >>> dataset.y, dataset.columns
    (array([ 0,  1, -1]), ('age', 'age (missing)'))
    >>> print(dataset.ingestion)
    nodes: 3 rows, 1 unlabelled
    edges: 2 rows
    columns: 1, from which 2 features
      age: number, 1 missing filled with the median 35 and flagged
    """
    import pyarrow as pa

    nodes = list(G.nodes)
    number = {node: i for i, node in enumerate(nodes)}
    arcs = np.array([(number[u], number[v]) for u, v in G.edges()], np.int64).reshape(-1, 2).T
    weights = None if weight is None else np.array([w for *_, w in G.edges(data=weight, default=1)])
    graph = Graph.from_edges(arcs, len(nodes), weights)
    arcs = arcs if weights is None else arcs[:, weights != 0]
    if not G.is_directed():  # it lists an edge once, from whichever end was added first
        arcs = np.concatenate([arcs, arcs[::-1, arcs[0] != arcs[1]]], axis=1)
    if features is None:
        found = dict.fromkeys(key for node in nodes for key in G.nodes[node])
        features = [key for key in found if key != label]
    table = pa.table({key: _attribute(G, nodes, key) for key in features})
    where = partial(_where, nodes)
    recipes, treatments = learn(table, where)
    X, columns = features_of(table, recipes, where)[0], feature_names(recipes)
    y, classes = _networkx_labels(G, nodes, label)
    stored = G.graph.get("columns", ())  # to_networkx writes one vector
    return Dataset(
        graph,
        X if columns else np.empty((len(nodes), 0), np.float32),
        y,
        name or G.name or "networkx",
        classes,
        _ids(nodes),
        arcs,
        columns=tuple(stored if len(stored) == len(columns) else columns),
        ingestion=Ingestion(
            edge_rows=G.number_of_edges(),
            node_rows=len(nodes),
            self_loops=graph.self_loops,
            repeated=graph.duplicates,
            unlabelled=0 if label is None else int(np.count_nonzero(y < 0)),
            columns=treatments,
            features=len(columns),
            recipes=recipes,
        ),
    )


def to_networkx(dataset: Dataset) -> Any:
    """The undirected graph as a ``networkx.Graph``: its nodes are the ids, edges may have a "weight".

    A node has its class's name as "label", if it has one, and its row of X as a list "x". ``from_networkx(G,
    label="label")`` gives the dataset back; what it does not carry are arcs and masks.

    Examples
    --------
    >>> graph = Graph.from_edges([[0], [1]])
    >>> G = to_networkx(Dataset(graph, [[1.0], [2.0]], np.array([0, -1]), classes=("cat", "dog")))
    >>> G.nodes(data=True)
    NodeDataView({0: {'x': [1.0], 'label': 'cat'}, 1: {'x': [2.0]}})
    """
    import networkx as nx

    nodes = list(range(dataset.n)) if dataset.ids is None else dataset.ids.to_pylist()
    if len(set(nodes)) < len(nodes):
        raise ValueError(
            "a NetworkX graph has each node once, but ids repeat. Give the dataset ids that differ, or none."
        )
    G = nx.Graph(name=dataset.name, classes=list(dataset.classes), columns=list(dataset.columns))
    G.add_nodes_from(nodes)
    for i, node in enumerate(nodes):
        if dataset.d:
            row = dataset.X[[i]]
            G.nodes[node]["x"] = (row.toarray() if issparse(row) else row)[0].tolist()
        if dataset.y[i] >= 0:
            G.nodes[node]["label"] = dataset.classes[dataset.y[i]]
    graph = dataset.graph
    u, v = ([nodes[i] for i in ends] for ends in graph.edges())
    if graph.weights is None:
        G.add_edges_from(zip(u, v, strict=True))
    else:
        once = graph.weights[graph.rows() < graph.indices]
        G.add_weighted_edges_from(zip(u, v, once.tolist(), strict=True))
    return G


def _networkx_labels(G: Any, nodes: list[Any], label: str | None) -> tuple[IntArray, tuple[str, ...]]:
    if label is None:
        return np.full(len(nodes), -1), ()
    values, names = [G.nodes[node].get(label) for node in nodes], tuple(G.graph.get("classes", ()))
    if names and all(value is None or value in names for value in values):  # as to_networkx wrote them
        code = {name: c for c, name in enumerate(names)} | {None: -1}
        return np.array([code[value] for value in values], np.int64), names
    return encode_labels(_attribute(G, nodes, label), f"node attribute {label!r}", guess=False)


def _attribute(G: Any, nodes: list[Any], key: str) -> Any:
    """A node attribute as an Arrow column, missing where a node lacks it."""
    import pyarrow as pa

    try:
        return pa.array([G.nodes[node].get(key) for node in nodes])
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(
            f"the values of node attribute {key!r} must be of one kind: {error}. Make them all numbers, all "
            "text or all vectors, or leave the attribute out."
        ) from error


def _where(nodes: list[Any], key: str, i: int) -> str:
    return f"attribute {key!r} of node {nodes[i]!r}"


def _ids(nodes: list[Any]) -> Any:
    """None for 0 .. n-1; whole numbers and text as they are, anything else as its text."""
    import pyarrow as pa

    if nodes == list(range(len(nodes))):
        return None
    if all(isinstance(node, str) for node in nodes) or all(type(node) is int for node in nodes):
        return pa.array(nodes)
    text = [str(node) for node in nodes]
    if len(set(text)) < len(text):
        raise ValueError(
            "nodes must differ when written as text, but two do not. nx.convert_node_labels_to_integers "
            "renames them."
        )
    return pa.array(text)

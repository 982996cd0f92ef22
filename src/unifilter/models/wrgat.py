"""WRGAT. Suresh et al.: Breaking the Limit of Graph Neural Networks by Improving the Assortativity, KDD 2021.

Filters H at every layer, over the graph's edges and over relations r between nodes with similar
neighbourhoods (see :mod:`unifilter.models._structural`), each with weights W_r and an attention of its own:

    out_i = sum_r 1/|N_r(i)| sum_{j in N_r(i)} a_ij w_ij z_j + x_i W_0 + b,
    z = x W_r,    a_ij = softmax_j(leaky(a_r [z_i, z_j])),

with w_ij the structural weight, or ``edge_weight`` on the graph's edges. The attention already sums to 1; the
mean over it is in the authors' code and kept. Who is compared with whom is decided by degree; the authors
break ties by node number (``ties``). Their best epoch is kept by reference, so that the last one is tested;
not copied. PyTorch Geometric's ``RGATConv`` has no weights w and no W_0. Attention is a sparse matrix with
learned entries (:class:`unifilter.graph.pattern.Pattern`): memory is O(arcs), not O(arcs h). The search for
similar neighbourhoods is quadratic in n, so that large graphs are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.graph.pattern import Pattern
from unifilter.models._layers import dropout
from unifilter.models._operators import from_arcs
from unifilter.models._registry import Card, register
from unifilter.models._structural import Relation, structural_relations
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of WRGAT.

    Parameters
    ----------
    hidden, layers : int
        Width and number of the layers.
    dropout : float
        Between layers.
    levels : int
        Largest distance at which neighbourhoods are compared; there are levels + 1 structural relations, of
        which those beyond the graph's diameter are empty.
    candidates : int, optional
        With how many others a node is compared; floor(2 log2(n)) + 1 if not given.
    ties : {"structure", "node"}
        Who is taken among equal degrees, see :func:`unifilter.models._structural.structural_relations`.
    edges : bool
        Whether the graph itself is a relation.
    edge_weight : float
        Of the graph's edges.
    data_loops : bool
        Keep self-loops of the data, which count for degrees and edges.
    """

    hidden: int = 64
    layers: int = 2
    dropout: float = 0.5
    levels: int = 4
    candidates: int | None = None
    ties: Literal["structure", "node"] = "structure"
    edges: bool = True
    edge_weight: float = 1.0
    data_loops: bool = False


CARD = Card(
    "WRGAT",
    "Suresh et al.: Breaking the Limit of Graph Neural Networks by Improving the Assortativity, KDD",
    2021,
    "attention",
    "H, one attention a relation and layer",
    "R (n d + n log n) h",
)


class Arcs(NamedTuple):
    """The arcs of all relations as one matrix, so that a layer is a few kernels and not a few for each.

    Node i of the k-th relation that has arcs is row i R + k of R n, of ``used`` the name: arcs j -> i of a
    relation are places in that row. Their weights ``w`` hold 1/|N(i)|.
    """

    places: Pattern
    w: Tensor
    used: Tensor

    @staticmethod
    def of(relations: Sequence[Relation], X: Tensor) -> Arcs:
        """Sorted by target, so that sums are made in one order."""
        used = [r for r, relation in enumerate(relations) if relation.weight.size]
        R, n = len(used), X.shape[0]
        parts = [np.empty((3, 0))]
        for k, (source, target, weight) in enumerate(relations[r] for r in used):
            parts.append(np.stack([target * R + k, source * R + k, weight / np.bincount(target)[target]]))
        row, column, w = np.concatenate(parts, axis=1)
        order = np.lexsort((column, row))
        places = Pattern.of(row[order].astype(np.int64), column[order].astype(np.int64), R * n)
        entries = torch.from_numpy(w[order]).to(X.dtype)
        return Arcs(places, entries, torch.tensor(used, dtype=torch.long)).to(X.device)

    def to(self, device: torch.device | str) -> Arcs:
        """The same on another device."""
        return Arcs(self.places.to(device), self.w.to(device), self.used.to(device))


class Layer(nn.Module):
    """Attention over every relation, and a term of the node itself."""

    def __init__(self, d: int, out: int, relations: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(relations, d, out))
        self.attention = nn.Parameter(torch.empty(relations, 2 * out))
        self.own = nn.Linear(d, out)
        for W in (*self.weight, self.attention, self.own.weight):
            nn.init.xavier_uniform_(W.data)
        nn.init.zeros_(self.own.bias)

    def forward(self, H: Tensor, arcs: Arcs) -> Tensor:
        """(n, d) to (n, out)."""
        places, w, used = arcs
        W, a = self.weight[used], self.attention[used]
        z = H @ W.transpose(0, 1).flatten(1)
        z = z.view(z.shape[0], *W.shape[::2])  # (n, R, out)
        at, to = (torch.einsum("nrh,rh->nr", z, half).flatten() for half in a.chunk(2, dim=1))
        share = places.softmax(leaky_relu(places.sums(at, to), 0.2))
        heard = places.product(share * w, z.flatten(0, 1))
        out: Tensor = self.own(H) + heard.view_as(z).sum(dim=1)
        return out


@register("wrgat", Config, CARD)
class WRGAT(nn.Module):
    """Attention to neighbours, and to nodes in a similar place."""

    takes_bags = True
    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        widths = [d] + [config.hidden] * (config.layers - 1) + [classes]
        relations = config.levels + 1 + config.edges
        self.layers = nn.ModuleList(Layer(a, b, relations) for a, b in pairwise(widths))

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """The graph's edges and its structural relations, on the undirected graph without weights."""
        loops = config.data_loops
        A = from_arcs(arcs, graph.n, directed=False, loops=True) if loops else graph.to_scipy()
        found = structural_relations(A, config.levels, config.candidates, config.ties)
        if config.edges:
            target = np.repeat(np.arange(graph.n), np.diff(A.indptr))
            found.insert(0, Relation(A.indices, target, np.full(A.nnz, config.edge_weight)))
        return Whole(X, {"arcs": Arcs.of(found, X)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        H = inputs.X
        for k, layer in enumerate(self.layers):
            H = dropout(torch.relu(H), self.config.dropout, self.training) if k else H
            H = layer(H, inputs["arcs"])
        return inputs.pick(H)

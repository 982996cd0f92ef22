"""H2GCN. Zhu et al.: Beyond Homophily in Graph Neural Networks, NeurIPS 2020.

Filters H, K rounds without weights: with R_0 = relu(X W), no bias,

    R_k = [P_1 R_{k-1}, P_2 R_{k-1}],    logits = dropout([R_K, R_0, ..., R_{K-1}]) C.

P_1 belongs to the graph and P_2 to the pairs at distance exactly 2, both without self-loops and each
normalised by its own degrees; the width doubles with every round. A round multiplies once by either. P_2 may
be far denser than P_1: on Squirrel it has 31 % of all entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, eye_array
from torch import Tensor, nn

from unifilter.graph import Graph, propagation
from unifilter.models._layers import dropout
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole

WALKS = 2 * 10**9  # walks of length 2 up to which their ends fit into memory


@dataclass(frozen=True)
class Config:
    """Options of H2GCN.

    Parameters
    ----------
    K : int
        Rounds; 1 and 2 are the paper's H2GCN-1 and H2GCN-2.
    hidden : int
        Columns of R_0.
    relu : bool
        Whether R_0 has an activation.
    dropout : float
        Before the last layer.
    """

    K: int = 2
    hidden: int = 64
    relu: bool = True
    dropout: float = 0.5


CARD = Card(
    "H2GCN",
    "Zhu et al.: Beyond Homophily in Graph Neural Networks, NeurIPS",
    2020,
    "message passing",
    "H, K products with P_1 and P_2 a step",
    "n d h + 2^K (m + m_2) h",
)


@register("h2gcn", Config, CARD)
class H2GCN(nn.Module):
    """A node, its neighbours and their neighbours, kept apart."""

    takes_bags = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = nn.Linear(d, config.hidden, bias=False)
        self.last = nn.Linear(config.hidden * (2 ** (config.K + 1) - 1), classes, bias=False)
        nn.init.xavier_uniform_(self.first.weight)
        nn.init.xavier_uniform_(self.last.weight)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """P of the graph and of its strict two-hop graph."""
        graphs = {"P_1": graph, "P_2": two_hop(graph)}
        return Whole(X, {name: propagation(g, False, X.dtype, X.device) for name, g in graphs.items()})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        R = self.first(inputs.X)
        rounds = [torch.relu(R) if self.config.relu else R]
        for _ in range(self.config.K):
            rounds.append(torch.cat([inputs["P_1"] @ rounds[-1], inputs["P_2"] @ rounds[-1]], dim=1))
        joined = torch.cat([rounds[-1], *rounds[:-1]], dim=1)
        return inputs.pick(self.last(dropout(joined, self.config.dropout, self.training)))


def two_hop(graph: Graph) -> Graph:
    """Pairs of nodes at distance exactly 2, without weights.

    Examples
    --------
    >>> two_hop(Graph.from_edges([[0, 1, 2], [1, 2, 3]])).to_scipy().toarray().astype(int)
    array([[0, 0, 1, 0],
           [0, 0, 0, 1],
           [1, 0, 0, 0],
           [0, 1, 0, 0]])
    """
    walks = int((np.diff(graph.indptr).astype(np.float64) ** 2).sum())
    if walks > WALKS:
        raise ValueError(
            f"H2GCN needs all pairs at distance 2, and this graph has {walks:.1e} walks of length 2, more "
            f"than the {WALKS:.0e} that fit into memory. mixhop and unifilter reach two hops without them."
        )
    near = csr_array(graph.to_scipy().astype(bool) + eye_array(graph.n, dtype=bool))
    reached = csr_array(near @ near)
    A = csr_array(reached > near)
    A.sort_indices()
    wide = A.nnz > np.iinfo(np.int32).max
    return Graph(A.indptr.astype(np.int64 if wide else np.int32), A.indices.astype(np.int32))

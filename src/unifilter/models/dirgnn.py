"""Dir-GNN. Rossi et al.: Edge Directionality Improves Learning on Heterophilic Graphs, LoG 2023.

Filters H, two products a layer, along the arcs and against them, with weights of their own:

    H' = alpha (A H W_out + b_out) + (1 - alpha) (A^T H W_in + b_in),     A = D_out^-1/2 A D_in^-1/2,

where row u of A sums over the arcs u -> v. No self-loops are added; those of the data stay. This is the
authors' DirGCN. PyTorch Geometric's ``DirGNNConv`` around a ``GCNConv`` normalises by the degrees of one
direction only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array, eye_array
from torch import Tensor, nn
from torch.nn.functional import normalize

from unifilter._types import IntArray, Matmul
from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._operators import Sparse, from_arcs
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of Dir-GNN.

    Parameters
    ----------
    layers, hidden : int
        Number of layers, and their width.
    alpha : float
        Share of the arcs that leave a node; 1 - alpha is that of the arcs that arrive.
    learn_alpha : bool
        Learn it, from there on.
    jump : {"max", "cat", "none"}
        Jumping knowledge: what the last linear map sees of the layers. "none": the last layer gives the
        logits.
    normalize : bool
        Divide the rows of every layer by their Euclidean norms.
    dropout : float
        After every layer but one that gives the logits.
    directed : bool
        Use the edges as they came. If the dataset has no directions, both are the undirected graph's, and
        the record says so.
    self_loops : bool
        Add one to every node that has none.
    """

    layers: int = 3
    hidden: int = 64
    alpha: float = 0.5
    learn_alpha: bool = False
    jump: Literal["max", "cat", "none"] = "max"
    normalize: bool = False
    dropout: float = 0.0
    directed: bool = True
    self_loops: bool = False

    def __post_init__(self) -> None:
        if self.jump not in ("max", "cat", "none"):
            raise ValueError(f'jump must be "max", "cat" or "none", but is {self.jump!r}.')


CARD = Card(
    "Dir-GNN",
    "Rossi et al.: Edge Directionality Improves Learning on Heterophilic Graphs, LoG",
    2023,
    "message passing",
    "H, two products a layer",
    "2 n d h + 2 L m h",
)


@register("dirgnn", Config, CARD)
class DirGNN(nn.Module):
    """Layers that tell the arcs that leave from those that arrive."""

    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        last = classes if config.jump == "none" else config.hidden
        widths = [d] + [config.hidden] * (config.layers - 1) + [last]
        self.layers = nn.ModuleList(Layer(a, b) for a, b in pairwise(widths))
        if config.learn_alpha:
            self.alpha = nn.Parameter(torch.tensor(float(config.alpha)))
        else:
            self.register_buffer("alpha", torch.tensor(float(config.alpha)))
        seen = config.hidden * (config.layers if config.jump == "cat" else 1)
        self.head = None if config.jump == "none" else nn.Linear(seen, classes)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """X, and the normalised arcs in both directions."""
        known = config.directed and arcs is not None
        A = from_arcs(arcs, graph.n, directed=True, loops=True) if known else graph.to_scipy()
        if config.self_loops:
            A = csr_array(A.maximum(eye_array(graph.n, format="csr")))
        out, into = (np.asarray(A.sum(axis=axis), np.float64) for axis in (1, 0))
        left, right = (
            diags_array(np.divide(1, np.sqrt(s), np.zeros_like(s), where=s > 0)) for s in (out, into)
        )
        A = csr_array(left @ A @ right)
        return Whole(X, {"out": Sparse(A, X), "in": Sparse(csr_array(A.T), X)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        config, H = self.config, inputs.X
        seen: list[Tensor] = []
        for layer in self.layers:
            H = layer(H, inputs["out"], inputs["in"], self.alpha)
            if self.head is None and len(seen) == config.layers - 1:
                return inputs.pick(H)
            H = dropout(torch.relu(H), config.dropout, self.training)
            H = normalize(H, dim=1) if config.normalize else H
            seen.append(H)
        Z = torch.cat(seen, dim=1) if config.jump == "cat" else torch.stack(seen).amax(dim=0)
        logits: Tensor = self.head(Z)  # type: ignore[misc]
        return inputs.pick(logits)

    def learned(self) -> dict[str, float]:
        """Share of the arcs that leave, if it is learned."""
        return {"alpha": float(self.alpha.detach())} if self.config.learn_alpha else {}


class Layer(nn.Module):
    """One linear map for the arcs that leave, one for those that arrive."""

    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.out, self.into = nn.Linear(d, width), nn.Linear(d, width)

    def forward(self, H: Tensor, out: Matmul, into: Matmul, alpha: Tensor) -> Tensor:
        """(n, d) to (n, width)."""
        leaving, arriving = (_narrow_first(layer, A, H) for layer, A in ((self.out, out), (self.into, into)))
        return alpha * leaving + (1 - alpha) * arriving


def _narrow_first(layer: nn.Linear, A: Matmul, H: Tensor) -> Tensor:
    """A H W + b, in the order that multiplies A by fewer columns."""
    if layer.out_features < layer.in_features:
        return A @ (H @ layer.weight.T) + layer.bias
    return layer(A @ H)  # type: ignore[no-any-return]

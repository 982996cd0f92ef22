r"""GPR-GNN. Chien et al.: Adaptive Universal Generalized PageRank Graph Neural Network, ICLR 2021.

Filters H, K products a step: sum_k w_k P^k MLP(X), P with self-loops, w free and of any sign.

The authors' code runs Actor along its directed arcs (``directed``) and drops a share of the MLP's output
(``filter_dropout``), which the paper's formula does not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from scipy.sparse import csr_array, eye_array
from torch import Tensor

from unifilter._types import IntArray, Matmul
from unifilter.bases import monomial
from unifilter.graph import Graph
from unifilter.models._filtering import Decoupled, Options, normalised, weigh
from unifilter.models._operators import from_arcs
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config(Options):
    """Options of GPR-GNN, beside those of :class:`unifilter.models._filtering.Options`.

    Parameters
    ----------
    start : {"ppr", "nppr", "random"}
        The weights before training: alpha (1 - alpha)^k with the rest on P^K, alpha^k over its sum, or
        uniform noise over the sum of its sizes.
    alpha : float
        Of "ppr": 1 starts from the MLP alone, 0 from P^K alone. Of "nppr": the ratio.
    self_loops : bool
        The authors have them.
    directed : bool
        Propagate along the original arcs, normalised by those that arrive: the authors' code on Actor. The
        filter then has no frequency response.
    """

    self_loops: bool = True
    start: Literal["ppr", "nppr", "random"] = "ppr"
    alpha: float = 0.1
    directed: bool = False


CARD = Card(
    "GPR-GNN",
    "Chien et al.: Adaptive Universal Generalized PageRank Graph Neural Network, ICLR",
    2021,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m c",
)


@register("gprgnn", Config, CARD)
class GPRGNN(Decoupled):
    """Weighted powers of P on the output of an MLP."""

    uses_arcs = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__(config, d, classes, weights(config.K, config.start, config.alpha))

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """P and X; nothing is propagated yet."""
        if config.directed:
            A = csr_array(from_arcs(arcs, graph.n, directed=True, loops=False).T)
            return Whole(X, {"P": normalised(A + eye_array(graph.n) if config.self_loops else A, X)})
        return Decoupled.prepare(graph, X, config)

    def filter(self, A: Matmul, H: Tensor) -> Tensor:
        """The sum of w_k A^k H."""
        return weigh(self.w, monomial(A, H, self.config.K))


def weights(K: int, start: str, alpha: float) -> Tensor:
    r"""The K+1 weights before training.

    .. math:: \text{ppr: } w_k = \alpha (1 - \alpha)^k, \; w_K = (1 - \alpha)^K; \qquad
              \text{nppr: } w_k = \alpha^k / \textstyle\sum_j |\alpha^j|

    Examples
    --------
    >>> weights(3, "ppr", 0.5)
    tensor([0.5000, 0.2500, 0.1250, 0.1250])
    """
    k = torch.arange(K + 1)
    if start == "ppr":
        w = alpha * torch.pow(1 - alpha, k)
        w[K] = (1 - alpha) ** K
        return w
    if start == "nppr":
        w = torch.pow(alpha, k)
    elif start == "random":
        w = 2 * torch.rand(K + 1) - 1
    else:
        raise ValueError(f'start must be "ppr", "nppr" or "random", but is {start!r}.')
    return w / w.abs().sum()

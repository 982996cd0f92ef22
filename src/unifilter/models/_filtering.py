"""What polynomial filters share: the network around the filter, and a P of other graphs than ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array
from torch import Tensor, nn

from unifilter._types import Matmul
from unifilter.bases import Diagonal
from unifilter.graph import Graph, propagation
from unifilter.models._layers import MLP, dropout
from unifilter.models._operators import Sparse
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Options:
    """Options of a filter behind an MLP.

    Parameters
    ----------
    K : int
        Hops, the degree of the filter.
    hidden : int
        Width of the MLP.
    dropout, filter_dropout : float
        Rates before each layer of the MLP, and on what it gives to the filter.
    self_loops : bool
        Whether every node is its own neighbour.
    """

    K: int = 10
    hidden: int = 64
    dropout: float = 0.5
    filter_dropout: float = 0.5
    self_loops: bool = False


class Decoupled(nn.Module):
    r"""A filter of what an MLP found.

    .. math:: \text{logits} = g(P)\, \mathrm{MLP}(X)

    The MLP has two layers with bias, ReLU between them and dropout before each; ``filter_dropout`` acts on
    its output. All classes share the filter. A model says how its parameters ``w`` make one, as
    ``filter(A, H)`` for anything with ``@``: on P it gives the logits, on a diagonal of frequencies the
    response.

    Parameters
    ----------
    config : Options
    d, classes : int
    start : Tensor
        The filter's parameters before training.
    """

    takes_bags = True

    def __init__(self, config: Any, d: int, classes: int, start: Tensor) -> None:
        super().__init__()
        self.config = config
        self.mlp = MLP([d, config.hidden, classes], config.dropout, bias=True, paper_init=False)
        self.w = nn.Parameter(start)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """P and X; nothing is propagated yet."""
        return Whole(X, {"P": propagation(graph, config.self_loops, X.dtype, X.device)})

    def filter(self, A: Matmul, H: Tensor) -> Tensor:
        """g(A) H, of the shape of H."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its filter is.")

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the rows that the inputs hold."""
        H = dropout(self.mlp(inputs.X), self.config.filter_dropout, self.training)
        return inputs.pick(self.filter(inputs["P"], H))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups."""
        return {"mlp": list(self.mlp.parameters()), "filter": [self.w]}

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) at eigenvalues of I - P, in [0, 2]; with self-loops, of the P that has them."""
        return self.filter(Diagonal(1 - lam), torch.ones_like(lam)[:, None])[:, 0]


def weigh(w: Tensor, basis: Tensor) -> Tensor:
    """The sum of w_k basis[k]: w of shape (K+1,) or, a weight for each column, (K+1, d).

    Examples
    --------
    >>> weigh(torch.tensor([1.0, -1.0]), torch.tensor([[[3.0]], [[2.0]]]))
    tensor([[1.]])
    """
    return torch.einsum("k,knd->nd" if w.dim() == 1 else "kd,knd->nd", w.to(basis.dtype), basis)


def normalised(A: csr_array, like: Tensor) -> Sparse:
    r"""D^-1/2 A D^-1/2 with D the row sums of A, for an A that is not that of a :class:`Graph`.

    It may have loops of any weight, and directions: row i then sums what arrives at i. A symmetric A gives a
    symmetric matrix with its spectrum in [-1, 1]. An empty row stays empty.

    Examples
    --------
    >>> normalised(csr_array([[3.0, 1.0], [1.0, 0.0]]), torch.zeros(0)) @ torch.eye(2)
    tensor([[0.7500, 0.5000],
            [0.5000, 0.0000]])
    """
    d = np.asarray(A.sum(axis=1), np.float64)
    s = diags_array(np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0))
    return Sparse(csr_array(s @ A @ s), like)

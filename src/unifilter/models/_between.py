"""Linear, filter, linear: what FavardGNN and OptBasisGNN share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unifilter._types import Matmul
from unifilter.graph import Graph, propagation
from unifilter.models import _filtering
from unifilter.models._layers import dropout
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Options(_filtering.Options):
    """Those of a filter behind an MLP, and what two of them mean here.

    Parameters
    ----------
    dropout : float
        On X, and on what the filter gives.
    filter_dropout : float
        On H, before the filter.
    """


class Between(nn.Module):
    r"""A filter of its own for every hidden column, in a basis that the model says.

    .. math:: H = \mathrm{relu}(X W_1 + b_1), \qquad
              Z_i = \sum_k a_{ki}\, p_k(P)\, H_i, \qquad \text{logits} = Z W_2 + b_2

    It starts as p_0 alone.
    """

    takes_bags = True

    def __init__(self, config: Any, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = nn.Linear(d, config.hidden)
        self.second = nn.Linear(config.hidden, classes)
        self.a = nn.Parameter(torch.zeros(config.K + 1, config.hidden))
        with torch.no_grad():
            self.a[0] = 1

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """X and P."""
        return Whole(X, {"P": propagation(graph, config.self_loops, X.dtype, X.device)})

    def basis(self, A: Matmul, H: Tensor) -> Tensor:
        """All p_k(A) H, (K+1, n, hidden)."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its basis is.")

    def hidden(self, inputs: Whole) -> Tensor:
        """H (n, hidden), what is filtered."""
        config = self.config
        H = torch.relu(self.first(dropout(inputs.X, config.dropout, self.training)))
        return dropout(H, config.filter_dropout, self.training)

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        Z = _filtering.weigh(self.a, self.basis(inputs["P"], self.hidden(inputs)))
        return inputs.pick(self.second(dropout(Z, self.config.dropout, self.training)))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: both linear maps; the coefficients."""
        linear = [*self.first.parameters(), *self.second.parameters()]
        return {"linear": linear, "filter": [self.a]}

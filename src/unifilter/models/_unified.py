"""What GNN-LF and GNN-HF share: two solutions of one optimisation problem, by iteration or in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from unifilter._types import Matmul
from unifilter.bases import Diagonal
from unifilter.graph import Graph, propagation
from unifilter.models._layers import MLP
from unifilter.models._whole import Whole

# The closed form keeps an n x n matrix: 1.6 GB in float32 at this size, and n^3 operations to find it.
CLOSED_FORM_NODES = 20_000


class Coefficients(NamedTuple):
    """Of ``Z_0 = identity H + neighbours P H`` and ``Z_k = factor P Z_{k-1} + alpha Z_0``."""

    identity: float
    neighbours: float
    factor: float
    alpha: float


@dataclass(frozen=True)
class Common:
    """Options of both.

    Parameters
    ----------
    alpha : float
        How strongly Z is held to H: small values smooth far.
    K : int
        Iterations.
    closed : bool
        The limit of the iteration by a dense inverse, for graphs of up to 20,000 nodes.
    self_loops : bool
        Whether every node is its own neighbour, as the paper has it.
    hidden : int
        Width of the MLP's hidden layer.
    dropout : float
        On X and on the hidden layer.
    """

    alpha: float = 0.1
    K: int = 10
    closed: bool = False
    self_loops: bool = True
    hidden: int = 64
    dropout: float = 0.5


def started(A: Matmul, H: Tensor, c: Coefficients) -> Tensor:
    """Z_0. Cost: one product with A."""
    return c.identity * H + c.neighbours * (A @ H)


def iterated(A: Matmul, H: Tensor, K: int, c: Coefficients) -> Tensor:
    """Z_K, for anything with ``@``. Cost: K + 1 products with A."""
    start = started(A, H, c)
    Z = start
    for _ in range(K):
        Z = c.factor * (A @ Z) + c.alpha * start
    return Z


def inverse(graph: Graph, c: Coefficients, self_loops: bool, like: Tensor) -> Tensor:
    """What the iteration multiplies Z_0 by in the end: alpha (I - factor P)^-1, dense."""
    if graph.n > CLOSED_FORM_NODES:
        raise ValueError(
            f"the closed form inverts a dense matrix of {graph.n} x {graph.n} numbers; it is offered for up "
            f"to {CLOSED_FORM_NODES} nodes. closed=False iterates instead, and after K iterations differs by "
            f"at most {abs(c.factor):.3f}^K."
        )
    P = propagation(graph, self_loops, torch.float64)
    eye = torch.eye(graph.n, dtype=torch.float64)
    limit: Tensor = c.alpha * torch.linalg.inv(eye - c.factor * (P @ eye))
    return limit.to(like.device, like.dtype)


class Unified(nn.Module):
    """An MLP, its logits filtered; a model gives the coefficients."""

    takes_bags = True

    def __init__(self, config: Any, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.mlp = MLP([d, config.hidden, classes], config.dropout, paper_init=False)

    @staticmethod
    def coefficients(config: Any) -> Coefficients:
        """Of the iteration."""
        raise NotImplementedError

    @classmethod
    def prepare(cls, graph: Graph, X: Tensor, config: Any) -> Whole:
        """P, and the inverse if the closed form is asked for."""
        operators: dict[str, Any] = {"P": propagation(graph, config.self_loops, X.dtype, X.device)}
        if config.closed:
            operators["inverse"] = inverse(graph, cls.coefficients(config), config.self_loops, X)
        return Whole(X, operators)

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        H, c = self.mlp(inputs.X), self.coefficients(self.config)
        if self.config.closed:
            return inputs.pick(inputs["inverse"] @ started(inputs["P"], H, c))
        return inputs.pick(iterated(inputs["P"], H, self.config.K, c))

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) at eigenvalues of I - P, with self-loops if the model has them."""
        A, c = Diagonal(1 - lam), self.coefficients(self.config)
        if self.config.closed:
            return c.alpha / (1 - c.factor * (1 - lam)) * started(A, torch.ones_like(lam), c)
        return iterated(A, torch.ones_like(lam), self.config.K, c)

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The authors decay the first layer only."""
        first, second = self.mlp.layers
        return {"first": list(first.parameters()), "second": list(second.parameters())}

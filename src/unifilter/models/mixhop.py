"""MixHop. Abu-El-Haija et al.: MixHop: Higher-Order Graph Convolutional Architectures, ICML 2019.

Filters H at every layer: H' = [P^j H W_j] for every power j side by side, no bias; P with self-loops. Then

    logits = sum_j softmax(q)_j O_j

where the last layer gives O_j, as many columns as classes for every power. As many products a layer as the
largest power.

PyTorch Geometric's ``MixHopConv`` has the same convolution with equal widths and computes P anew in every
step. As in the authors' code, rows are scaled to length 1 after the input's dropout, and batch normalisation
has a shift, no scale, and the statistics of all nodes also when it predicts. Their trainer breaks ties of
validation accuracy by test accuracy, which is not copied. They train by plain gradient descent with a rate
that falls by 1 % of its start every 40 steps; ``Training(optimizer="sgd")`` has a constant one, and
`experiments/configs` takes Adam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, normalize

from unifilter.graph import Graph, propagation
from unifilter.models._layers import dropout
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole

EPS = 1e-3  # of batch normalisation in the authors' framework


@dataclass(frozen=True)
class Config:
    """Options of MixHop.

    Parameters
    ----------
    hidden : int
        Columns of the hidden layer, shared out among the powers; the last one gets the remainder.
    powers : sequence of int
        Powers of P.
    dropout, input_dropout : float
        Rates on the hidden layer and on X.
    binary : bool
        Features that are not 0 become 1, as the authors' code does.
    self_loops : bool
        Of P.
    """

    hidden: int = 60
    powers: Sequence[int] = (0, 1, 2)
    dropout: float = 0.5
    input_dropout: float = 0.5
    binary: bool = False
    self_loops: bool = True

    def __post_init__(self) -> None:
        if not self.powers or min(self.powers) < 0 or self.hidden < len(self.powers):
            raise ValueError(
                f"MixHop needs powers that are not negative and a hidden column for each, but has powers "
                f"{tuple(self.powers)} and hidden = {self.hidden}."
            )


CARD = Card(
    "MixHop",
    "Abu-El-Haija et al.: MixHop: Higher-Order Graph Convolutional Architectures, ICML",
    2019,
    "message passing",
    "H, max(powers) products a layer",
    "n d h + K m h",
)


class Convolution(nn.Module):
    """[P^j H W_j] for every power j."""

    def __init__(self, d: int, widths: Sequence[int], powers: Sequence[int]) -> None:
        super().__init__()
        self.powers = powers
        self.weights = nn.ParameterList(nn.init.xavier_uniform_(torch.empty(d, w)) for w in widths)

    def forward(self, H: Tensor, P: Any) -> list[Tensor]:
        """A block of columns for every power; W_j is applied first, and narrow blocks travel together."""
        blocks = [H @ W for W in self.weights]
        for step in range(1, max(self.powers) + 1):
            going = [i for i, power in enumerate(self.powers) if power >= step]
            moved = P @ torch.cat([blocks[i] for i in going], dim=1)
            for i, block in zip(going, moved.split([blocks[i].shape[1] for i in going], dim=1), strict=True):
                blocks[i] = block
        return blocks


@register("mixhop", Config, CARD)
class MixHop(nn.Module):
    """Powers of P side by side, twice, and their learned average."""

    takes_bags = True

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        count = len(config.powers)
        even = config.hidden // count
        widths = [even] * (count - 1) + [config.hidden - even * (count - 1)]
        self.first = Convolution(d, widths, config.powers)
        self.shift = nn.Parameter(torch.zeros(config.hidden))
        self.last = Convolution(config.hidden, [classes] * count, config.powers)
        self.q = nn.Parameter(torch.zeros(count))

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Whole:
        """P, and features made binary if asked for."""
        P = propagation(graph, config.self_loops, X.dtype, X.device)
        return Whole((X != 0).to(X.dtype) if config.binary else X, {"P": P})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        P, c = inputs["P"], self.config
        X = normalize(dropout(inputs.X, c.input_dropout, self.training), dim=1)
        H = torch.cat(self.first(X, P), dim=1)
        # A shift without a scale has no gradient on CUDA, so the scale is 1.
        one = torch.ones_like(self.shift)
        H = torch.relu(batch_norm(H, None, None, one, self.shift, training=True, eps=EPS))
        parts = torch.stack(self.last(dropout(H, c.dropout, self.training), P))
        return inputs.pick(torch.einsum("j,jnc->nc", torch.softmax(self.q, dim=0), parts))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """Weights, which the authors decay; the shift, which they do not; and q with a penalty of its own."""
        weights = [*self.first.parameters(), *self.last.parameters()]
        return {"weights": weights, "shift": [self.shift], "average": [self.q]}

    def learned(self) -> dict[str, float]:
        """The share of every power in the logits."""
        share = torch.softmax(self.q.detach(), dim=0).tolist()
        return {f"power_{j}": s for j, s in zip(self.config.powers, share, strict=True)}

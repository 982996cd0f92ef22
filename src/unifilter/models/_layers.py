"""Layers that several models share."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from unifilter.krylov.dropout import dropped
from unifilter.models._bag import Bag

Net = TypeVar("Net", bound=nn.Module)


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Torch's dropout; on a CPU by hash, since torch draws its masks one number at a time there.

    Examples
    --------
    >>> x = torch.ones(1000)
    >>> dropout(x, 0.5, training=False) is x, sorted(set(dropout(x, 0.5, training=True).tolist()))
    (True, [0.0, 2.0])
    """
    if not (training and p):
        return x
    return functional.dropout(x, p) if isinstance(x, Bag) or not x.is_cpu else dropped(x, p)


def blank(cls: Callable[..., Net], *given: Any, **options: Any) -> Net:
    """A module whose parameters are about to be overwritten: the caller's random numbers stay as they were.

    Examples
    --------
    >>> _, before = torch.manual_seed(3), torch.get_rng_state()
    >>> _ = blank(nn.Linear, 2, 3)
    >>> torch.equal(torch.get_rng_state(), before)
    True
    """
    with torch.random.fork_rng(devices=[]):
        return cls(*given, **options)


class MLP(nn.Module):
    """Linear layers with ReLU between them and dropout before each.

    The paper's MLP has no bias, weights uniform in +-1/sqrt(out), and a residual wherever a layer's input and
    output have the same width; ``batch_norm`` follows every layer but the last.

    Parameters
    ----------
    widths : sequence of int
        Input, hidden and output widths: two make a linear model.
    dropout : float
    batch_norm, residual, bias : bool
    paper_init : bool
        Uniform in +-1/sqrt(out) as the paper's; otherwise torch's default, +-1/sqrt(in).
    drop_inputs : bool
        Dropout before the first layer too: not where a node has few features to lose.

    Examples
    --------
    >>> MLP([16, 8, 3])(torch.randn(5, 16)).shape
    torch.Size([5, 3])
    """

    def __init__(
        self,
        widths: list[int],
        dropout: float = 0.0,
        batch_norm: bool = False,
        residual: bool = False,
        bias: bool = False,
        paper_init: bool = True,
        drop_inputs: bool = True,
    ) -> None:
        super().__init__()
        pairs = list(pairwise(widths))
        layers = [nn.Linear(a, b, bias=bias) for a, b in pairs]
        self.layers = nn.ModuleList(layers)
        self.norms = nn.ModuleList(nn.BatchNorm1d(b) for _, b in pairs[:-1]) if batch_norm else None
        self.dropout, self.residual, self.drop_inputs = dropout, residual, drop_inputs
        if paper_init:
            for layer in layers:
                bound = 1 / math.sqrt(layer.out_features)
                nn.init.uniform_(layer.weight, -bound, bound)

    def _dropped(self, x: Tensor) -> Tensor:
        """By hash on a GPU too: x may be as wide as the features."""
        if not (self.training and self.dropout):
            return x
        return functional.dropout(x, self.dropout) if isinstance(x, Bag) else dropped(x, self.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(n, in) to (n, out)."""
        last = len(self.layers) - 1
        for i, layer in enumerate(self.layers):
            x = self._dropped(x) if i or self.drop_inputs else x
            y = layer(x)
            if self.norms is not None and i < last:
                y = self.norms[i](y)
            if self.residual and x.shape[1] == y.shape[1]:
                y = y + x
            x = torch.relu(y) if i < last else y
        return x

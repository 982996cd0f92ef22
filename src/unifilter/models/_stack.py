"""Convolutions one after the other, as GCN, GraphSAGE and GAT share it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from torch import Tensor, nn

from unifilter.models._layers import dropout


@dataclass(frozen=True)
class Shape:
    """Options of the stack.

    Parameters
    ----------
    hidden, layers : int
        Width and number of the convolutions.
    dropout, input_dropout : float
        Rates after every hidden layer, and on the features.
    norm : {"none", "batch", "layer"}
        What follows a hidden convolution, before the activation.
    residual : bool
        Add a linear map of its input to every convolution.
    embed, head : bool
        A linear layer before the convolutions; one behind them that gives the logits, where otherwise the
        last convolution does.
    """

    hidden: int = 64
    layers: int = 2
    dropout: float = 0.5
    input_dropout: float = 0.0
    norm: Literal["none", "batch", "layer"] = "none"
    residual: bool = False
    embed: bool = False
    head: bool = False

    def __post_init__(self) -> None:
        if self.layers < 1:
            raise ValueError(f"layers must be at least 1, but is {self.layers}.")
        if self.norm not in NORMS:
            raise ValueError(f"norm must be one of {', '.join(map(repr, NORMS))}, but is {self.norm!r}.")


NORMS: dict[str, Callable[[int], nn.Module]] = {
    "none": lambda _: nn.Identity(),
    "batch": nn.BatchNorm1d,
    "layer": nn.LayerNorm,
}


class Stack(nn.Module):
    r"""Hidden layers of one form, and a last one without norm and activation.

    .. math:: H' = \mathrm{dropout}(\sigma(\mathrm{norm}(\mathrm{conv}(H) + H R)))

    Without residual R is 0. A tuned classic GNN (Luo et al.: Classic GNNs are Strong Baselines, NeurIPS 2024)
    is the form with ``head``, ``norm`` and mostly ``residual``.

    Parameters
    ----------
    shape : Shape
    d, width, classes : int
        Columns of the input, of the hidden layers and of the logits.
    convolution : function of (columns in, columns out, last)
        Gives a module that takes (H, operator).
    activation : function
    """

    def __init__(
        self,
        shape: Shape,
        d: int,
        width: int,
        classes: int,
        convolution: Callable[[int, int, bool], nn.Module],
        activation: Callable[[Tensor], Tensor],
    ) -> None:
        super().__init__()
        self.shape, self.activation = shape, activation
        first, last = (width if shape.embed else d), (width if shape.head else classes)
        widths = [first] + [width] * (shape.layers - 1) + [last]
        ends = list(pairwise(widths))
        lasts = [not shape.head and i == shape.layers - 1 for i in range(shape.layers)]
        self.embed = nn.Linear(d, width) if shape.embed else nn.Identity()
        self.convolutions = nn.ModuleList(
            convolution(a, b, end) for (a, b), end in zip(ends, lasts, strict=True)
        )
        self.residuals = nn.ModuleList(nn.Linear(a, b) for a, b in ends) if shape.residual else None
        self.norms = nn.ModuleList(
            NORMS[shape.norm](b) for (_, b), end in zip(ends, lasts, strict=True) if not end
        )
        self.head = nn.Linear(width, classes) if shape.head else nn.Identity()

    def forward(self, H: Tensor, operator: Any) -> Tensor:
        """Logits of all nodes."""
        H = self.embed(dropout(H, self.shape.input_dropout, self.training))
        if self.shape.embed:
            H = dropout(H, self.shape.dropout, self.training)
        for i, convolution in enumerate(self.convolutions):
            Y: Tensor = convolution(H, operator)
            if self.residuals is not None:
                Y = Y + self.residuals[i](H)
            if i == len(self.norms):  # the last one, without a head
                return Y
            H = dropout(self.activation(self.norms[i](Y)), self.shape.dropout, self.training)
        logits: Tensor = self.head(H)
        return logits

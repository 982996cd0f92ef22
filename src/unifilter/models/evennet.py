"""EvenNet. Lei et al.: Ignoring Odd-Hop Neighbors Improves Robustness of Graph Neural Networks, NeurIPS 2022.

Filters H, K products a step: sum_k w_k P^2k MLP(X) up to hop K, P without self-loops. The response is
symmetric about lambda = 1, so that smooth and alternating signals are treated alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.bases import monomial
from unifilter.models._filtering import Decoupled, Options, weigh
from unifilter.models._registry import Card, register


@dataclass(frozen=True)
class Config(Options):
    """Options of EvenNet, beside those of :class:`unifilter.models._filtering.Options`.

    Parameters
    ----------
    K : int
        The farthest hop, not the number of terms: those are the even hops up to K.
    alpha : float
        The weights start as alpha (1 - alpha)^2k; unlike GPR-GNN's they do not add up to 1.
    self_loops : bool
        With them, even powers are no longer even hops.
    """

    alpha: float = 0.1


CARD = Card(
    "EvenNet",
    "Lei et al.: EvenNet: Ignoring Odd-Hop Neighbors Improves Robustness of Graph Neural Networks, NeurIPS",
    2022,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m c",
)


@register("evennet", Config, CARD)
class EvenNet(Decoupled):
    """Weighted even powers of P on the output of an MLP."""

    def __init__(self, config: Config, d: int, classes: int) -> None:
        k = torch.arange(config.K // 2 + 1)
        super().__init__(config, d, classes, config.alpha * torch.pow(1 - config.alpha, 2 * k))

    def filter(self, A: Matmul, H: Tensor) -> Tensor:
        """The sum of w_k A^2k H."""
        return weigh(self.w, monomial(Twice(A), H, self.config.K // 2))


class Twice:
    """The square of a matrix, as something that multiplies."""

    def __init__(self, A: Matmul) -> None:
        self.A = A

    def __matmul__(self, x: Tensor) -> Tensor:
        return self.A @ (self.A @ x)

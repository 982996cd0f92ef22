"""ChebNetII. He et al.: CNNs on Graphs with Chebyshev Approximation, Revisited, NeurIPS 2022.

Filters H, K products a step: g(P) MLP(X), P without self-loops, g the polynomial of degree K through
non-negative values at the Chebyshev nodes. What is learned are those values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.bases import Diagonal, chebyshev
from unifilter.models._filtering import Decoupled, Options, weigh
from unifilter.models._registry import Card, register


@dataclass(frozen=True)
class Config(Options):
    """Options of ChebNetII: those of :class:`unifilter.models._filtering.Options`."""


CARD = Card(
    "ChebNetII",
    "He et al.: Convolutional Neural Networks on Graphs with Chebyshev Approximation, Revisited, NeurIPS",
    2022,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m c",
)


@register("chebnetii", Config, CARD)
class ChebNetII(Decoupled):
    """A filter learned through its values at K+1 frequencies, on the output of an MLP.

    ``relu(w[j])`` is g at the frequency lambda_j = 1 - cos((j + 1/2) pi / (K+1)), from smooth to alternating.
    It starts as the identity, w = 1. A value that training drives below 0 stays 0: relu has no slope there.
    """

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__(config, d, classes, torch.ones(config.K + 1))

    def filter(self, A: Matmul, H: Tensor) -> Tensor:
        """The interpolating polynomial of A, times H."""
        return weigh(interpolation(torch.relu(self.w)), chebyshev(A, H, self.config.K))


def nodes(K: int, device: torch.device | None = None) -> Tensor:
    """The K+1 Chebyshev nodes t_j = cos((j + 1/2) pi / (K+1)), from the smooth end t = 1 on."""
    j = torch.arange(K + 1, dtype=torch.float64, device=device)
    return torch.cos((j + 0.5) * math.pi / (K + 1))


def interpolation(values: Tensor) -> Tensor:
    r"""Chebyshev coefficients of the polynomial that has given values at the Chebyshev nodes.

    .. math:: c_k = \frac{2 - [k = 0]}{K+1} \sum_j g_j\, T_k(t_j), \qquad \sum_k c_k T_k(t_j) = g_j

    The authors write it for L - I = -P and nodes in the opposite order: both signs cancel.

    Examples
    --------
    >>> interpolation(torch.ones(3))
    tensor([1., 0., 0.])
    """
    K = values.shape[0] - 1
    t = nodes(K, values.device)
    T = 2 / (K + 1) * chebyshev(Diagonal(t), torch.ones_like(t), K)
    T[0] /= 2
    return T.to(values.dtype) @ values

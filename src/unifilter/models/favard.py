"""FavardGNN. Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML 2023.

Filters H between two linear maps, K products a step at the hidden width, without self-loops. The basis itself
is learned: by Favard's theorem every sequence of orthonormal polynomials obeys a three-term recurrence, and
every recurrence with sigma > 0 gives one, so y and sigma are parameters, for each hidden column.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unifilter._types import Matmul
from unifilter.bases import Diagonal
from unifilter.models._between import Between, Options
from unifilter.models._filtering import weigh
from unifilter.models._registry import Card, register

LEAST_SIGMA = 0.01  # the authors' bound: sigma divides


@dataclass(frozen=True)
class Config(Options):
    """Options of FavardGNN: those of :class:`unifilter.models._between.Options`."""


CARD = Card(
    "FavardGNN",
    "Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML",
    2023,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m h",
)


def favard(A: Matmul, x: Tensor, K: int, y: Tensor, sigma: Tensor) -> Tensor:
    r"""The polynomials of a three-term recurrence, stacked: ``out[k] = p_k(A) x``.

    .. math:: p_0 = \frac{1}{\sigma_0}, \qquad
              p_k(t) = \frac{(t - y_{k-1})\, p_{k-1}(t) - \sigma_{k-1}\, p_{k-2}(t)}{\sigma_k},
              \qquad p_{-1} = 0

    Parameters
    ----------
    A : anything with ``@``
    x : Tensor of shape (n, d)
    K : int
    y, sigma : Tensors of shape (K+1, d)
        Of every column; ``y[K]`` is not used.

    Examples
    --------
    >>> y, sigma = torch.zeros(3, 1), torch.ones(3, 1)
    >>> favard(Diagonal(torch.tensor([0.5])), torch.ones(1, 1), 2, y, sigma).flatten()
    tensor([ 1.0000,  0.5000, -0.7500])
    """
    p = [x / sigma[0]]
    for k in range(1, K + 1):
        q = A @ p[-1] - y[k - 1] * p[-1]
        if k > 1:
            q = q - sigma[k - 1] * p[-2]
        p.append(q / sigma[k])
    return torch.stack(p)


@register("favard", Config, CARD)
class Favard(Between):
    """Linear, a filter in a learned basis, linear."""

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__(config, d, classes)
        # y and sigma of the recurrence: at first that of the Chebyshev polynomials of the second kind in t/2.
        self.recurrence = nn.Parameter(torch.stack([torch.zeros_like(self.a), torch.ones_like(self.a)]))

    def basis(self, A: Matmul, H: Tensor) -> Tensor:
        """The learned polynomials."""
        y, sigma = self.recurrence
        return favard(A, H, self.config.K, y, sigma.clamp_min(LEAST_SIGMA))

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) of every hidden column, (q, hidden), at eigenvalues of I - P."""
        ones = torch.ones(lam.shape[0], self.config.hidden, dtype=lam.dtype, device=lam.device)
        return weigh(self.a, self.basis(Diagonal(1 - lam), ones))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The optimiser's groups: both linear maps; the coefficients; the recurrence."""
        return super().groups() | {"recurrence": [self.recurrence]}

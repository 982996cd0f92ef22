"""OptBasisGNN. Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML 2023.

Filters H between two linear maps, K products a step at the hidden width, without self-loops:
Z[:, i] = sum_k a_{i,k} v_k, with v_0, ..., v_K the orthonormal Krylov basis of the hidden column i. It is the
basis that :func:`unifilter.lanczos` computes, but found anew at every step, because the columns are learned;
OrtFilter is the same idea on X, where it has to be found once.

The authors add noise of size 1e-5 to H so that no column is 0, in evaluation too; here evaluation has none
unless ``eval_noise`` asks for it. A column that is 0 gives 0, and so does a Krylov space beyond its end,
where the authors' code normalises rounding errors. A column's norm is forgotten by the filter, as in theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.bases import orthonormal, response
from unifilter.krylov import lanczos
from unifilter.models._between import Between, Options
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config(Options):
    """Options of OptBasisGNN, beside those of :class:`unifilter.models._between.Options`.

    Parameters
    ----------
    K : int
        Hops; the authors take 2 to 20.
    noise : float
        Standard deviation of what is added to H in training.
    eval_noise : bool
        Whether it is added in evaluation too, as in the authors' code; then predictions are random.
    """

    noise: float = 1e-5
    eval_noise: bool = False


CARD = Card(
    "OptBasisGNN",
    "Guo, Wei: Graph Neural Networks with Learnable and Optimal Polynomial Bases, ICML",
    2023,
    "polynomial filter",
    "H, K products a step",
    "n d h + K m h",
)


def krylov_basis(A: Matmul, X: Tensor, K: int) -> Tensor:
    r"""The orthonormal Krylov basis of every column, differentiable in X: (K+1, n, d).

    .. math:: v_0 = x / \|x\|, \qquad
              v_{k+1} \propto (I - v_{k-1} v_{k-1}^T)(I - v_k v_k^T) A v_k

    A column of 0, and what follows the end of a Krylov space, is 0. ``A`` has its spectrum in [-1, 1].
    Cost: K products with A, and as many in the backward pass.
    """
    ended = 32 * torch.finfo(X.dtype).eps  # beside ||A v|| <= 1 this is rounding error
    v = [_unit(X, 1e-8)]
    for k in range(K):
        u = A @ v[-1]
        u = u - (u * v[-1]).sum(dim=0) * v[-1]
        if k:
            u = u - (u * v[-2]).sum(dim=0) * v[-2]
        v.append(_unit(u, ended))
    return torch.stack(v)


def _unit(X: Tensor, least: float) -> Tensor:
    """Columns of norm 1; those no longer than ``least`` become 0, and so does their gradient."""
    size = torch.linalg.vector_norm(X, dim=0)
    return X * torch.where(size > least, 1 / size.clamp_min(least), 0)


@register("optbasis", Config, CARD)
class OptBasis(Between):
    """Linear, orthonormal filter, linear."""

    def basis(self, A: Matmul, H: Tensor) -> Tensor:
        """The orthonormal basis of every column of H."""
        return krylov_basis(A, H, self.config.K)

    def hidden(self, inputs: Whole) -> Tensor:
        """H (n, hidden), what is filtered."""
        H, config = super().hidden(inputs), self.config
        noisy = self.training or config.eval_noise
        return H + config.noise * torch.randn_like(H) if noisy and config.noise else H

    def response(self, lam: Tensor, inputs: Whole) -> Tensor:
        """g(lambda) of every hidden column, (q, hidden), at eigenvalues of I - P.

        The basis belongs to the signal, so the response needs the inputs beside the parameters.
        """
        with torch.no_grad():
            _, T, norm = lanczos(inputs["P"], self.hidden(inputs), self.config.K)
        return response(self.a, lam, orthonormal(T, norm))

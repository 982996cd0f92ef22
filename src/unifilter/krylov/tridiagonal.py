"""T, the small matrix that stands for P."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Tridiagonal:
    r"""One symmetric tridiagonal matrix of K+1 rows per column: V^T P V.

    ``T @ c`` multiplies column i of ``c``, of shape (K+1, d), by the i-th matrix. Row k of it is

    .. math:: (T c)_k = \beta_k c_{k-1} + \alpha_k c_k + \beta_{k+1} c_{k+1}

    Parameters
    ----------
    alpha : Tensor of shape (K, d) or (K+1, d)
        The diagonal. Its last entry T[K, K] costs one more product with P and is never read by a polynomial
        of degree K, so Lanczos leaves it out and ``@`` takes it as 0; :func:`unifilter.krylov.complete`
        adds it.
    beta : Tensor of shape (K, d)
        The off-diagonal, not negative.

    Examples
    --------
    >>> T = Tridiagonal(torch.zeros(2, 1), torch.ones(2, 1))
    >>> (T @ T.e1).T
    tensor([[0., 1., 0.]])
    """

    alpha: Tensor
    beta: Tensor

    def __matmul__(self, c: Tensor) -> Tensor:
        K = self.K
        out = torch.zeros_like(c)
        out[: self.alpha.shape[0]] = self.alpha * c[: self.alpha.shape[0]]
        if K:
            out[1:] += self.beta * c[:-1]
            out[:-1] += self.beta * c[1:]
        return out

    @property
    def K(self) -> int:
        """Number of hops."""
        return self.beta.shape[0]

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.beta.shape[1]

    @property
    def e1(self) -> Tensor:
        """The first unit vector for every column, shape (K+1, d): x = ||x|| V e1."""
        e1 = self.beta.new_zeros(self.K + 1, self.d)
        e1[0] = 1
        return e1

    @property
    def is_complete(self) -> bool:
        """Whether T[K, K] is known."""
        return self.alpha.shape[0] == self.K + 1

    def truncate(self, K: int) -> Tridiagonal:
        """The leading matrix of K+1 rows: what fewer hops would have given."""
        if K > self.K:
            raise ValueError(f"T has {self.K} hops, so {K} cannot be had from it; call lanczos(P, X, K={K}).")
        return Tridiagonal(self.alpha[: K + 1], self.beta[:K])

    def to(self, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> Tridiagonal:
        """The same matrices on another device or in another precision."""
        return Tridiagonal(self.alpha.to(device, dtype), self.beta.to(device, dtype))

    def dense(self) -> Tensor:
        """The matrices written out, shape (d, K+1, K+1); an unknown T[K, K] is 0."""
        eye = torch.eye(self.K + 1, dtype=self.beta.dtype, device=self.beta.device)
        return torch.stack([self @ e[:, None].expand(-1, self.d) for e in eye], dim=1).permute(2, 0, 1)

"""One factorisation, ready for models that filter X."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn.functional import pad

from unifilter._math import reciprocal
from unifilter._types import FloatArray, IntArray, Matmul
from unifilter.bases import monomial, orthonormal
from unifilter.graph import Graph, propagation
from unifilter.graph.propagation import restricted
from unifilter.krylov import Tridiagonal, lanczos, mix

RANGE = 4.0  # times the largest entry that trained nodes have: what newcomers may have


@dataclass(frozen=True, eq=False)
class Basis:
    """V of some rows, T and norm of all columns, and the powers T^k ||x|| e1 that no parameter changes.

    ``V`` may have been kept in a lower precision than T; coefficients are computed in T's.
    """

    V: Tensor
    T: Tridiagonal
    norm: Tensor
    powers: Tensor

    # After the factorisation a row needs no other row, so training and prediction may go by batches.
    independent_rows = True

    @staticmethod
    def of(graph: Graph, X: Tensor, K: int, self_loops: bool = False) -> Basis:
        """Factorise: K products with P, the only propagation."""
        return Basis.by(propagation(graph, self_loops, X.dtype, X.device), X, K)

    @staticmethod
    def by(P: Matmul, X: Tensor, K: int) -> Basis:
        """The same by any symmetric P, for instance one with the loops of the data."""
        V, T, norm = lanczos(P, X, K)
        return Basis(V, T, norm, monomial(T, norm * T.e1, K))

    def of_newcomers(self, graph: Graph, X: Tensor, nodes: IntArray) -> Basis:
        """The rows of nodes of a grown graph, with alpha, beta and norm frozen as they were found.

        Only what lies within K hops of the nodes is propagated. Equal to the same polynomials of P on the
        whole grown graph, within bounds: where a Krylov space nearly ended they divide by a small beta, which
        makes anything of a node that lies outside of that space.
        """
        near = graph.ball(nodes, self.K)
        P = restricted(propagation(graph, dtype=self.norm.dtype, device=self.norm.device), near)
        index = torch.from_numpy(near).to(X.device)
        V = orthonormal(self.T, self.norm)(P, X[index].to(self.norm), self.K)
        place = torch.from_numpy(np.searchsorted(near, nodes)).to(V.device)
        return replace(self, V=self._bounded(V[:, place]))

    def of_attached(self, links: Any, degrees: FloatArray, X: Tensor) -> Basis:
        """Rows of nodes that look at old ones without being seen by them: each is independent of the others.

        ``links`` (q, n) are their weights to the old nodes, whose rows this basis holds; ``degrees`` are the
        old nodes'. So p = D_new^-1/2 links D^-1/2 takes the place of a row of P, and V the place of what
        would have been propagated.
        """
        own = np.asarray(links.sum(axis=1), np.float64).ravel()
        left, right = (np.divide(1, np.sqrt(a), out=np.zeros_like(a), where=a > 0) for a in (own, degrees))
        p = csr_array(links).multiply(left[:, None]).multiply(right[None, :]).tocsr()
        q = [X * reciprocal(self.norm)]
        for k in range(self.K):
            seen = torch.from_numpy(p @ self.V[k].cpu().double().numpy()).to(q[0])
            r = seen - self.T.alpha[k].to(X) * q[-1]
            if k:
                r = r - self.T.beta[k - 1].to(X) * q[-2]
            q.append(r * reciprocal(self.T.beta[k].to(X)))
        return replace(self, V=self._bounded(torch.stack(q)))

    def _bounded(self, V: Tensor) -> Tensor:
        """Rows of newcomers, but for their features, within ``RANGE`` of those that were trained on."""
        top = RANGE * self.V.abs().amax(dim=1, keepdim=True).to(V)
        return torch.cat([V[:1], torch.nan_to_num(V[1:]).clamp(-top[1:], top[1:])])

    def signal(self) -> Tensor:
        """X itself, (n, d): v_0 times its norm."""
        return self.V[0] * self.norm.to(self.V.dtype)

    def hop(self, k: int) -> Tensor:
        """P^k X, (n, d), for k <= K: a mix of the first k + 1 vectors, no product with P."""
        return mix(self.V[: k + 1], self.powers[k, : k + 1])

    def hops(self) -> Tensor:
        """X, P X, ..., P^K X of every node, (n, K+1, d)."""
        Z = self.V.new_empty(self.n, self.K + 1, self.norm.numel())
        for k in range(self.K + 1):  # one by one: beside V and Z no third such array is held
            Z[:, k] = self.hop(k)
        return Z

    def first(self, K: int) -> Basis:
        """The basis of fewer hops, which is the beginning of this one."""
        T = Tridiagonal(self.T.alpha[:K], self.T.beta[:K])
        return Basis(self.V[: K + 1], T, self.norm, self.powers[: K + 1, : K + 1])

    def rows(self, index: Tensor) -> Basis:
        """The same columns, some rows."""
        return replace(self, V=self.V[:, index].contiguous())

    def to(self, device: torch.device | str) -> Basis:
        """The same on another device."""
        moved = self.V.to(device), self.T.to(device), self.norm.to(device), self.powers.to(device)
        return Basis(*moved)

    def padded(self, columns: int) -> Basis:
        """With so many zero columns more, of which every mix is zero: products like widths that are round."""
        more = (0, columns)
        T = Tridiagonal(pad(self.T.alpha, more), pad(self.T.beta, more))
        return Basis(pad(self.V, more), T, pad(self.norm, more), pad(self.powers, more))

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.V.shape[1]

    @property
    def K(self) -> int:
        """Hops."""
        return self.T.K

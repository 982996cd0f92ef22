"""One factorisation, ready for models that filter X."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from unifilter._types import IntArray
from unifilter.bases import monomial, orthonormal
from unifilter.graph import Graph, propagation
from unifilter.graph.propagation import restricted
from unifilter.krylov import Tridiagonal, lanczos


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
        P = propagation(graph, self_loops, X.dtype, X.device)
        V, T, norm = lanczos(P, X, K)
        return Basis(V, T, norm, monomial(T, norm * T.e1, K))

    def of_newcomers(self, graph: Graph, X: Tensor, nodes: IntArray) -> Basis:
        """The rows of nodes of a grown graph, with alpha, beta and norm frozen as they were found.

        Only what lies within K hops of the nodes is propagated. Equal to the same polynomials of P on the
        whole grown graph.
        """
        near = graph.ball(nodes, self.K)
        P = restricted(propagation(graph, dtype=self.norm.dtype, device=self.norm.device), near)
        index = torch.from_numpy(near).to(X.device)
        V = orthonormal(self.T, self.norm)(P, X[index].to(self.norm), self.K)
        place = torch.from_numpy(np.searchsorted(near, nodes)).to(V.device)
        return replace(self, V=V[:, place].contiguous())

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

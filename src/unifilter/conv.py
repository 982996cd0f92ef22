"""UniConv: UniFilter's polynomial filter as a layer on learned features."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from unifilter._checks import check_count, check_share_or_word
from unifilter._types import Matmul
from unifilter.bases import unibasis
from unifilter.graph import Graph, propagation
from unifilter.krylov import lanczos, mix
from unifilter.models.unifilter import Share


class UniConv(nn.Module):
    r"""Filter features by UniBasis, with gradients through the Lanczos recurrence.

    .. math:: Z = \sum_k w_k \bigl(\tau P^k x + (1 - \tau)\, u_k\bigr)

    Features that a network learns change at every step, so their basis does: K products with P forward, and K
    backward. On fixed features :class:`unifilter.UniFilter` needs none.

    Parameters
    ----------
    K : int
        Hops.
    tau, h : float or "learn"
        Share of the homophily basis, and homophily.
    channels : int, optional
        With it, one w for every column instead of one for all.

    Examples
    --------
    >>> edge_index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    >>> conv = UniConv(K=3)
    >>> conv(torch.randn(4, 5, requires_grad=True), edge_index).shape
    torch.Size([4, 5])
    """

    def __init__(
        self, K: int = 10, tau: float | str = "learn", h: float | str = "learn", channels: int | None = None
    ) -> None:
        super().__init__()
        self.K = check_count(K, "K")
        check_share_or_word(tau, "tau", "learn")
        check_share_or_word(h, "h", "learn")
        self.w = nn.Parameter(torch.full((K + 1, channels or 1), 1 / (K + 1)))
        self._tau = Share(0.5 if isinstance(tau, str) else tau, learn=tau == "learn")
        self._h = Share(0.5 if isinstance(h, str) else h, learn=h == "learn")

    def forward(self, x: Tensor, edge_index: Tensor | Matmul, edge_weight: Tensor | None = None) -> Tensor:
        """Filter x of shape (n, d).

        ``edge_index`` of shape (2, m) as PyTorch Geometric has it; or P itself, made once by
        :func:`unifilter.propagation`, which saves sorting the edges at every call. Weights of edges get no
        gradients.
        """
        channels = self.w.shape[1]
        if channels not in (1, *x.shape[1:]):
            raise ValueError(f"x must have as many columns as channels, {channels}, not {tuple(x.shape)}.")
        P = (
            edge_index
            if not isinstance(edge_index, Tensor)
            else self._propagation(x, edge_index, edge_weight)
        )
        V, T, norm = lanczos(P, x, self.K)
        C = unibasis(T, norm, self._tau().to(x), self._h().to(x), self.K, "signal")
        return mix(V, (self.w.to(x)[:, None, :] * C).sum(dim=0))

    @staticmethod
    def _propagation(x: Tensor, edge_index: Tensor, edge_weight: Tensor | None) -> Any:
        weights = None if edge_weight is None else edge_weight.detach().cpu().numpy()
        graph = Graph.from_edges(edge_index.cpu().numpy(), n=x.shape[0], weights=weights)
        return propagation(graph, dtype=x.dtype, device=x.device)

    def extra_repr(self) -> str:
        """Hops, for printing."""
        return f"K={self.K}"

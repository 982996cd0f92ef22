"""The raw arrays behind P, and how their entries are shared out among threads."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class CSR(NamedTuple):
    """S (A + loop I) S with S = diag(scale), never formed: the kernels apply ``scale`` on the fly.

    ``weights`` is None for a graph without weights; then no array as long as ``indices`` is needed.
    """

    indptr: Tensor
    indices: Tensor
    weights: Tensor | None
    scale: Tensor
    loop: float

    def to(self, device: torch.device | None, dtype: torch.dtype) -> CSR:
        """Move to a device; ``dtype`` is that of weights and scale."""
        weights = None if self.weights is None else self.weights.to(device, dtype)
        return CSR(
            self.indptr.to(device), self.indices.to(device), weights, self.scale.to(device, dtype), self.loop
        )


class Schedule(NamedTuple):
    """Equal shares of the entries: ``parts`` are ranges of whole rows, ``pieces`` are bits of long rows.

    ``ranges`` are all rows in shares, a long row being one of its own, for loops that cannot cut rows.

    A row longer than a share would hold up its thread, so it is cut into pieces; the pieces of one row
    are added up in their order, so the result does not depend on the number of threads that ran.
    """

    parts: Tensor  # (p, 2): rows [begin, end) with no long row inside
    pieces: Tensor  # (q, 3): long row, entries [begin, end)
    ranges: Tensor  # (p, 2): rows [begin, end)


class Places(NamedTuple):
    """Where the entries of a square sparse matrix are, row by row; what they are comes with every product."""

    indptr: Tensor
    indices: Tensor
    rows: Tensor  # (e,) in int64, of every entry
    plan: Schedule  # stays on the CPU, where it is needed

    @staticmethod
    def of(rows: Tensor, indices: Tensor, n: int) -> Places:
        """Of e entries (row, column), sorted by row; a place may be named twice. On the CPU."""
        indptr = torch.searchsorted(rows, torch.arange(n + 1))
        kind = torch.int32 if max(n, rows.numel()) < 2**31 else torch.int64
        return Places(indptr.to(kind), indices.to(kind), rows, schedule(indptr))

    def to(self, device: torch.device | str) -> Places:
        """The same on another device."""
        return Places(self.indptr.to(device), self.indices.to(device), self.rows.to(device), self.plan)


def schedule(indptr: Tensor, shares: int = 64, least: int = 2048) -> Schedule:
    """Cut the rows of a CSR matrix into at least ``shares`` pieces of equal cost (entries and rows)."""
    indptr = indptr.cpu().long()
    n = indptr.numel() - 1
    cost = indptr + torch.arange(n + 1)
    share = max(least, -(-int(cost[-1]) // shares))
    long = torch.nonzero(indptr.diff() > share).flatten()
    cuts = torch.searchsorted(cost, torch.arange(0, int(cost[-1]) + share, share)).clamp(max=n)
    cuts = torch.unique(torch.cat([cuts, long, long + 1, torch.tensor([0, n])]))
    ranges = torch.stack([cuts[:-1], cuts[1:]], dim=1)
    parts = ranges[~torch.isin(ranges[:, 0], long)]
    pieces = [
        (row, e, min(e + share, int(indptr[row + 1])))
        for row in long.tolist()
        for e in range(int(indptr[row]), int(indptr[row + 1]), share)
    ]
    return Schedule(parts, torch.tensor(pieces, dtype=torch.long).reshape(-1, 3), ranges)

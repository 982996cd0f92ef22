"""The nodes of one mask of every split, as a population reads them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from unifilter.krylov import mix_dropped
from unifilter.models._basis import Basis


class Rows:
    """The nodes of one mask of every split: their rows of V, and labels padded to the longest."""

    def __init__(self, inputs: Basis, y: Tensor, index: Sequence[Tensor]) -> None:
        self.V = [inputs.V[:, i].contiguous() for i in index]
        self.longest = max(i.numel() for i in index)
        self.y = torch.stack([pad(y[i], (0, self.longest - i.numel())) for i in index])
        valid = [pad(torch.ones_like(i), (0, self.longest - i.numel())) for i in index]
        self.valid = torch.stack(valid).to(inputs.norm.dtype)
        self.count = self.valid.sum(dim=1)
        self._norm, self._signal = inputs.norm, torch.empty(0)

    def signal(self) -> Tensor:
        """The features of these nodes, (splits, longest, d); made on first need."""
        if not self._signal.numel():
            X = [V[0] * self._norm.to(V.dtype) for V in self.V]
            self._signal = torch.stack([pad(x, (0, 0, 0, self.longest - x.shape[0])) for x in X])
        return self._signal

    def mixed_dropped(self, C: Tensor, start: list[int], rates: list[float], seeds: Tensor) -> Tensor:
        """Z (M, n, d) with dropout on the basis, member by member; ``C`` is (M, K+1, K+1, d)."""
        parts = []
        for s, V in enumerate(self.V):
            for m in range(start[s], start[s + 1]):
                part = mix_dropped(V, C[m], rates[m], seeds[m], lower=True, dtype=V.dtype)
                parts.append(pad(part, (0, 0, 0, self.longest - part.shape[0])))
        return torch.stack(parts)

"""The whole graph, for models that filter what they learn: every step sees all nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Whole:
    """All nodes' features and whatever operators the model built; ``index`` says whose logits are asked for.

    Parameters
    ----------
    X : Tensor of shape (n, d)
    operators : dict
        By the model's own names: a ``Propagation``, an edge index, anything with ``to(device)``.
    index : Tensor, optional
        The nodes asked for; all of them if not given.

    Examples
    --------
    >>> inputs = Whole(torch.zeros(5, 2), {})
    >>> inputs.rows(torch.tensor([0, 3])).pick(torch.arange(5))
    tensor([0, 3])
    """

    X: Tensor
    operators: dict[str, Any]
    index: Tensor | None = None

    # Asking for fewer rows saves nothing: a forward pass goes over the whole graph.
    independent_rows = False

    def __getitem__(self, operator: str) -> Any:
        return self.operators[operator]

    def rows(self, index: Tensor) -> Whole:
        """The same graph, the logits of some nodes (of those already asked for)."""
        return replace(self, index=index if self.index is None else self.index[index])

    def pick(self, logits: Tensor) -> Tensor:
        """Of all nodes' logits, those asked for."""
        return logits if self.index is None else logits[self.index]

    def to(self, device: torch.device | str) -> Whole:
        """The same on another device."""
        index = None if self.index is None else self.index.to(device)
        return Whole(self.X.to(device), {k: v.to(device) for k, v in self.operators.items()}, index)

    @property
    def n(self) -> int:
        """Number of nodes asked for."""
        return int(self.X.shape[0] if self.index is None else self.index.numel())

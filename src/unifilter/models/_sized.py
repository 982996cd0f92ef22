"""Buffers whose sizes come with what was learned: a fitted forest, the labels of a graph."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class SizedByState(nn.Module):
    """A module whose buffers named in ``sized`` take the shape of what is loaded into them.

    So that a fresh model accepts the ``state_dict`` of a fitted one, without pickling anything.

    Examples
    --------
    >>> import torch
    >>> class Memory(SizedByState):
    ...     sized = ("seen",)
    ...
    ...     def __init__(self) -> None:
    ...         super().__init__()
    ...         self.register_buffer("seen", torch.empty(0))
    >>> memory = Memory()
    >>> memory.load_state_dict({"seen": torch.ones(3)})
    <All keys matched successfully>
    >>> memory.seen
    tensor([1., 1., 1.])
    """

    sized: ClassVar[tuple[str, ...]] = ()

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        for name in self.sized:
            given = state_dict.get(prefix + name)
            own = getattr(self, name)
            if given is not None and given.shape != own.shape:
                setattr(self, name, own.new_empty(given.shape))
        super()._load_from_state_dict(state_dict, prefix, *rest)


class WithLabels(SizedByState):
    """A model that keeps the training labels of its graph, -1 where there is none.

    Examples
    --------
    >>> WithLabels(torch.tensor([0, -1])).labels
    tensor([ 0, -1])
    """

    uses_labels = True
    node_buffers = ("labels",)
    sized: ClassVar[tuple[str, ...]] = ("labels",)
    labels: Tensor

    def __init__(self, labels: Tensor | None = None) -> None:
        super().__init__()
        self.register_buffer("labels", torch.empty(0, dtype=torch.int64) if labels is None else labels)

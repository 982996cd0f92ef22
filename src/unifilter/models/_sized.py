"""Buffers whose sizes come with what was learned: a fitted forest, the labels of a graph."""

from __future__ import annotations

from typing import Any, ClassVar

from torch import nn


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

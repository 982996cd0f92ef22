"""Models of one configuration as one: their parameters stacked, one pass computes all of their logits.

Ten splits of a small graph are ten times the same hundred kernels, each too small to fill a GPU. Under
``torch.func.vmap`` they are one hundred: a layer becomes a batched product, and a product with P takes the
members' signals side by side, as columns of one. Dropout of what all members share, their features, is drawn
once for all: ten masks of n x d would be most of an epoch, and to each member one is as good as any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.functional import log_softmax

from unifilter.train.loop import Part, groups_of


class Bundle:
    """Nets that differ in nothing but the values of their parameters and buffers.

    Examples
    --------
    >>> nets = [nn.Linear(3, 2) for _ in range(4)]
    >>> Bundle(nets)(torch.ones(5, 3)).shape
    torch.Size([4, 5, 2])
    """

    def __init__(self, nets: Sequence[nn.Module]) -> None:
        self.nets = list(nets)
        self.parameters, self.buffers = stack_module_state(self.nets)

    def __call__(self, inputs: Any) -> Tensor:
        """Logits (B, n, classes) of all members."""
        net = self.nets[0]
        if len(self.nets) == 1:  # also for those that vmap cannot batch
            state = {name: value.view(value.shape[1:]) for name, value in self.state.items()}
            logits: Tensor = functional_call(net, state, (inputs,))
            return logits[None]

        def one(state: dict[str, Tensor]) -> Tensor:
            return functional_call(net, state, (inputs,))  # type: ignore[no-any-return]

        return vmap(one, randomness="same")(self.state)

    @property
    def state(self) -> dict[str, Tensor]:
        """Parameters and buffers by name, stacked."""
        return self.parameters | self.buffers

    def groups(self) -> dict[str, list[Tensor]]:
        """The optimiser's groups; what it does to a stack it does to each member."""
        names = {id(p): name for name, p in self.nets[0].named_parameters()}
        return {g: [self.parameters[names[id(p)]] for p in ps] for g, ps in groups_of(self.nets[0]).items()}

    def train(self, training: bool) -> None:
        """Whether dropout drops."""
        self.nets[0].train(training)

    def restore(self, member: int, state: dict[str, Tensor]) -> nn.Module:
        """A member as a net of its own, with these of the stacked values."""
        net = self.nets[member]
        net.load_state_dict({name: value[member] for name, value in state.items()})
        return net.eval()


@dataclass(frozen=True)
class Target:
    """Inputs, labels, and how much each row counts for each member: ``share`` (B, n), 0 if not at all."""

    inputs: Any
    y: Tensor
    share: Tensor
    valid: Tensor

    @staticmethod
    def of(parts: Sequence[Part], weights: Sequence[Tensor | None]) -> Target:
        """The parts of one bundle's members: the rows of a lone one, or all nodes, of which each has some."""
        part = parts[0]
        if len(parts) == 1:
            part = part.gathered()
            y, valid = part.y, torch.ones(1, part.y.numel(), dtype=torch.bool, device=part.y.device)
        else:
            n = part.inputs.n
            y = torch.zeros(n, dtype=part.y.dtype, device=part.y.device)
            valid = torch.zeros(len(parts), n, dtype=torch.bool, device=y.device)
            for member, p in enumerate(parts):
                y[p.index] = p.y
                valid[member, p.index] = True
        classes = [torch.ones_like(y, dtype=torch.float32) if w is None else w[y] for w in weights]
        return Target(part.inputs, y, valid * torch.stack(classes), valid)

    def loss(self, logits: Tensor) -> Tensor:
        """Every member's cross-entropy, (B,)."""
        picked = log_softmax(logits, dim=2).gather(2, self.y.expand(len(logits), -1)[:, :, None])[:, :, 0]
        return -(picked * self.share).sum(dim=1) / self.share.sum(dim=1)

    def accuracy(self, logits: Tensor) -> Tensor:
        """Every member's share of right answers, (B,)."""
        right = logits.argmax(dim=2) == self.y
        return (right * self.share).sum(dim=1) / self.share.sum(dim=1)

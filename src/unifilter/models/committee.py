r"""Committee. Several UniFilters on one V that vote. Filters X, once, whatever their number.

.. math:: p(c \mid x) = \frac{1}{M} \sum_m \mathrm{softmax}(f_m(x))_c

One validation set cannot tell settings apart that differ by less than its own noise, so the mean of the best
few is safer than the best one. They share the factorisation; a vote costs one more mix and MLP for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unifilter.graph import Graph
from unifilter.models import unifilter
from unifilter.models._basis import Basis
from unifilter.models._registry import Card, register
from unifilter.models.unifilter import UniFilter


@dataclass(frozen=True)
class Config:
    """Options of a committee.

    Parameters
    ----------
    K : int
        Hops, at most.
    members : sequence of dicts
        Options of each UniFilter; K hops if it says nothing of them.
    """

    K: int = 10
    members: tuple[dict[str, Any], ...] = ({}, {}, {})

    def __post_init__(self) -> None:
        members = tuple(dict(m) for m in self.members)  # JSON has lists
        if not members:
            raise ValueError("a committee has at least one member.")
        if any(m.get("K", 0) > self.K for m in members):
            raise ValueError(f"no member of a committee has more than its K = {self.K} hops.")
        object.__setattr__(self, "members", members)

    def configs(self) -> list[unifilter.Config]:
        """Of each member.

        Examples
        --------
        >>> [c.hidden for c in Config(members=({"hidden": 8}, {"hidden": 16})).configs()]
        [8, 16]
        """
        return [unifilter.Config(**({"K": self.K} | m)) for m in self.members]


CARD = Card(
    "Committee of UniFilters",
    "This library; UniFilter of Huang, Liò: An Effective Universal Polynomial Basis for Spectral GNNs",
    2026,
    "polynomial filter",
    "X, once",
    "M (n K d + n d h)",
)


@register("committee", Config, CARD)
class Committee(nn.Module):
    """Members and their vote; trained together, or put together from members that were trained alone.

    Examples
    --------
    >>> from unifilter.data import load
    >>> data = load("sbm:n=100,d=8")
    >>> config = Config(K=3, members=({"hidden": 8}, {"hidden": 4}))
    >>> vote = Committee(config, data.d, 5)(Committee.prepare(data.graph, data.features(), config))
    >>> bool(torch.allclose(vote.exp().sum(dim=1), torch.ones(100)))
    True
    """

    uses_homophily = True
    unbundled = UniFilter.unbundled

    def __init__(self, config: Config, d: int, classes: int, h: float = 0.5) -> None:
        super().__init__()
        self.config = config
        self.members = nn.ModuleList(UniFilter(c, d, classes, h) for c in config.configs())

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Basis:
        """The one propagation."""
        return Basis.of(graph, X, config.K)

    def forward(self, inputs: Basis) -> Tensor:
        """Logarithms of the mean of the members' probabilities, (n, classes)."""
        logits = torch.stack([m(inputs) for m in self.members])
        exact = torch.promote_types(logits.dtype, torch.float32)  # float64 stays what it is
        votes = torch.log_softmax(logits, dim=2, dtype=exact)
        return torch.logsumexp(votes, dim=0) - math.log(len(self.members))

    def groups(self) -> dict[str, list[nn.Parameter]]:
        """The members' groups, joined."""
        found: dict[str, list[nn.Parameter]] = {"mlp": [], "filter": [], "shares": []}
        for member in self.members:
            for name, parameters in member.groups().items():  # type: ignore[operator]
                found[name] += parameters
        return found

    def learned(self) -> dict[str, float]:
        """Means over the members of what each has learned; hops that one does not have weigh 0 in it."""
        each: list[dict[str, float]] = [m.learned() for m in self.members]  # type: ignore[operator]
        names = dict.fromkeys(name for m in each for name in m)
        return {name: sum(m.get(name, 0.0) for m in each) / len(each) for name in names}

"""Gradient-boosted trees on UniBasis: the paper's basis for a learner that is no neural network.

Filters X: the columns that the trees see are P^k x and ||x|| u_k (tau = 1 and tau = 0, or any other tau), k
up to K, without self-loops, after a projection to the leading directions of X if there are many columns.
Trees pick among them; no weights w are learned. After one factorisation nothing propagates.

The trees are grown by scikit-learn's ``HistGradientBoostingClassifier`` (after Ke et al.: LightGBM, NeurIPS
2017) and kept as plain tensors, so that they save, load and move like any other weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from unifilter.bases import unibasis
from unifilter.graph import Graph
from unifilter.krylov import mix
from unifilter.models._basis import Basis
from unifilter.models._registry import Card, register
from unifilter.models._sized import SizedByState

ABSENT = 10.0  # how far below all others the logit of a class lies that no training row has
ENTRIES = 2**22  # rows times trees that are walked at once
THREADS_FROM = 2**24  # entries of the training rows


@dataclass(frozen=True)
class Config:
    """Options of boosting.

    Parameters
    ----------
    K : int
        Hops.
    taus : tuple of float
        Shares of the homophily basis; every one adds K columns for each direction of X.
    components : int
        Directions of X that are kept; all columns if there are no more than that.
    rounds : int
        Trees for each class; the validation rows may stop earlier.
    learning_rate, l2 : float
        Of boosting: weight of every tree, penalty of its leaves.
    leaves, least : int
        Leaves of a tree, and the least number of rows in one.
    """

    K: int = 4
    taus: tuple[float, ...] = (1.0, 0.0)
    components: int = 64
    rounds: int = 100
    learning_rate: float = 0.1
    l2: float = 0.0
    leaves: int = 7
    least: int = 20

    def __post_init__(self) -> None:
        if not self.taus or not all(0 <= tau <= 1 for tau in self.taus):
            raise ValueError(f"taus must hold numbers in [0, 1], at least one, but is {self.taus}.")


CARD = Card(
    "Boosting on UniBasis",
    "Friedman: Greedy Function Approximation; Ke et al.: LightGBM; on the basis of Huang, Liò 2023",
    2001,
    "trees",
    "X, once",
    "n K d a level of a tree",
)


@register("boosting", Config, CARD)
class Boosting(SizedByState):
    """Trees on filtered features."""

    uses_homophily = True
    sized: ClassVar[tuple[str, ...]] = ("directions", "present")
    directions: Tensor
    present: Tensor
    h: Tensor

    def __init__(self, config: Config, d: int, classes: int, h: float = 0.5) -> None:
        super().__init__()
        self.config, self.classes = config, classes
        self.register_buffer("h", torch.tensor(float(h)))
        self.register_buffer("directions", torch.empty(d, 0))
        self.register_buffer("present", torch.empty(0, dtype=torch.int64))
        self.forest = Forest()

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any) -> Basis:
        """The one propagation."""
        return Basis.of(graph, X, config.K)

    def features(self, inputs: Basis) -> Tensor:
        """What the trees see: x, then k = 1 .. K for every tau, each in the kept directions; in float64."""
        K, T, norm = self.config.K, inputs.T, inputs.norm
        columns = [self._projected(inputs.V[0] * norm.to(inputs.V.dtype))]
        for tau in self.config.taus:
            C = unibasis(T, norm, tau, self.h, K, scale="signal")
            columns += [self._projected(mix(inputs.V[: K + 1], c)) for c in C[1:]]
        return torch.cat(columns, dim=1)

    def _projected(self, Z: Tensor) -> Tensor:
        return Z.double() @ self.directions.double() if self.directions.shape[1] else Z.double()

    def solve(self, train: Any, val: Any) -> None:
        """Grow the trees; keep as many rounds as have the lowest loss on the validation rows."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        inputs, y, config = train.inputs, train.y, self.config
        d = inputs.norm.shape[0]
        if d > config.components:
            X = inputs.V[0].double() * inputs.norm
            self.directions = leading(X, config.components).to(self.directions)
        self.present = torch.unique(y)
        if self.present.numel() < 2:
            return
        grower = HistGradientBoostingClassifier(
            max_iter=config.rounds,
            learning_rate=config.learning_rate,
            l2_regularization=config.l2,
            max_leaf_nodes=config.leaves,
            min_samples_leaf=config.least,
            early_stopping=False,
            random_state=0,
        )
        F = self.features(inputs).cpu().numpy()
        # On few numbers threads gain nothing, and wait for each other for ever where cores are shared.
        with threadpool_limits(1 if F.size < THREADS_FROM else None, user_api="openmp"):
            grower.fit(F, y.cpu().numpy())
        self.forest.take(grower)
        if val.y.numel():
            steps = self.forest.stages(self.features(val.inputs))
            losses = [cross_entropy(self._logits(raw), val.y).item() for raw in steps]
            self.forest.cut(1 + int(np.argmin(losses)))

    def forward(self, inputs: Basis) -> Tensor:
        """Logits of the rows that the inputs hold; all 0 before anything was fitted."""
        if self.present.numel() < 2:
            raw = inputs.norm.new_zeros(inputs.n, self.present.numel())
        else:
            raw = self.forest(self.features(inputs))
        return self._logits(raw).to(inputs.V.dtype)

    def _logits(self, raw: Tensor) -> Tensor:
        """Of all classes, from the scores of those that training rows have; two of them share one score."""
        if self.present.numel() == 2 and raw.shape[1] == 1:
            raw = torch.cat([-raw / 2, raw / 2], dim=1)
        if not raw.shape[1]:
            return raw.new_zeros(raw.shape[0], self.classes)
        logits = (raw.amin(dim=1, keepdim=True) - ABSENT).repeat(1, self.classes)
        return logits.index_copy(1, self.present, raw)

    def learned(self) -> dict[str, float]:
        """Rounds that were kept."""
        return {"rounds": float(self.forest.roots.shape[0])}


class Forest(SizedByState):
    """Decision trees as arrays: a node sends a row to ``left`` if its feature is at most the threshold.

    All nodes of all trees stand in one list; ``roots`` (rounds, scores) says where each tree begins. A leaf
    sends every row to itself, so a walk of ``depth`` steps ends in a leaf for every row and tree.
    """

    sized: ClassVar[tuple[str, ...]] = ("roots", "start", "feature", "threshold", "left", "right", "value")
    roots: Tensor
    start: Tensor
    feature: Tensor
    threshold: Tensor
    left: Tensor
    right: Tensor
    value: Tensor
    depth: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("roots", torch.empty(0, 0, dtype=torch.int64))
        self.register_buffer("depth", torch.tensor(0))
        for name in ("start", "threshold", "value"):
            self.register_buffer(name, torch.empty(0, dtype=torch.float64))
        for name in ("feature", "left", "right"):
            self.register_buffer(name, torch.empty(0, dtype=torch.int64))

    def take(self, grower: Any) -> None:
        """Copy the trees of a fitted scikit-learn classifier."""
        trees = [tree.nodes for stage in grower._predictors for tree in stage]
        sizes = np.array([nodes.size for nodes in trees])
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        nodes, offset = np.concatenate(trees), np.repeat(first, sizes)
        leaf = nodes["is_leaf"].astype(bool)
        own = np.arange(nodes.size)
        found = {
            "roots": first.reshape(len(grower._predictors), -1),
            "start": np.ravel(grower._baseline_prediction),
            "feature": np.where(leaf, 0, nodes["feature_idx"]),
            "threshold": np.where(leaf, 0.0, nodes["num_threshold"]),
            "left": np.where(leaf, own, nodes["left"] + offset),
            "right": np.where(leaf, own, nodes["right"] + offset),
            "value": nodes["value"],
            "depth": np.array(nodes["depth"].max()),
        }
        for name, array in found.items():
            old = getattr(self, name)
            setattr(self, name, torch.from_numpy(np.asarray(array)).to(old.device, old.dtype))

    def cut(self, rounds: int) -> None:
        """Forget the trees after so many rounds."""
        kept = int(self.roots[rounds:].min()) if rounds < self.roots.shape[0] else self.value.shape[0]
        self.roots = self.roots[:rounds].clone()
        for name in ("feature", "threshold", "left", "right", "value"):
            setattr(self, name, getattr(self, name)[:kept].clone())

    def leaves(self, X: Tensor) -> Tensor:
        """Every tree's value for every row: (n, rounds, scores)."""
        node = self.roots.reshape(1, -1).expand(X.shape[0], -1)
        for _ in range(int(self.depth)):
            below = X.gather(1, self.feature[node]) <= self.threshold[node]
            node = torch.where(below, self.left[node], self.right[node])
        return self.value[node].reshape(X.shape[0], *self.roots.shape)

    def forward(self, X: Tensor) -> Tensor:
        """Scores, (n, d) to (n, scores); by blocks of rows, to bound the memory."""
        rows = max(1, ENTRIES // max(1, self.roots.numel()))
        return torch.cat([self.start + self.leaves(part).sum(dim=1) for part in torch.split(X, rows)])

    def stages(self, X: Tensor) -> Tensor:
        """Scores after every round: (rounds, n, scores)."""
        return (self.start + self.leaves(X).cumsum(dim=1)).transpose(0, 1)


def leading(X: Tensor, r: int) -> Tensor:
    """The r leading right singular vectors of X, (d, r), by the smaller of its two Gram matrices."""
    n, d = X.shape
    r = min(r, n, d)
    if d <= n:
        vectors: Tensor = torch.linalg.eigh(X.T @ X).eigenvectors[:, -r:]
        return vectors.flip(1)
    size, left = torch.linalg.eigh(X @ X.T)
    scale: Tensor = size[-r:].clamp_min(torch.finfo(X.dtype).tiny).sqrt()
    right: Tensor = X.T @ left[:, -r:] / scale
    return right.flip(1)

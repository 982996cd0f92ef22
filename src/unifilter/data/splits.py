"""Which nodes train, which choose, which judge.

Every function returns a :class:`Split`, whose name, seed and shares travel into every result: accuracies on
different kinds of splits do not compare. Unlabelled nodes (-1) are in no mask that is drawn; those that came
with the data may name some, of which nothing is learned and which are not scored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unifilter._checks import check_count, check_share, check_target
from unifilter._types import BoolArray, IntArray
from unifilter.data.dataset import Dataset

# The ten seeds of the paper's released code, for quota splits.
SEEDS = (
    1941488137,
    25190,
    983997847,
    12591,
    4019585660,
    2108550661,
    1648766618,
    329014539,
    3212139042,
    2424918363,
)


class Split(NamedTuple):
    """Three disjoint masks over the nodes, and where they come from."""

    train: BoolArray
    val: BoolArray
    test: BoolArray
    name: str
    seed: int | None = None

    @property
    def shares(self) -> tuple[float, float, float]:
        """The parts of all nodes that train, validate and test."""
        n = max(1, self.train.size)
        return (
            float(self.train.sum() / n),
            float(self.val.sum() / n),
            float(self.test.sum() / n),
        )


def quota(y: ArrayLike, train: float = 0.6, val: float = 0.2, seed: int = SEEDS[0]) -> Split:
    """The literature's "60/20/20": not stratified, but the same number of training nodes from every class.

    Each class gives round(train n / C) nodes to training, a smaller one all it has and none to validation and
    test; then round(val n) nodes at random validate and the rest are the test. Training is balanced and the
    test leans to large classes, so accuracies are higher than on a stratified split of the same shares: on
    Citeseer and Actor by 5 to 7 points. With the seeds in ``SEEDS`` these are the paper's ten splits, bit for
    bit.

    Examples
    --------
    >>> y = np.array([0] * 70 + [1] * 30)
    >>> split = quota(y)
    >>> np.bincount(y[split.train]), split.test.sum()
    (array([30, 30]), np.int64(20))
    """
    y = check_target(np.asarray(y), np.size(y))
    train, val = check_share(train, "train"), check_share(val, "val")
    known = np.flatnonzero(y >= 0)
    if not known.size:
        raise ValueError("a split needs labels, but every node is unlabelled.")
    per_class = round(train * known.size / (int(y.max()) + 1))
    draw = np.random.RandomState(seed)
    chosen = []
    for c in range(int(y.max()) + 1):
        members = np.flatnonzero(y == c)
        chosen.append(members if members.size < per_class else draw.choice(members, per_class, replace=False))
    training = np.concatenate(chosen)
    rest = np.setdiff1d(known, training)
    wanted = round(val * known.size)
    if wanted > rest.size:
        raise ValueError(
            f"the classes' quotas leave {rest.size} of {known.size} labelled nodes, too few for {wanted} "
            "validation nodes. Ask for smaller shares, or use splits.stratified."
        )
    validation = draw.choice(rest, wanted, replace=False)
    test = np.setdiff1d(rest, validation)
    return _split(y.size, training, validation, test, f"quota {train:g}/{val:g}", seed)


def random(y: ArrayLike, train: float = 0.6, val: float = 0.2, seed: int = 0) -> Split:
    """Random nodes, whatever their class: shares of all labelled nodes.

    Classes get their shares in the mean only; a small one may have no training node. This is how the authors
    of ASGC and WRGAT draw their masks.

    Examples
    --------
    >>> y = np.array([0] * 70 + [1] * 30)
    >>> split = random(y)
    >>> [int(part.sum()) for part in split[:3]], np.bincount(y[split.train])
    ([60, 20, 20], array([43, 17]))
    """
    y, train, val = _asked(y, train, val)
    nodes = np.random.default_rng(seed).permutation(np.flatnonzero(y >= 0))
    first = max(1, round(train * nodes.size))
    parts = np.split(nodes, [first, first + round(val * nodes.size)])
    return _split(y.size, parts[0], parts[1], parts[2], f"random {train:g}/{val:g}", seed)


def stratified(y: ArrayLike, train: float = 0.6, val: float = 0.2, seed: int = 0) -> Split:
    """Random nodes, every class with the same shares.

    A class of a single node goes to training; of two, to training and test. Of three or more, each part that
    has a share gets one at least: a class without a test node would be judged by nobody.

    Examples
    --------
    >>> y = np.array([0] * 70 + [1] * 30)
    >>> np.bincount(y[stratified(y).train])
    array([42, 18])
    """
    y, train, val = _asked(y, train, val)
    draw = np.random.default_rng(seed)
    parts: tuple[list[IntArray], ...] = ([], [], [])
    for c in np.unique(y[y >= 0]):
        members = draw.permutation(np.flatnonzero(y == c))
        ends = np.cumsum(_counts(members.size, train, val))
        for part, some in zip(parts, np.split(members, ends[:2]), strict=True):
            part.append(some)
    nodes = [np.concatenate(p) for p in parts]
    return _split(y.size, nodes[0], nodes[1], nodes[2], f"stratified {train:g}/{val:g}", seed)


def per_class(y: ArrayLike, k: int = 20, val: int = 500, test: int = 1000, seed: int = 0) -> Split:
    """K random training nodes from every class, then ``val`` and ``test`` random ones of the rest.

    Examples
    --------
    >>> y = np.arange(2000) % 4
    >>> np.bincount(y[per_class(y, k=5).train])
    array([5, 5, 5, 5])
    """
    y = check_target(np.asarray(y), np.size(y))
    k, val, test = check_count(k, "k"), check_count(val, "val"), check_count(test, "test")
    draw = np.random.default_rng(seed)
    few = [(c, int((y == c).sum())) for c in np.unique(y[y >= 0]) if (y == c).sum() < k]
    if few:
        raise ValueError(
            f"class {few[0][0]} has {few[0][1]} labelled nodes, so it cannot give {k} to training."
        )
    training = np.concatenate(
        [draw.choice(np.flatnonzero(y == c), k, replace=False) for c in np.unique(y[y >= 0])]
    )
    rest = draw.permutation(np.setdiff1d(np.flatnonzero(y >= 0), training))
    if rest.size < val + test:
        raise ValueError(
            f"{rest.size} labelled nodes are left for {val} validation and {test} test nodes. Ask for fewer."
        )
    return _split(y.size, training, rest[:val], rest[val : val + test], f"per_class {k}", seed)


def fixed(dataset: Dataset, i: int = 0) -> Split:
    """The i-th of the splits that were published with the graph, for the paper's graphs ten of 48/32/20.

    Geom-GCN's file names say 60/20/20. Some nodes may be in no mask: ``dataset.unassigned``.
    """
    return _stored(dataset, "fixed", i)


def public(dataset: Dataset) -> Split:
    """Planetoid's split: 20 training nodes a class, 500 to validate, 1000 to test."""
    return _stored(dataset, "public", 0)


def column(dataset: Dataset) -> Split:
    """Who trains, validates and tests by a column of the node table: ``read_tables(..., split=...)``."""
    return _stored(dataset, "column", 0)


def disjoint(split: Split) -> Split:
    """The split, if no node is in two parts: one that was trained on is judged by what it was told."""
    train, val, test = (np.asarray(mask) for mask in split[:3])
    shared = np.flatnonzero((train & val) | (train & test) | (val & test))
    if shared.size:
        raise ValueError(
            f"the parts of a split have no node in common, but those of {split.name!r} share {shared.size} "
            f"(first: node {shared[0]}). Mend the masks, or draw a split of your own."
        )
    return split


def _asked(y: ArrayLike, train: float, val: float) -> tuple[IntArray, float, float]:
    y = check_target(np.asarray(y), np.size(y))
    train, val = check_share(train, "train"), check_share(val, "val")
    if train + val > 1 + 1e-9:
        raise ValueError(f"train and val are shares of the whole, but {train:g} and {val:g} are too much.")
    if not (y >= 0).any():
        raise ValueError("a split needs labels, but every node is unlabelled.")
    return y, train, val


def _counts(size: int, train: float, val: float) -> list[int]:
    """How many of a class's nodes train, validate and test; rounding leaves no part empty that can have one.

    Examples
    --------
    >>> _counts(10, 0.6, 0.2), _counts(3, 0.6, 0.2), _counts(2, 0.6, 0.2)
    ([6, 2, 2], [1, 1, 1], [1, 0, 1])
    """
    first = max(1, round(train * size))
    second = min(round(val * size), size - first)
    counts = [first, second, size - first - second]
    if size >= len(counts) and min(train, val, 1 - train - val) > 1e-9:
        while 0 in counts:
            counts[counts.index(max(counts))] -= 1
            counts[counts.index(0)] += 1
    return counts


def _stored(dataset: Dataset, kind: str, i: int) -> Split:
    masks = [dataset.masks.get(f"{kind}_{part}") for part in ("train", "val", "test")]
    if any(m is None for m in masks):
        has = sorted({name.split("_")[0] for name in dataset.masks})
        raise ValueError(
            f"{dataset.name} has no {kind} split; it comes with {', '.join(has) or 'none'}. "
            "splits.quota, splits.stratified and splits.random draw one."
        )
    parts = [np.asarray(m) for m in masks]
    count = len(parts[0])
    if not 0 <= i < count:
        raise ValueError(f"{dataset.name} has {kind} splits 0 to {count - 1}, but {i} was asked for.")
    train, val, test = (part[i] for part in parts)
    return disjoint(Split(train, val, test, f"{kind}:{i}" if count > 1 else kind))


def _split(n: int, train: IntArray, val: IntArray, test: IntArray, name: str, seed: int | None) -> Split:
    masks = []
    for nodes in (train, val, test):
        mask = np.zeros(n, bool)
        mask[nodes] = True
        masks.append(mask)
    return Split(masks[0], masks[1], masks[2], name, seed)

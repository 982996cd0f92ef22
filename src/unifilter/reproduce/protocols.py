"""Which splits a job is trained on, and under which names their Records are found again without the graph."""

from __future__ import annotations

import numpy as np

from unifilter.data import splits
from unifilter.data.dataset import Dataset
from unifilter.data.splits import SEEDS, Split
from unifilter.train.entries import Trial

# Train and validation shares. "quota48" is the other reading of the paper's 48/32/20.
SHARES = {
    "quota": (0.6, 0.2),
    "quota48": (0.48, 0.32),
    "fixed": (0.48, 0.32),
    "stratified": (0.6, 0.2),
    "random": (0.6, 0.2),
}


def parse(protocol: str) -> tuple[str, int]:
    """Kind and number of splits.

    Examples
    --------
    >>> parse("quota48:10")
    ('quota48', 10)
    """
    kind, _, count = protocol.partition(":")
    if kind not in SHARES or not count.isdecimal() or not 1 <= int(count) <= len(SEEDS):
        raise ValueError(
            f"a protocol is one of {', '.join(SHARES)} and a number of splits from 1 to {len(SEEDS)}, as in "
            f"quota:10, but {protocol!r} came."
        )
    return kind, int(count)


def overlap(protocol: str) -> float:
    """Test nodes by training nodes, by which tests of gains allow for training sets that overlap.

    Examples
    --------
    >>> round(overlap("quota:10"), 4), round(overlap("fixed:10"), 4)
    (0.3333, 0.4167)
    """
    train, val = SHARES[parse(protocol)[0]]
    return (1 - train - val) / train


def trials(dataset: Dataset, protocol: str) -> list[Trial]:
    """The splits; where none came with the graph, "fixed" means stratified ones of the same shares.

    Examples
    --------
    >>> from unifilter.data import load
    >>> [t.split.name for t in trials(load("sbm:n=100"), "fixed:2")]
    ['stratified 0.48/0.32', 'stratified 0.48/0.32']
    """
    kind, count = parse(protocol)
    train, val = SHARES[kind]
    if kind == "fixed" and "fixed_train" in dataset.masks:
        return [Trial(splits.fixed(dataset, i)) for i in range(count)]
    if kind.startswith("quota"):
        return [Trial(splits.quota(dataset.y, train, val, seed)) for seed in SEEDS[:count]]
    if kind == "random":
        return [Trial(splits.random(dataset.y, train, val, seed)) for seed in range(count)]
    return [Trial(splits.stratified(dataset.y, train, val, seed)) for seed in range(count)]


def names(dataset: str, protocol: str) -> list[Split]:
    """The same splits by name and seed alone, with no node in them: enough to find their Records.

    Examples
    --------
    >>> [(s.name, s.seed) for s in names("cora", "quota:1")], names("cora", "fixed:2")[1].name
    ([('quota 0.6/0.2', 1941488137)], 'fixed:1')
    """
    kind, count = parse(protocol)
    train, val = SHARES[kind]
    if kind == "fixed" and ":" not in dataset and dataset != "digits":
        return [_empty(f"fixed:{i}", None) for i in range(count)]
    if kind.startswith("quota"):
        return [_empty(f"quota {train:g}/{val:g}", seed) for seed in SEEDS[:count]]
    word = "random" if kind == "random" else "stratified"
    return [_empty(f"{word} {train:g}/{val:g}", seed) for seed in range(count)]


def _empty(name: str, seed: int | None) -> Split:
    nobody = np.zeros(0, bool)
    return Split(nobody, nobody, nobody, name, seed)

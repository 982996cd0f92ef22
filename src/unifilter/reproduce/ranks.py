"""Many models on several graphs: mean ranks, and from which distance on they tell models apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from unifilter._types import FloatArray

LEVEL = 0.05


def mean_ranks(scores: ArrayLike) -> FloatArray:
    """Mean rank of every column over the rows, 1 for the highest score; ties share their ranks.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.8, 0.7], [0.9, 0.9, 0.7]])
    array([1.25, 1.75, 3.  ])
    """
    found: FloatArray = stats.rankdata(-np.asarray(scores, np.float64), axis=1).mean(axis=0)
    return found


def friedman(scores: ArrayLike) -> float:
    r"""P-value of Friedman's test that all columns are alike.

    .. math:: \chi^2 = \frac{12 N}{k (k + 1)} \sum_j \Bigl(\bar r_j - \frac{k + 1}{2}\Bigr)^2

    Examples
    --------
    >>> round(friedman([[3, 2, 1], [3, 2, 1], [3, 2, 1], [3, 2, 1]]), 4)
    0.0183
    """
    x = np.asarray(scores, np.float64)
    N, k = x.shape
    chi = 12 * N / (k * (k + 1)) * float(((mean_ranks(x) - (k + 1) / 2) ** 2).sum())
    return float(stats.chi2.sf(chi, k - 1))


def critical_difference(k: int, N: int, level: float = LEVEL) -> float:
    r"""Nemenyi's distance of mean ranks of k models over N graphs.

    .. math:: q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    Examples
    --------
    >>> round(critical_difference(k=4, N=14), 2)
    1.25
    """
    q = stats.studentized_range.ppf(1 - level, k, math.inf) / math.sqrt(2)
    return float(q * math.sqrt(k * (k + 1) / (6 * N)))


def cliques(ranks: Sequence[float], distance: float) -> list[list[int]]:
    """Largest groups of models whose ranks lie within the distance, best first; of two or more.

    Examples
    --------
    >>> cliques([1.0, 1.5, 2.5, 4.0], distance=1.2)
    [[0, 1], [1, 2]]
    """
    order = sorted(range(len(ranks)), key=lambda i: ranks[i])
    found: list[list[int]] = []
    for start in range(len(order)):
        group = [i for i in order[start:] if ranks[i] - ranks[order[start]] <= distance]
        if len(group) > 1 and not any(set(group) <= set(g) for g in found):
            found.append(group)
    return found

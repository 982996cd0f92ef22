"""Errata of formulas and hypotheses that a computation by hand tells: no graph of the paper is needed."""

from __future__ import annotations

from math import comb

import numpy as np

from unifilter._types import FloatArray
from unifilter.reproduce.part import Scale
from unifilter.reproduce.results import Results

HOPS = 100


def bernstein_weights(results: Results, scale: Scale) -> str:
    """Weights of powers of P = I - L/2 that are to be BernNet's filter, at its simplest."""
    first = [1.0, 0.0, 0.0]
    theirs, ours = (_listed(powers(first, printed=p)) for p in (True, False))
    return (
        f"With K = 2 and w' = (1, 0, 0) the filter is P², whose weights are (0, 0, 1). The printed sum has "
        f"w' with the index k - i and gives {theirs}, which is (I + P)²; with K - i it gives {ours}."
    )


def powers(first: list[float], printed: bool = False) -> list[float]:
    r"""Weights of :math:`P^k`, from those of Bernstein's polynomials, as printed or as they must be.

    .. math:: w_k = \sum_{i \le k} w'_{K-i} \binom{K}{K-i} \binom{K-i}{k-i} (-1)^{k-i}

    Examples
    --------
    >>> powers([1, 1, 1]), powers([0, 0, 1])
    ([1.0, 0.0, 0.0], [1.0, -2.0, 1.0])
    """
    K = len(first) - 1

    def term(k: int, i: int) -> float:
        return first[(k if printed else K) - i] * comb(K, K - i) * comb(K - i, k - i) * (-1.0) ** (k - i)

    return [sum(term(k, i) for i in range(k + 1)) for k in range(K + 1)]


def angles_that_stay(results: Results, scale: Scale) -> str:
    """Angles of neighbouring powers where a hypothesis of Theorem 2 fails."""
    complete, path = 1 - np.eye(4), np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    apart = angle(complete, np.array([1.0, -1.0, 0.0, 0.0]))
    halves = angle(path, np.array([1.0, 0.0, 0.0, 0.0]))
    return (
        f"After {HOPS} hops neighbouring powers meet at {halves:.0f} degrees on a path of 4 nodes (the proof "
        "leaves bipartite graphs out, the theorem does not). On 4 nodes that are all joined those of (1, -1, "
        f"0, 0), which has no share of D^1/2 1, meet at {apart:.0f} degrees; nothing leaves that out. On a "
        "connected graph features that are nowhere negative have a share."
    )


def angle(A: FloatArray, x: FloatArray) -> float:
    """Degrees between P^k x and P^{k+1} x after many hops.

    Examples
    --------
    >>> round(angle(np.ones((3, 3)) - np.eye(3), np.array([1.0, 0.0, 0.0])), 6)
    0.0
    """
    d = 1 / np.sqrt(A.sum(axis=0))
    P = d[:, None] * A * d
    for _ in range(HOPS):
        x = P @ x
        x = x / np.linalg.norm(x)
    y = P @ x
    y = y / np.linalg.norm(y)
    half = np.arctan2(np.linalg.norm(x - y), np.linalg.norm(x + y))  # arccos loses half the digits
    return float(np.degrees(2 * half))


def _listed(numbers: list[float]) -> str:
    return f"({', '.join(f'{n:g}' for n in numbers)})"

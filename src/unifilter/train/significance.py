"""What a handful of splits can tell: intervals, paired tests, and a correction for many of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit  # Student's t; scipy.stats takes a second to load


def interval(values: ArrayLike, overlap: float = 0.0) -> float | None:
    r"""Half of the 95% interval of a mean over r splits, by Student's t; None for a single value.

    .. math:: t_{0.975,\, r-1}\; s \sqrt{\frac{1}{r} + \mathrm{overlap}}

    ``overlap`` as in :func:`paired`.

    Examples
    --------
    >>> round(interval([0.0, 1.0]), 3)
    6.353
    """
    x = np.asarray(values, np.float64)
    if x.size < 2:
        return None
    return float(stdtrit(x.size - 1, 0.975) * x.std(ddof=1) * math.sqrt(1 / x.size + overlap))


def paired(a: ArrayLike, b: ArrayLike, overlap: float = 0.0) -> float:
    r"""P-value of a paired t-test of equal means over r splits, two-sided; 1 where nothing can be told.

    .. math:: t = \frac{\bar d}{s \sqrt{1/r + \mathrm{overlap}}}, \quad d = a - b

    With ``overlap`` = 0 it is the plain paired t-test: training sets of different splits overlap, so that its
    p is smaller than it should be. With ``overlap`` = test nodes / training nodes it is the corrected
    resampled t-test of Nadeau and Bengio, Inference for the Generalization Error, 2003. Nothing can be told
    of a single split, nor of differences that are all the same.

    Examples
    --------
    >>> paired([0.7, 0.8], [0.7, 0.8])
    1.0
    >>> a, b = [0.8, 0.9, 0.9], [0.7, 0.8, 0.7]
    >>> round(paired(a, b), 3), round(paired(a, b, overlap=0.2 / 0.6), 3)
    (0.057, 0.106)
    """
    difference = np.asarray(a, np.float64) - np.asarray(b, np.float64)
    if difference.size < 2:
        return 1.0
    # Without spread there is no scale to measure the mean by: equal gaps are the grain of accuracies (whole
    # nodes) or chance, not certainty. Rounding of a subtraction is no spread either.
    grain = 4 * np.finfo(np.float64).eps * max(np.abs(a).max(), np.abs(b).max())
    spread = difference.std(ddof=1)
    if spread <= grain:
        return 1.0
    t = abs(difference.mean()) / (spread * math.sqrt(1 / difference.size + overlap))
    return float(2 * stdtr(difference.size - 1, -t))


def holm(p: Sequence[float]) -> list[float]:
    r"""Holm's correction for several tests at once, in the order given.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\bigl(1,\; (m - j + 1)\, p_{(j)}\bigr)

    Examples
    --------
    >>> holm([0.5, 0.25, 0.125])
    [0.5, 0.5, 0.375]
    """
    corrected, least = [0.0] * len(p), 0.0
    for place, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        least = max(least, min(1.0, (len(p) - place) * p[i]))
        corrected[i] = least
    return corrected

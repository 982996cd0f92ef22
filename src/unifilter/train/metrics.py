"""Scores of predicted probabilities."""

from __future__ import annotations

import numpy as np

from unifilter._types import BoolArray, FloatArray, IntArray


def scores(p: FloatArray, y: IntArray, mask: BoolArray) -> dict[str, float]:
    """All scores on the labelled nodes of a mask; an empty dict if there are none.

    ``accuracy``, ``macro_f1`` (mean over the classes present), ``log_loss``, ``ece`` (calibration error), and
    for two classes ``roc_auc`` and ``average_precision``, where both are present. The latter is of the rarer
    class, the one that is searched for: of the larger one it is near 1 whatever the model.

    A row of NaN, as a model that diverged gives it, names no class: its guess is wrong, ``log_loss`` and
    ``ece`` are NaN, and there is no ranking.

    Examples
    --------
    >>> p = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> found = scores(p, np.array([0, 1, 0]), np.ones(3, bool))
    >>> round(found["accuracy"], 3), found["roc_auc"]
    (0.667, 1.0)
    """
    from sklearn import metrics

    use = np.asarray(mask) & (np.asarray(y) >= 0)
    if not use.any():
        return {}
    p, y = np.asarray(p, np.float64)[use], np.asarray(y)[use]
    told = ~np.isnan(p).any(axis=1)
    guess = np.where(told, p.argmax(axis=1), -1)
    found = {
        "accuracy": float((guess == y).mean()),
        "macro_f1": float(metrics.f1_score(y, guess, average="macro", labels=np.unique(y), zero_division=0)),
        "log_loss": float(-np.log(np.clip(p[np.arange(y.size), y], 1e-15, None)).mean()),
        "ece": expected_calibration_error(p, y),
    }
    if p.shape[1] == 2 and np.unique(y).size == 2 and told.all():
        found["roc_auc"] = float(metrics.roc_auc_score(y, p[:, 1]))
        rare = int(2 * y.sum() <= y.size)
        found["average_precision"] = float(metrics.average_precision_score(y == rare, p[:, rare]))
    return found


def expected_calibration_error(p: FloatArray, y: IntArray, bins: int = 15) -> float:
    r"""How far confidence is from accuracy, over bins of equal width.

    .. math:: \mathrm{ECE} = \sum_b \frac{|b|}{n} \,\bigl|\mathrm{acc}(b) - \mathrm{conf}(b)\bigr|

    Examples
    --------
    >>> expected_calibration_error(np.array([[0.75, 0.25]] * 4), np.array([0, 0, 0, 1]))
    0.0
    """
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    if np.isnan(confidence).any():
        return float("nan")
    place = np.clip((confidence * bins).astype(int), 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    gap = np.bincount(place, right.astype(float), bins) - np.bincount(place, confidence, bins)
    return float(np.abs(gap).sum() / max(1, count.sum()))

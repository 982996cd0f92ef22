"""Probabilities and labels to the numbers that the report shows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unifilter._types import BoolArray, FloatArray, IntArray


class Reliability(NamedTuple):
    """Mean confidence, share of right predictions and number of nodes, of every bin that is not empty."""

    confidence: FloatArray
    accuracy: FloatArray
    nodes: IntArray


def confusion_counts(p: FloatArray, y: IntArray) -> IntArray:
    """How many nodes of every true class (rows) are predicted as every class (columns).

    Examples
    --------
    >>> confusion_counts(np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]]), np.array([0, 0, 1]))
    array([[1, 1],
           [0, 1]])
    """
    classes = p.shape[1]
    pairs = y.astype(np.int64) * classes + p.argmax(axis=1)
    return np.asarray(np.bincount(pairs, minlength=classes**2).reshape(classes, classes))


def class_scores(counts: IntArray) -> dict[str, list[float]]:
    """Precision, recall and F1 of every class of a confusion matrix.

    NaN where there is nothing to say: no precision of a class that is never predicted, and neither recall nor
    F1 of a class without a node.

    Examples
    --------
    >>> class_scores(np.array([[1, 1], [0, 1]]))["precision"]
    [1.0, 0.5]
    """
    right = np.diag(counts).astype(np.float64)
    predicted, true = counts.sum(axis=0), counts.sum(axis=1)
    seen = true > 0
    return {
        "precision": np.where(predicted > 0, right / np.maximum(1, predicted), np.nan).tolist(),
        "recall": np.where(seen, right / np.maximum(1, true), np.nan).tolist(),
        "F1": np.where(seen, 2 * right / np.maximum(1, predicted + true), np.nan).tolist(),
    }


def reliability(p: FloatArray, y: IntArray, bins: int = 15) -> Reliability:
    """Confidence (the largest probability) against accuracy, in bins of equal width: those of the records.

    Examples
    --------
    >>> found = reliability(np.array([[0.75, 0.25]] * 4), np.array([0, 0, 0, 1]))
    >>> found.confidence, found.accuracy, found.nodes
    (array([0.75]), array([0.75]), array([4]))
    """
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    place = np.clip((confidence * bins).astype(int), 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    used = count > 0
    sure, accurate = (np.bincount(place, values, bins)[used] for values in (confidence, right))
    return Reliability(sure / count[used], accurate / count[used], count[used])


def most_uncertain(p: FloatArray, candidates: BoolArray, most: int = 20) -> IntArray:
    """Candidates whose largest probability is smallest, the most uncertain first; ties in order of the nodes.

    Examples
    --------
    >>> most_uncertain(np.array([[0.9, 0.1], [0.5, 0.5], [0.4, 0.6]]), np.array([True, True, True]), 2)
    array([1, 2])
    """
    nodes = np.flatnonzero(candidates)
    return np.asarray(nodes[np.argsort(p[nodes].max(axis=1), kind="stable")[:most]])

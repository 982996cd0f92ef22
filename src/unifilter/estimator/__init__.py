"""scikit-learn's door: classifiers and a transformer that take a graph beside X, or build one.

Loaded on first use, since scikit-learn is.
"""

from unifilter.estimator.classifier import GraphClassifier, UniFilterClassifier
from unifilter.estimator.transformer import UniBasisTransformer

__all__ = ["GraphClassifier", "UniBasisTransformer", "UniFilterClassifier"]

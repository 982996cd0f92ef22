"""Graph learning on any graph: one propagation serves every polynomial filter."""

from typing import TYPE_CHECKING, Any

from unifilter import bases
from unifilter.data import Dataset, load, read_tables, splits
from unifilter.graph import Graph, Propagation, propagation
from unifilter.graph.homophily import (
    adjusted_homophily,
    class_homophily,
    edge_homophily,
    estimate_homophily,
    label_informativeness,
    node_homophily,
)
from unifilter.krylov import Krylov, Tridiagonal, frequency, lanczos, mix, signal_frequency

if TYPE_CHECKING:
    from unifilter.analysis import Analysis, analyze
    from unifilter.conv import UniConv
    from unifilter.estimator import GraphClassifier, UniBasisTransformer, UniFilterClassifier
    from unifilter.models.unifilter import UniFilter
    from unifilter.train import Training, run
    from unifilter.trained import Trained

__version__ = "0.1.0"

# These bring scikit-learn or the training loop along: they load when they are asked for.
_LATER = {
    "Analysis": "analysis",
    "GraphClassifier": "estimator",
    "Trained": "trained",
    "Training": "train",
    "UniBasisTransformer": "estimator",
    "UniConv": "conv",
    "UniFilter": "models.unifilter",
    "UniFilterClassifier": "estimator",
    "analyze": "analysis",
    "run": "train",
}

__all__ = [
    "Analysis",
    "Dataset",
    "Graph",
    "GraphClassifier",
    "Krylov",
    "Propagation",
    "Trained",
    "Training",
    "Tridiagonal",
    "UniBasisTransformer",
    "UniConv",
    "UniFilter",
    "UniFilterClassifier",
    "adjusted_homophily",
    "analyze",
    "bases",
    "class_homophily",
    "edge_homophily",
    "estimate_homophily",
    "frequency",
    "label_informativeness",
    "lanczos",
    "load",
    "mix",
    "node_homophily",
    "propagation",
    "read_tables",
    "run",
    "signal_frequency",
    "splits",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'unifilter' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"unifilter.{_LATER[name]}"), name)

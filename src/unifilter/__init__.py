"""Graph learning on any graph: one propagation serves every polynomial filter."""

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

__version__ = "0.1.0"

__all__ = [
    "Dataset",
    "Graph",
    "Krylov",
    "Propagation",
    "Tridiagonal",
    "adjusted_homophily",
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
    "signal_frequency",
    "splits",
]

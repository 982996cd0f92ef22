"""What a graph is, and its P."""

from unifilter.graph.graph import Graph
from unifilter.graph.propagation import Propagation, propagation

__all__ = ["Graph", "Propagation", "propagation"]

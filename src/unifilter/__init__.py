"""Graph learning on any graph: one propagation serves every polynomial filter."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unifilter import bases
    from unifilter.analysis import Analysis, analyze
    from unifilter.conv import UniConv
    from unifilter.data import Dataset, load, read_tables, splits
    from unifilter.estimator import GraphClassifier, UniBasisTransformer, UniFilterClassifier
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
    from unifilter.models.unifilter import UniFilter
    from unifilter.train import Training, run
    from unifilter.trained import Trained

__version__ = "0.1.0"

# Every name loads its room when it is asked for, and so does a room: SciPy alone takes a quarter of a second.
_ROOMS: dict[str, tuple[str, ...]] = {
    "analysis": ("Analysis", "analyze"),
    "bases": (),
    "conv": ("UniConv",),
    "data": ("Dataset", "load", "read_tables", "splits"),
    "estimator": ("GraphClassifier", "UniBasisTransformer", "UniFilterClassifier"),
    "graph": ("Graph", "Propagation", "propagation"),
    "graph.homophily": (
        "adjusted_homophily",
        "class_homophily",
        "edge_homophily",
        "estimate_homophily",
        "label_informativeness",
        "node_homophily",
    ),
    "kernels": (),
    "krylov": ("Krylov", "Tridiagonal", "frequency", "lanczos", "mix", "signal_frequency"),
    "models.unifilter": ("UniFilter",),
    "train": ("Training", "run"),
    "trained": ("Trained",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

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


if not TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name in _ROOM_OF:
            found = globals()[name] = getattr(import_module(f"unifilter.{_ROOM_OF[name]}"), name)
            return found
        if name in {room.split(".")[0] for room in _ROOMS}:
            return import_module(f"unifilter.{name}")
        raise AttributeError(f"module 'unifilter' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

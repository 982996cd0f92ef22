"""Datasets that need no download."""

from __future__ import annotations

import numpy as np

from unifilter.data.dataset import Dataset
from unifilter.graph import Graph
from unifilter.graph.synthetic import block_model

NAMES = ("digits", "sbm")
_ARGUMENTS = {
    "h": float,
    "n": int,
    "classes": int,
    "degree": float,
    "power": float,
    "d": int,
    "signal": float,
    "seed": int,
}


def is_embedded(name: str) -> bool:
    """Whether a name is that of an embedded dataset, with or without arguments."""
    return name.split(":")[0] in NAMES


def build(name: str) -> Dataset:
    """Make an embedded dataset.

    Examples
    --------
    >>> build("sbm:h=0.9,n=200,classes=4")
    Dataset(sbm:h=0.9,n=200,classes=4: n=200, m=1000, d=16, classes=4)
    """
    kind, _, arguments = name.partition(":")
    return digits() if kind == "digits" else _block_model(name, arguments)


def digits(neighbours: int = 8) -> Dataset:
    """scikit-learn's 1797 digits of 8 x 8 pixels, joined to their nearest neighbours."""
    from sklearn.datasets import load_digits

    data = load_digits()
    # Whole numbers, so that equal distances are equal on every machine and go to the smaller node number.
    pixels = data.data.astype(np.int32)
    squares = (pixels**2).sum(axis=1)
    distance = squares[:, None] + squares[None, :] - 2 * pixels @ pixels.T
    np.fill_diagonal(distance, np.iinfo(np.int32).max)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :neighbours]
    graph = Graph.from_edges(np.stack([np.repeat(np.arange(squares.size), neighbours), nearest.ravel()]))
    about = {"source": "scikit-learn", "licence": "BSD-3-Clause", "citation": "Alpaydin, Kaynak: UCI, 1998"}
    return Dataset(graph, data.data / 16, data.target, "digits", about=about)


def _block_model(name: str, arguments: str) -> Dataset:
    given: dict[str, float] = {}
    for part in filter(None, arguments.split(",")):
        key, _, value = part.partition("=")
        try:
            given[key.strip()] = _ARGUMENTS[key.strip()](value)
        except (KeyError, ValueError):
            raise ValueError(
                f"{name!r} has {part!r}, which is no argument of a block model. Those are "
                f"{', '.join(_ARGUMENTS)}, as in sbm:h=0.15,n=2000."
            ) from None
    seed = int(given.pop("seed", 0))
    n, h = int(given.pop("n", 2000)), given.pop("h", 0.15)
    sample = block_model(n, h, generator=np.random.default_rng(seed), **given)  # type: ignore[arg-type]
    return Dataset(*sample, name, about={"source": "unifilter.graph.synthetic.block_model"})

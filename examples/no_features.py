"""Nodes without features: random signals take their place, and the filter learns who is near whom.

Label propagation needs neighbours that agree; LINKX has a parameter for every node, so that new nodes are
strange to it. Signals need neither.
"""

import numpy as np

from unifilter import Dataset, Graph, Training, run, splits
from unifilter.data import with_signals

rng = np.random.default_rng(0)
n, classes, arcs = 2000, 5, 20_000
y = np.arange(n) % classes


def graph_of(h: float) -> Graph:
    """A share h of the edges joins equals, the others a class and the next one, in a circle."""
    u = rng.integers(0, n, arcs)
    kind = np.where(rng.random(arcs) < h, y[u], (y[u] + 1) % classes)
    return Graph.from_edges(np.stack([u, classes * rng.integers(0, n // classes, arcs) + kind]), n=n)


print("test accuracy            neighbours agree    neighbours differ")
found: dict[str, list[float]] = {"label propagation": [], "LINKX": [], "UniFilter on signals": []}
for h in (0.8, 0.05):
    bare = Dataset(graph_of(h), np.empty((n, 0), np.float32), y)
    split = splits.stratified(y, train=0.2, val=0.2)
    settings = {"K": 6, "hidden": 64}
    runs = {
        "label propagation": run(bare, split, "labelpropagation"),
        "LINKX": run(bare, split, "linkx", training=Training(epochs=100)),
        "UniFilter on signals": run(with_signals(bare), split, "unifilter", settings, Training(epochs=100)),
    }
    for name, result in runs.items():
        found[name].append(result.record.scores["test"]["accuracy"])
for name, (agree, differ) in found.items():
    print(f"{name:<24} {agree:>16.1%} {differ:>20.1%}")

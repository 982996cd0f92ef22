"""Graphs by name: those of the library, without their features, and the paper's synthetic graph G_s."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from unifilter import data
from unifilter.data import embedded
from unifilter.data.benchmarks import cached, mirror
from unifilter.data.catalog import CATALOG
from unifilter.data.dataset import Dataset
from unifilter.data.signals import with_signals
from unifilter.graph.synthetic import relabelled

GS_SEED = 0
STRIPPED = ("bare:", "signals:")


@lru_cache(maxsize=8)
def load(name: str) -> Dataset:
    """A graph of ``unifilter datasets``, an embedded one, or one that is made of NAME.

    "gs:H:NAME" is G_s of homophily H; "bare:NAME" has no features, "signals:NAME" random ones.

    Examples
    --------
    >>> load("gs:0.3:sbm:n=200,h=0.8")
    Dataset(gs:0.3:sbm:n=200,h=0.8: n=200, m=1000, d=100, classes=5)
    """
    if name.startswith("gs:"):
        _, h, base = name.split(":", 2)
        return _synthetic(name, float(h), load(base))
    if name.startswith(STRIPPED):
        kind, base = name.split(":", 1)
        return _stripped(load(base), name, kind == "signals")
    return embedded.build(name) if embedded.is_embedded(name) else data.load(name)


def at_hand(name: str) -> bool:
    """Whether a graph can be loaded without a network.

    Examples
    --------
    >>> at_hand("sbm:n=100")
    True
    """
    for prefix, colons in (("gs:", 2), *((kind, 1) for kind in STRIPPED)):
        if name.startswith(prefix):
            return at_hand(name.split(":", colons)[-1])
    if embedded.is_embedded(name) or (cached(name) / "meta.json").is_file():
        return True
    raw = mirror()
    return raw is not None and name in CATALOG and any((raw / f).is_dir() for f in CATALOG[name].folders)


def _stripped(base: Dataset, name: str, signals: bool) -> Dataset:
    about = {key: value for key, value in base.about.items() if key != "checksum"}
    bare = replace(base, X=np.empty((base.n, 0), np.float32), columns=(), name=name, about=about)
    return with_signals(bare) if signals else bare


def _synthetic(name: str, h: float, base: Dataset) -> Dataset:
    """Labels of the base reassigned until the homophily is h; that of the base itself reassigns none."""
    u, v = base.graph.edges()
    own = float((base.y[u] == base.y[v]).mean())
    generator = np.random.default_rng(GS_SEED)
    graph, X, y = relabelled(base.graph, base.y, min(h, own), generator=generator)
    return Dataset(graph, X, y, name, about={"source": f"labels of {base.name} reassigned, random features"})

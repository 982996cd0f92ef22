"""What a job costs, roughly: cheap ones come first, and the time left can be told."""

from __future__ import annotations

from unifilter.data.catalog import CATALOG
from unifilter.models import model_class
from unifilter.reproduce.part import Auto, Job, Searched
from unifilter.reproduce.protocols import parse
from unifilter.train.entries import Entry

HEAVY = {"specformer": 4, "wrgat": 4, "orderedgnn": 3, "glognn": 3, "gat": 2, "asgc": 5}
HALVED = 0.2  # part of a full training that the settings of a search get in the mean


def cost(job: Job, entry: Entry | None = None, epochs: int | None = None) -> float:
    """Milliseconds on a GPU: small kernels cost their launch, so depth counts before size.

    Parameters
    ----------
    job : Job
    entry : Entry, optional
        Its setting, once that is known.
    epochs : int, optional
        A limit below what settings ask for.

    Examples
    --------
    >>> from unifilter.reproduce.part import Published
    >>> cost(Job("", "cora", "quota:2", Auto())) < cost(Job("", "cora", "quota:10", Auto()))
    True
    """
    splits = parse(job.protocol)[1]
    if isinstance(job.how, Auto):
        return splits * min(20e3, 30.0 * (epochs or 1000))
    known = entry or Entry(job.model)
    run = _run(known, job.dataset, epochs)
    once = splits * len(known.candidates()) * run
    if entry is None and isinstance(job.how, Searched):
        return once + job.how.settings * splits * HALVED * run
    return once


def _run(entry: Entry, dataset: str, limit: int | None) -> float:
    cls = model_class(entry.model)
    graph = CATALOG.get(dataset)
    nodes, edges = (graph.nodes, graph.edges) if graph else (2000, 10000)
    products = 0 if cls.card.propagates in ("X, once", "nothing") else 1
    depth = 2 + entry.options.get("layers", 2) + products * entry.options.get("K", 2)
    size = 1 + nodes * entry.options.get("hidden", 64) / 2e6 + products * edges / 5e5
    solved = hasattr(cls, "solve") and not products
    epochs = 500 if solved else min(entry.training.epochs, 200 + 2 * entry.training.patience)
    epochs = min(epochs, limit or epochs)
    return float(HEAVY.get(entry.model, 1) * size * depth * epochs)

"""What the paper's spectrum figure shows in the place of f: the sum over edges of its proofs.

    sum over edges of (x_u - x_v)^2 / sum over nodes of d_u x_u^2 = 2 f(D^1/2 x)

f by the paper's definition is x'Lx / (2 x'x), in which the differences are those of D^-1/2 x. Self-loops of
the data count in D and in P for the graphs on which the authors' loader keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unifilter._types import Matmul
from unifilter.bases import released
from unifilter.data.dataset import Dataset
from unifilter.krylov import lanczos
from unifilter.models._operators import from_arcs, smoothing
from unifilter.reproduce.part import Measure, Scale
from unifilter.reproduce.protocols import trials
from unifilter.train.run import pick_device, training_homophily

K = 10
COLUMNS = 256  # factorised at a time
LOOPS = ("actor", "chameleon", "squirrel")  # the others come without, from PyTorch Geometric's loader


def measure(graph: str, tau: float, preprocess: str, scale: Scale) -> Measure:
    """Of the released basis on a graph."""
    what = {"tau": tau, "preprocess": preprocess, "protocol": f"quota:{scale.splits}"}
    return Measure("as_printed", graph, {**what, "loops": graph in LOOPS}, take)


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """The sum of each basis vector, the mean over columns that have one, and over the splits' h.

    Both quadratic forms are taken of V once; what a vector has of them is small algebra.

    Examples
    --------
    >>> from unifilter.data import load
    >>> what = {"tau": 0.5, "preprocess": "none", "protocol": "quota:2", "loops": False}
    >>> found = take(load("sbm:n=200,h=0.9"), what, "cpu")["edges"]
    >>> len(found), 0 < found["10"] < found["0"] < 2
    (11, True)
    """
    where = pick_device(device)
    h = [training_homophily(dataset, trial.split, []) for trial in trials(dataset, what["protocol"])]
    X = dataset.preprocess(what["preprocess"]).features().double()
    P, d = _operator(dataset, X.to(where), what["loops"])
    total, columns = torch.zeros(K + 1, dtype=torch.float64), torch.zeros(K + 1)
    for at in range(0, X.shape[1], COLUMNS):
        V, T, norm = lanczos(P, X[:, at : at + COLUMNS].contiguous().to(where), K)
        Y = d.sqrt()[:, None] * V
        length = torch.einsum("jni,lni->ijl", Y, Y)
        along = torch.einsum("jni,lni->ijl", Y, torch.stack([P @ y for y in Y]))
        for each in h:
            c = released(T, norm, what["tau"], each, K)
            below, above = (torch.einsum("kji,ijl,kli->ki", c, form, c) for form in (length, along))
            seen = below > 1e-20  # not those of columns of 0, or of nodes without edges alone
            ratio = torch.where(seen, 1 - above / torch.where(seen, below, 1.0), 0.0)
            total += ratio.sum(dim=1).cpu()
            columns += seen.sum(dim=1).cpu()
    return {"edges": {str(k): float(f) for k, f in enumerate(total / columns)}}


def _operator(dataset: Dataset, X: Tensor, loops: bool) -> tuple[Matmul, Tensor]:
    """P and the degrees, with the self-loops of the data or without."""
    graph, arcs = dataset.graph, dataset.arcs
    if loops and arcs is not None:
        degrees: Any = from_arcs(arcs, graph.n, directed=False, loops=True).sum(axis=1)
    else:
        degrees = graph.degrees
    P = smoothing(graph, X, arcs, data_loops=loops and arcs is not None, self_loops=False)
    return P, torch.from_numpy(np.asarray(degrees, np.float64)).to(X.device)

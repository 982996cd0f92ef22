"""Features for nodes that have none: random signs, which a filter of the graph turns into places in it.

A filter g(P) of random signals R is a random projection of g(P) itself: rows of two nodes are alike as far as
the nodes reach others alike. So what is learned is who is near whom, whether near nodes agree or differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unifilter._types import FloatArray
from unifilter.data.dataset import Dataset

KEY = 2023
WIDTH, NARROW = 512, 128
MANY = 200_000  # nodes beyond which V of wide signals would not fit into the memory of most machines
BLOCK = 256  # signs that one step of the generator gives


def random_signs(n: int, d: int, start: int = 0) -> FloatArray:
    """Rows start ... start + n - 1 of a table of -1 and 1 that is always the same, (n, d).

    Examples
    --------
    >>> bool((random_signs(5, 300)[3:] == random_signs(2, 300, start=3)).all())
    True
    """
    steps = -(-d // BLOCK)
    bits = np.random.Philox(key=KEY, counter=start * steps).random_raw(n * steps * BLOCK // 64)
    signs = np.unpackbits(bits.view(np.uint8)).reshape(n, steps * BLOCK)[:, :d]
    return np.where(signs == 1, np.float32(1), np.float32(-1))


def with_signals(dataset: Dataset, width: int | None = None) -> Dataset:
    """The dataset with random signals in the place of features; nodes that come later get theirs likewise.

    Parameters
    ----------
    dataset : Dataset
        What features it has are left out.
    width : int, optional
        How many; 512, or 128 for more than 200,000 nodes.

    Examples
    --------
    >>> from unifilter.data import load
    >>> with_signals(load("sbm:n=100"), 64)
    Dataset(sbm:n=100: n=100, m=500, d=64, classes=5)
    """
    d = width or (WIDTH if dataset.n <= MANY else NARROW)
    about = {key: value for key, value in dataset.about.items() if key != "checksum"} | {"signals": d}
    names = tuple(f"signal {i}" for i in range(d))
    X = random_signs(dataset.n, d)
    return replace(dataset, X=X, columns=names, preprocessing="none", about=about)

"""As many threads as a step is worth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

SMALL = 20_000_000  # multiplications a step, below which waiting for a second thread costs more than it saves


@contextmanager
def threads_for(multiplications: int) -> Iterator[None]:
    """Let torch compute with one thread where a step is small; on a busy machine that is many times faster.

    Examples
    --------
    >>> with threads_for(1000):
    ...     torch.get_num_threads()
    1
    """
    before = torch.get_num_threads()
    if multiplications < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)

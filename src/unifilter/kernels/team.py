"""A kernel in two forms: by all threads, and by one where the work is too small to be worth sharing.

Starting threads and waiting for the slowest takes microseconds on an idle machine and milliseconds on a busy
one, where one of them may not be running at all.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import get_num_threads, njit

# What every kernel is made of; numba looks for changes in a kernel's own file only.
_PARTS = b"".join((Path(__file__).parent / f"{name}.py").read_bytes() for name in ("simd", "tiles", "blocks"))
DIGEST = hashlib.sha256(_PARTS).hexdigest()[:8]
SMALL = 2_000_000  # multiplications that one thread does in about the time of waking another


class Team:
    """A function whose loops over ``prange`` run in parallel, or alone."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.together = njit(parallel=True, cache=True)(_named(function, "together"))
        self.alone = njit(cache=True)(_named(function, "alone"))

    def __call__(self, *arguments: Any) -> Any:
        """By all threads."""
        return self.together(*arguments)

    def doing(self, work: int) -> Any:
        """The form for so many multiplications, and for the threads there are."""
        return self.alone if work < SMALL or get_num_threads() == 1 else self.together


def _named(function: Callable[..., Any], form: str) -> Any:
    """A copy under a name of its own: numba's cache is named after the function."""
    name = f"{function.__name__}_{form}_{DIGEST}"
    code = function.__code__.replace(co_name=name)
    copy = types.FunctionType(code, function.__globals__, name, function.__defaults__)
    copy.__module__, copy.__qualname__ = function.__module__, name
    return copy

"""Whether a step over all training rows fits in memory, and how many rows do where it does not."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

ROWS = 2**16  # that are computed at once where not all are
SHARE = 0.5  # of the free memory that is planned with: the machine has other work, and this is an estimate
COPIES = 4  # of every activation: the value, what dropout or a norm keeps of it, the gradient, a temporary
UNKNOWN = 2**32  # bytes, where the machine does not say what is free

Thing = TypeVar("Thing")
Found = TypeVar("Found")


def rows_that_fit(
    model: nn.Module, inputs: Any, train: int, copied: int, free: int | None = None
) -> int | None:
    """Training rows a step: None, all of them, where that fits; else at most ``ROWS``, a power of 2.

    All of them need every layer's activations, and room for what is copied of the inputs. Rows that depend on
    others are never separated.

    Parameters
    ----------
    model : nn.Module
    inputs
        Of the model, in place: what they take is taken already.
    train, copied : int
        Training rows, and rows of the inputs that would be copied beforehand.
    free : bytes, optional
        Asked of the machine if not given.

    Examples
    --------
    >>> from unifilter.models._rows import Features
    >>> model, inputs = nn.Linear(100, 100), Features(torch.zeros(4, 100))
    >>> rows_that_fit(model, inputs, 10**6, copied=10**6, free=2**40) is None
    True
    >>> rows_that_fit(model, inputs, 10**6, copied=10**6, free=2**30)
    65536
    """
    if not inputs.independent_rows or not train or not inputs.n:
        return None
    row, active = bytes_of_a_row(inputs), COPIES * activations(model)
    planned = SHARE * (free_memory(_device(model)) if free is None else free)
    if row * copied + active * train <= planned:
        return None
    batch = ROWS
    while batch > 1 and (row + active) * batch > planned:
        batch //= 2
    return batch


def members_that_fit(inputs: Any, n: int, config: Any, device: torch.device) -> int:
    """UniFilters of one shape that a device can train at once on ``n`` rows each.

    Filtered signals with their gradients, and parameters five times over; with ``config.ego`` the features
    stand beside the filtered ones, and the first layer is twice as wide; scaling rows takes them once more,
    in float32.
    """
    d, size = inputs.norm.shape[0] * (2 if config.ego else 1), inputs.V.element_size()
    scaled = 12 * n * inputs.norm.shape[0] if config.row_norm else 0
    member = scaled + n * (6 * d + 12 * config.hidden * (config.layers - 1)) * size + 28 * d * config.hidden
    if device.type == "cuda":
        torch.cuda.empty_cache()  # recordings that are gone still hold theirs
        free = torch.cuda.mem_get_info(device)[0]
    else:  # no more than UNKNOWN: several processes ask at once, and where there is plenty all plan alike
        free = min(UNKNOWN, free_memory(device))
    return max(1, int(0.6 * free / member))


def in_parts(items: Sequence[Thing], size: int, work: Callable[[Sequence[Thing]], Found]) -> Iterator[Found]:
    """Work on so many items at a time, and on half as many where a GPU's memory is too small for them.

    Examples
    --------
    >>> list(in_parts([1, 2, 3], 2, sum))
    [3, 3]
    """
    at = 0
    while at < len(items):
        some = items[at : at + size]
        if (found := _unless_too_many(work, some)) is None:
            size = len(some) // 2
            gc.collect()  # the attempt: what compiled amid it may hold its frames in a circle
            torch.cuda.empty_cache()
            continue
        yield found
        at += len(some)


def _unless_too_many(work: Callable[[Sequence[Thing]], Found], some: Sequence[Thing]) -> Found | None:
    try:
        return work(some)
    except torch.cuda.OutOfMemoryError:
        if len(some) == 1:
            raise
        return None


def bytes_of_a_row(inputs: Any) -> int:
    """What one row more adds to the inputs."""
    one, two = (_held(inputs.rows(torch.zeros(rows, dtype=torch.long))) for rows in (1, 2))
    return two - one


def activations(model: nn.Module) -> int:
    """Bytes a row that the model's matrices read and write, each once."""
    return sum(sum(p.shape) * p.element_size() for p in model.parameters() if p.ndim == 2)


def free_memory(device: torch.device, root: Path = Path("/")) -> int:
    """Bytes that can still be had: on a GPU, or of the machine and of the container that this runs in."""
    if device.type == "cuda":
        idle = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0]) + idle
    found = [_of_the_machine(root), _of_the_container(root / "sys/fs/cgroup")]
    return min([known for known in found if known is not None], default=UNKNOWN)


def _of_the_machine(root: Path) -> int | None:
    try:
        kilobytes = _numbers(root / "proc/meminfo")["MemAvailable:"]
        return kilobytes * 1024
    except (OSError, KeyError):  # not Linux
        names: dict[str, int] = getattr(os, "sysconf_names", {})
        if {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= names.keys():
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        return None


def _of_the_container(folder: Path) -> int | None:
    """Its limit less what is in use; cached files are not, since they give way."""
    try:
        limit = int((folder / "memory.max").read_text())
        used = int((folder / "memory.current").read_text())
        return max(0, limit - used + _numbers(folder / "memory.stat").get("inactive_file", 0))
    except (OSError, ValueError):  # no container, or no limit: "max"
        return None


def _numbers(file: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    words = (line.split() for line in file.read_text().splitlines())
    return {w[0]: int(w[1]) for w in words if len(w) > 1 and w[1].isdigit()}


def _held(inputs: Any) -> int:
    return sum(value.nbytes for value in vars(inputs).values() if isinstance(value, Tensor))


def _device(model: nn.Module) -> torch.device:
    return next((p.device for p in model.parameters()), torch.device("cpu"))


def forget_peak() -> None:
    """Let the peak of the process's memory start anew, where the system can; else the largest stays."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")

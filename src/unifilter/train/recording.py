"""Work for a GPU, recorded once and replayed: launching small kernels takes longer than running them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

FREE = 0.25  # share of a GPU's memory below which what nobody uses is given back before recording


def recorded(work: Callable[[], Any]) -> Any:
    """A CUDA graph of what ``work`` launches; recording computes nothing, ``replay()`` does.

    The work must ask the host for nothing and have run before, so that kernels are compiled and memory is in
    place. Not ``torch.cuda.graph``: it collects garbage each time, which takes longer than all the rest.
    """
    _make_room()
    recording = torch.cuda.CUDAGraph()
    stream = torch.cuda.current_stream()
    if stream == torch.cuda.default_stream():  # which cannot be recorded
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        recording.capture_begin(capture_error_mode="thread_local")
        try:
            work()
            recording.capture_end()
        except RuntimeError:
            with contextlib.suppress(RuntimeError):
                recording.capture_end()
            torch.cuda.synchronize()
            raise
    return recording


def _make_room() -> None:
    """Give back what recordings that are gone held: memory of their own, which is not freed amid another."""
    free, total = torch.cuda.mem_get_info()
    if free < FREE * total:
        torch.cuda.empty_cache()

"""What the benchmarks on a GPU share: large graphs of three kinds, the bandwidth of a copy, timing."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import torch

from unifilter.kernels.csr import CSR

KINDS = ("uniform", "powerlaw", "local")


def require_gpu() -> None:
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA GPU; the CPU has benchmarks/cpu_kernels.py.")


def graph(kind: str, n: int, entries: int, seed: int = 0) -> CSR:
    """A symmetric P without loops: neighbours anywhere, by a power law, or near by; parallel edges stay."""
    g = torch.Generator(device="cuda").manual_seed(seed)
    half = entries // 2

    def drawn() -> torch.Tensor:
        return torch.rand(half, device="cuda", generator=g, dtype=torch.float64)

    if kind == "powerlaw":
        size = (1 - torch.rand(n, device="cuda", generator=g, dtype=torch.float64)) ** (-1 / 1.5)
        running = torch.cumsum(size.clamp(max=n**0.6), 0)
        u, v = (torch.searchsorted(running, drawn() * running[-1]).clamp(max=n - 1) for _ in range(2))
    else:
        u, v = ((drawn() * n).long() for _ in range(2))
    if kind == "local":
        v = (u + 1 + (drawn() * 500).long()) % n
    rows, columns = torch.cat([u, v]), torch.cat([v, u])
    indices = torch.sort(rows * n + columns).values % n
    degree = torch.bincount(rows, minlength=n)
    indptr = torch.zeros(n + 1, dtype=torch.int32, device="cuda")
    indptr[1:] = torch.cumsum(degree, 0)
    scale = torch.where(degree > 0, degree.double().rsqrt(), 0).float()
    return CSR(indptr, indices.int(), None, scale, 0.0)


def copy_bandwidth(repetitions: int = 20) -> float:
    """Bytes a second that a copy of 4 GiB reads and writes."""
    source = torch.empty(2**30, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / statistics.median(seconds(lambda: target.copy_(source), repetitions))


def seconds(job: Callable[[], Any], repetitions: int, warm: int = 2) -> list[float]:
    """Of each repetition, by events on the device, after two that do not count."""
    for _ in range(warm):
        job()
    found = []
    for _ in range(repetitions):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        job()
        stop.record()
        stop.synchronize()
        found.append(start.elapsed_time(stop) / 1000)
    return found


def device_facts() -> dict[str, Any]:
    import triton

    properties = torch.cuda.get_device_properties(0)
    return {
        "gpu": properties.name,
        "memory": properties.total_memory,
        "cuda": torch.version.cuda,
        "driver": _driver(),
        "triton": triton.__version__,
        "torch": torch.__version__,
    }


def _driver() -> str:
    import subprocess

    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"

"""What every benchmark needs: inputs of a wanted shape, honest timing, peak memory, one JSON each."""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unifilter import Graph
from unifilter.record import versions

RESULTS = Path(__file__).parent / "results"

# name: nodes, undirected edges, feature columns, skewed degrees
SHAPES = {
    "cora": (2_708, 5_278, 1_433, True),
    "citeseer": (3_327, 4_552, 3_703, True),
    "actor": (7_600, 26_659, 932, True),
    "chameleon": (2_277, 31_371, 2_325, True),
    "pubmed": (19_717, 44_324, 500, True),
    "squirrel": (5_201, 198_353, 2_089, True),
    "arxiv": (169_343, 1_157_799, 128, True),
    "products/8": (306_128, 7_732_394, 100, True),
}


def shaped(name: str, seed: int = 0) -> tuple[Graph, torch.Tensor]:
    """A random graph with the size and the skew of a known one, and random features."""
    n, m, d, skewed = SHAPES[name]
    rng = np.random.default_rng(seed)
    return random_graph(n, m, skewed, rng), torch.from_numpy(rng.random((n, d), dtype=np.float32))


def random_graph(n: int, m: int, skewed: bool, rng: np.random.Generator) -> Graph:
    """About m edges, ends drawn evenly or by a power law; ids in random order."""
    if not skewed:
        return Graph.from_edges(rng.integers(0, n, (2, m)), n=n)
    running = np.cumsum(rng.pareto(1.5, n) + 1)
    ends = np.searchsorted(running, rng.random((2, int(1.05 * m))) * running[-1]).clip(max=n - 1)
    return Graph.from_edges(ends, n=n)


def repeat(job: Callable[[], Any], repetitions: int, warm: bool = True) -> list[float]:
    """Seconds of each repetition, after one that does not count."""
    if warm:
        job()
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return seconds


def alternating(jobs: dict[str, Callable[[], Any]], repetitions: int) -> dict[str, list[float]]:
    """Seconds of jobs that take turns, so that all meet one machine; the first turn does not count."""
    seconds: dict[str, list[float]] = {who: [] for who in jobs}
    for repetition in range(repetitions + 1):
        for who, job in jobs.items():
            start = time.perf_counter()
            job()
            if repetition:
                seconds[who].append(time.perf_counter() - start)
    return seconds


def median(seconds: list[float]) -> float:
    return statistics.median(seconds)


def peak_memory(job: Callable[..., Any], *arguments: Any) -> int:
    """Bytes that a job adds to the resident memory of a process of its own, at its highest."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_measured, args=(queue, job, arguments))
    process.start()
    result = queue.get()
    process.join()
    return int(result)


def _measured(queue: Any, job: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    prepared = job(*arguments)  # loads the input, warms up, returns what is to be measured
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of the preparation (Linux)
    before = _status("VmRSS")
    prepared()
    queue.put(_status("VmHWM") - before)


def _status(field: str) -> int:
    line = next(s for s in Path("/proc/self/status").read_text().splitlines() if s.startswith(field))
    return int(line.split()[1]) * 1024


def write(name: str, results: Any) -> None:
    """One JSON per claim, with what it was measured on."""
    RESULTS.mkdir(exist_ok=True)
    record = {
        "benchmark": name,
        "machine": {
            "processor": _processor(),
            "cores": torch.get_num_threads(),
            "system": platform.platform(),
        },
        "versions": versions() | {name: version(name) for name in ("pandas", "triton") if find_spec(name)},
        "results": results,
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"written to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def last_level_cache() -> int:
    """Bytes of the largest cache; 32 MiB where the system does not tell."""
    sizes = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    return max((int(p.read_text().strip().removesuffix("K")) * 1024 for p in sizes), default=32 * 2**20)


def arguments(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--repetitions", type=int, default=3)
    return parser

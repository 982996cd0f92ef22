"""A product with P on a CPU: as fast as the best of SciPy and torch on every graph, 1.5 times on the mean.

Graphs with the sizes and the skew of the six, of arXiv and of an eighth of products. The peers multiply by
stored normalised values, we apply D^-1/2 on the fly. Repetitions alternate, so that all meet one machine. The
share of the copy bandwidth counts every entry's row of X as read; caches may make it more than 100%.

python benchmarks/cpu_kernels.py
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import torch
from _common import SHAPES, arguments, median, shaped, write
from scipy.sparse import csr_array

from unifilter import propagation

WANTED = {"each": 1.0, "geometric_mean": 1.5}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--graphs", nargs="+", default=list(SHAPES))
    args = parser.parse_args()
    bandwidth = copy_bandwidth()
    print(f"copy: {bandwidth / 1e9:.1f} GB/s", flush=True)
    rows = []
    for name in args.graphs:
        graph, X = shaped(name)
        jobs = contenders(graph, X)
        seconds: dict[str, list[float]] = {who: [] for who in jobs}
        wanted = jobs["unifilter"]()
        for job in jobs.values():
            assert np.allclose(np.asarray(job()), np.asarray(wanted), atol=1e-4)
        for _ in range(max(5, args.repetitions)):
            for who, job in jobs.items():
                start = time.perf_counter()
                job()
                seconds[who].append(time.perf_counter() - start)
        best = min((w for w in jobs if w != "unifilter"), key=lambda w: median(seconds[w]))
        entries = int(graph.indices.shape[0])
        row = {
            "graph": name,
            "entries": entries,
            "columns": X.shape[1],
            "seconds": seconds,
            "best_peer": best,
            "times_faster": median(seconds[best]) / median(seconds["unifilter"]),
            "share_of_copy": entries * X.shape[1] * 4 / bandwidth / median(seconds["unifilter"]),
        }
        rows.append(row)
        each = ", ".join(f"{who} {1e3 * median(s):.1f}" for who, s in seconds.items())
        print(f"{name:11s} {row['times_faster']:.2f} times {best}; ms: {each}", flush=True)
    mean = math.exp(sum(math.log(r["times_faster"]) for r in rows) / len(rows))
    print(f"geometric mean {mean:.2f}, least {min(r['times_faster'] for r in rows):.2f}")
    facts = {"copy_bandwidth": bandwidth, "wanted": WANTED, "geometric_mean": mean}
    write("cpu_kernels", {**facts, "rows": rows})


def contenders(graph: Any, X: torch.Tensor) -> dict[str, Any]:
    P = propagation(graph)
    A = graph.to_scipy()
    scale = 1 / np.sqrt(np.maximum(graph.degrees, 1e-300))
    rows = np.repeat(np.arange(graph.n), np.diff(A.indptr))
    values = (scale[rows] * scale[A.indices]).astype(np.float32)
    S = csr_array((values, A.indices, A.indptr), shape=A.shape)
    index, pointer = torch.from_numpy(A.indices.astype(np.int64)), torch.from_numpy(A.indptr.astype(np.int64))
    data = torch.from_numpy(values)
    C = torch.sparse_csr_tensor(pointer, index, data, A.shape, check_invariants=False)
    both = torch.stack([torch.from_numpy(rows), index])
    pairs = torch.sparse_coo_tensor(both, data, A.shape, check_invariants=False).coalesce()
    dense = X.numpy()
    return {
        "unifilter": lambda: P @ X,
        "scipy": lambda: S @ dense,
        "torch CSR": lambda: C @ X,
        "torch COO": lambda: pairs @ X,
    }


def copy_bandwidth() -> float:
    source, target = torch.ones(2**27), torch.empty(2**27)
    found = []
    for _ in range(7):
        start = time.perf_counter()
        target.copy_(source)
        found.append(2 * source.nbytes / (time.perf_counter() - start))
    return median(found)


if __name__ == "__main__":
    main()

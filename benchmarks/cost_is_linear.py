"""Past the cache, seconds per edge, hop and column are the same; from 1e5 edges on, to see what it saves.

python benchmarks/cost_is_linear.py
"""

from __future__ import annotations

import numpy as np
import torch
from _common import arguments, last_level_cache, median, random_graph, repeat, write

from unifilter import lanczos, propagation

K, D, DEGREE = 10, 16, 20
WANTED = 1.5


def main() -> None:
    args = arguments(__doc__).parse_args()
    rows, cache = [], last_level_cache()
    for m in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000):
        rng = np.random.default_rng(0)
        graph = random_graph(2 * m // DEGREE, m, False, rng)
        P, X = propagation(graph), torch.from_numpy(rng.random((graph.n, D), dtype=np.float32))
        seconds = repeat(lambda: lanczos(P, X, K), max(2, args.repetitions if m < 10**7 else 2))  # noqa: B023
        unit = median(seconds) / (graph.m * K)
        beyond = graph.n * D * 4 > 1.5 * cache  # the vector that the gathers of a product run through
        rows.append(
            {"m": graph.m, "n": graph.n, "seconds": seconds, "per_edge_and_hop": unit, "beyond": beyond}
        )
        print(
            f"m = {graph.m:9d}  {median(seconds):7.3f} s  {unit * 1e9:6.2f} ns per edge and hop", flush=True
        )
    units = [row["per_edge_and_hop"] for row in rows if row["beyond"]]
    ratio = max(units) / min(units)
    print(f"past the cache the dearest is {ratio:.2f} times the cheapest (wanted at most {WANTED})")
    write(
        "cost_is_linear",
        {"wanted": WANTED, "ratio": ratio, "K": K, "d": D, "cache_bytes": cache, "rows": rows},
    )


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    main()

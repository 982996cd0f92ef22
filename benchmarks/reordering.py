"""Nodes in an order that is kind to caches: what it gains on a GPU where ids of a local graph are scattered.

Lanczos at K = 10 with the ids as they come, and with ``reordered``, whose order is computed once (reverse
Cuthill-McKee, one core of the CPU); and the same on a uniform graph, which has no good order.

    python benchmarks/reordering.py
"""

from __future__ import annotations

import time

import torch
from _common import arguments, median, write
from _gpu import device_facts, graph, require_gpu, seconds

from unifilter.graph.propagation import Propagation
from unifilter.graph.reordering import cuthill_mckee, permuted, reordered
from unifilter.krylov import lanczos

K = 10


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--nodes", type=int, default=600_000)
    parser.add_argument("--entries", type=int, default=12_000_000)
    parser.add_argument("--columns", type=int, default=128)
    args = parser.parse_args()
    require_gpu()
    rows = []
    for kind in ("local", "uniform"):
        A = graph(kind, args.nodes, args.entries)
        order = torch.randperm(args.nodes, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
        place = torch.empty_like(order)
        place[order] = torch.arange(args.nodes, device="cuda")
        P = Propagation(permuted(A, order, place))
        start = time.perf_counter()
        found = cuthill_mckee(P)
        took = time.perf_counter() - start
        Q, X = reordered(P, found), torch.randn(args.nodes, args.columns, device="cuda")
        row = {
            "graph": kind,
            "entries": args.entries,
            "ordering_seconds": took,
            "as_they_come": seconds(lambda P=P, X=X: lanczos(P, X, K), args.repetitions),
            "reordered": seconds(lambda Q=Q, X=X: lanczos(Q, X, K), args.repetitions),
        }
        row["times_faster"] = median(row["as_they_come"]) / median(row["reordered"])
        rows.append(row)
        print(
            f"{kind:9s} order {took:.1f} s; as they come {1e3 * median(row['as_they_come']):.1f} ms, "
            f"reordered {1e3 * median(row['reordered']):.1f} ms, {row['times_faster']:.2f}x",
            flush=True,
        )
    facts = {"device": device_facts(), "K": K, "columns": args.columns, "nodes": args.nodes}
    write("reordering", {**facts, "rows": rows})


if __name__ == "__main__":
    main()

"""Ten million edges with text ids, from Parquet to a Graph: under 30 s and 4 GB, half the cost of its peers.

The peer is pandas and PyTorch Geometric on the same two files: read, map the ids to the node table by the
fastest way that pandas has (factorize), drop unknown ends and self-loops, to_undirected (which coalesces).
Runs alternate, so that both meet the same machine. Memory is the peak above what the imports take, each in a
process of its own.

python benchmarks/ingest.py
python benchmarks/ingest.py --edges 100000000 --alone
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from _common import arguments, median, peak_memory, repeat, write

from unifilter.data.tables import read_tables

SECONDS, BYTES = 30, 4 * 2**30
FASTER, SMALLER = 2.0, 0.5
DEGREE = 20


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--alone", action="store_true", help="do not run the peer")
    args = parser.parse_args()
    jobs: dict[str, Callable[[Path], Any]] = {"unifilter": ours, "pandas + PyG": theirs}
    if args.alone:
        del jobs["pandas + PyG"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, 2 * args.edges // DEGREE, args.edges)
        bytes_ = {who: peak_memory(prepared, folder, who) for who in jobs}
        seconds: dict[str, list[float]] = {who: [] for who in jobs}
        sizes = {who: job(folder) for who, job in jobs.items()}  # warm
        assert len(set(sizes.values())) == 1, sizes
        for _ in range(args.repetitions):
            for who, job in jobs.items():
                seconds[who] += repeat(lambda job=job: job(folder), 1, warm=False)
    rows = {who: {"seconds": seconds[who], "peak_bytes": bytes_[who]} for who in jobs}
    for who, row in rows.items():
        print(f"{who:14s} {median(row['seconds']):7.2f} s  {row['peak_bytes'] / 2**30:6.2f} GiB", flush=True)
    results = {
        "edges": args.edges,
        "nodes": 2 * args.edges // DEGREE,
        "wanted": {"seconds": SECONDS, "bytes": BYTES, "times_faster": FASTER, "share_of_memory": SMALLER},
        "rows": rows,
    }
    if not args.alone:
        theirs_, ours_ = rows["pandas + PyG"], rows["unifilter"]
        results["times_faster"] = median(theirs_["seconds"]) / median(ours_["seconds"])
        results["share_of_memory"] = ours_["peak_bytes"] / theirs_["peak_bytes"]
        print(
            f"{results['times_faster']:.2f} times faster (wanted {FASTER}), "
            f"{results['share_of_memory']:.2f} of the memory (wanted {SMALLER})"
        )
    write("ingest" if args.edges == 10_000_000 and not args.alone else f"ingest_{args.edges}", results)


def generate(folder: Path, n: int, m: int) -> None:
    """Ids like "user-1234567" in random order; a million edges at a time."""
    rng = np.random.default_rng(0)
    numbers = pa.array(rng.permutation(10 * n)[:n]).cast(pa.string())
    ids = pa.compute.binary_join_element_wise("user-", numbers, "")
    nodes = {"id": ids, "label": rng.integers(0, 5, n), "x": rng.random(n)}
    pa.parquet.write_table(pa.table(nodes), folder / "nodes.parquet")
    schema = pa.schema([("src", pa.string()), ("dst", pa.string())])
    with pa.parquet.ParquetWriter(folder / "edges.parquet", schema) as writer:
        for begin in range(0, m, 1_000_000):
            ends = rng.integers(0, n, (2, min(1_000_000, m - begin)))
            writer.write_table(pa.table([ids.take(pa.array(e)) for e in ends], schema=schema))


def ours(folder: Path) -> int:
    return 2 * read_tables(folder / "edges.parquet", folder / "nodes.parquet").graph.m


def theirs(folder: Path) -> int:
    import pandas as pd
    import torch
    from torch_geometric.data import Data
    from torch_geometric.utils import remove_self_loops, to_undirected

    nodes = pd.read_parquet(folder / "nodes.parquet")
    edges = pd.read_parquet(folder / "edges.parquet", columns=["src", "dst"])
    n = len(nodes)
    codes, _ = pd.factorize(pd.concat([nodes["id"], edges["src"], edges["dst"]], ignore_index=True))
    del edges
    edge_index = torch.from_numpy(codes[n:].reshape(2, -1))
    edge_index = edge_index[:, (edge_index < n).all(dim=0)]
    edge_index, _ = remove_self_loops(edge_index)
    edge_index = to_undirected(edge_index, num_nodes=n)
    X = torch.from_numpy(nodes["x"].to_numpy(np.float32))[:, None]
    y = torch.from_numpy(nodes["label"].to_numpy(copy=True))
    return int(Data(X, edge_index, y=y).num_edges)


def prepared(folder: Path, who: str) -> Callable[[], int]:
    if who == "unifilter":
        return lambda: ours(folder)
    import pandas  # noqa: F401
    import torch_geometric.utils  # noqa: F401

    return lambda: theirs(folder)


if __name__ == "__main__":
    main()

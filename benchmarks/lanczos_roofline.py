"""The whole UniBasis at K = 10 on a GPU: 3 times faster than Algorithm 1 on torch CSR, 20 times than on COO.

Ours: one Lanczos factorisation, orthogonality measured and restored, and the mix that gives all K+1 vectors.
Algorithm 1 as the paper writes it, in torch: for each hop a product for the homophily basis and one for the
heterophily basis, three-term orthogonalisation, normalisation, mixing. PyTorch Geometric's SIGN transform,
which computes the K powers alone, is timed beside them as it comes, from an edge list that it sorts.

python benchmarks/lanczos_roofline.py
python benchmarks/lanczos_roofline.py --profile    where the time of ours goes, by kernel
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from _common import arguments, median, write
from _gpu import KINDS, copy_bandwidth, device_facts, graph, require_gpu, seconds
from torch_geometric.data import Data
from torch_geometric.transforms import SIGN
from unibasis_needs_one_chain import algorithm_1

from unifilter.bases import unibasis
from unifilter.graph.propagation import Propagation
from unifilter.kernels.csr import CSR
from unifilter.krylov import lanczos, mix

K, TAU, H = 10, 0.5, 0.3
WANTED = {"csr": 3.0, "coo": 20.0}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--nodes", type=int, default=2_400_000)
    parser.add_argument("--entries", type=int, default=122_000_000)
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    require_gpu()
    if args.profile:
        profile(args.nodes, args.entries, args.columns)
        return
    bandwidth, rows = copy_bandwidth(), []
    facts = {"device": device_facts(), "copy_bandwidth": bandwidth, "wanted": WANTED, "K": K}
    for kind in KINDS:
        A = graph(kind, args.nodes, args.entries)
        X = torch.randn(args.nodes, args.columns, device="cuda")
        P = Propagation(A)

        def ours(P: Any = P, X: Any = X) -> None:
            V, T, norm = lanczos(P, X, K)
            mix(V, unibasis(T, norm, TAU, H), out=V, lower=True)

        values = A.scale.repeat_interleave(A.indptr.diff()) * A.scale[A.indices.long()]
        M = torch.sparse_csr_tensor(A.indptr, A.indices, values, (args.nodes, args.nodes))
        row: dict[str, Any] = {"graph": kind, "entries": A.indices.numel()}
        row["ours"] = seconds(ours, args.repetitions)
        row["orthogonality"] = orthogonality(lanczos(P, X, K).V)
        row["csr"] = seconds(lambda M=M, X=X: algorithm_1(M, X, TAU, H), max(2, args.repetitions // 3))
        del M
        torch.cuda.empty_cache()
        edges = edges_of(A)
        row["sign"] = seconds(lambda E=edges, X=X: sign(E, X), max(2, args.repetitions // 3))
        torch.cuda.empty_cache()
        C = torch.sparse_coo_tensor(edges, values, (args.nodes, args.nodes)).coalesce()
        row["coo"] = seconds(lambda C=C, X=X: algorithm_1(C, X, TAU, H), 1, warm=1)
        del C, edges, values
        torch.cuda.empty_cache()
        row["bound_seconds"] = K * row["entries"] * args.columns * 4 / bandwidth
        for peer in ("csr", "coo", "sign"):
            row[f"times_faster_than_{peer}"] = median(row[peer]) / median(row["ours"])
        rows.append(row)
        share = row["bound_seconds"] / median(row["ours"])
        times = ", ".join(f"{p.upper()} {row[f'times_faster_than_{p}']:.1f}" for p in ("csr", "coo", "sign"))
        print(
            f"{kind:9s} ours {1e3 * median(row['ours']):6.0f} ms, {share:.0%} of the products' bound; "
            f"times slower: {times}; |V'V - I| {row['orthogonality']:.0e}",
            flush=True,
        )
        write("lanczos_roofline", {**facts, "columns": args.columns, "nodes": args.nodes, "rows": rows})


def profile(nodes: int, entries: int, columns: int) -> None:
    """Milliseconds of every kernel, and those in which none ran."""
    P, X = Propagation(graph("uniform", nodes, entries)), torch.randn(nodes, columns, device="cuda")

    def ours() -> None:
        V, T, norm = lanczos(P, X, K)
        mix(V, unibasis(T, norm, TAU, H), out=V, lower=True)
        torch.cuda.synchronize()

    ours()
    with torch.profiler.profile() as watched:
        ours()
    events = [e for e in watched.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    spent: Counter[str] = Counter()
    for event in events:
        spent[event.name] += event.time_range.elapsed_us() / 1e3
    for name, ms in spent.most_common(12):
        print(f"{ms:8.2f} ms  {name[:80]}")
    whole = (max(e.time_range.end for e in events) - min(e.time_range.start for e in events)) / 1e3
    print(f"{whole - spent.total():8.2f} ms  no kernel; {whole:.1f} ms in all")


def orthogonality(V: torch.Tensor) -> float:
    """The largest entry of V^T V - I in all columns."""
    inner = [[(v * u).sum(dim=0, dtype=torch.float64) for u in V[: i + 1]] for i, v in enumerate(V)]
    return max(
        float((g - float(i == j)).abs().max()) for i, row in enumerate(inner) for j, g in enumerate(row)
    )


def edges_of(A: CSR) -> torch.Tensor:
    """Rows and columns of the entries."""
    rows = torch.arange(A.indptr.numel() - 1, device=A.indptr.device).repeat_interleave(A.indptr.diff())
    return torch.stack([rows, A.indices.long()])


def sign(edges: torch.Tensor, X: torch.Tensor) -> list[torch.Tensor]:
    """The powers, from PyTorch Geometric."""
    found = SIGN(K)(Data(x=X, edge_index=edges))
    return [found[f"x{k}"] for k in range(1, K + 1)]


if __name__ == "__main__":
    main()

"""A product with P at the memory wall: 90% of entries x d x bytes / copy bandwidth, faster than cuSPARSE.

Every entry of P fetches a row of X, so that is the least that can be moved where rows do not stay in a cache;
on local graphs they do, and the bound is passed. cuSPARSE (torch CSR) multiplies by ones and is spared the
scaling.

python benchmarks/spmm_roofline.py
"""

from __future__ import annotations

import torch
from _common import arguments, median, write
from _gpu import KINDS, copy_bandwidth, device_facts, graph, require_gpu, seconds

from unifilter.kernels import gpu

WANTED = 0.9


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--nodes", type=int, default=2_400_000)
    parser.add_argument("--entries", type=int, default=122_000_000)
    parser.add_argument("--columns", type=int, default=128)
    args = parser.parse_args()
    require_gpu()
    bandwidth = copy_bandwidth()
    print(f"copy: {bandwidth / 1e12:.2f} TB/s", flush=True)
    rows = []
    for kind in KINDS:
        A = graph(kind, args.nodes, args.entries)
        cut = gpu.pieces(A.indptr)
        entries = A.indices.numel()
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            X = torch.randn(args.nodes, args.columns, device="cuda").to(dtype)
            bound = entries * args.columns * X.element_size() / bandwidth
            ours = seconds(lambda A=A, X=X, cut=cut: gpu.spmm(A, X, cut), args.repetitions)
            ones = torch.ones(entries, device="cuda", dtype=dtype)
            M = torch.sparse_csr_tensor(A.indptr, A.indices, ones, (args.nodes, args.nodes))
            theirs = seconds(lambda M=M, X=X: M @ X, args.repetitions)
            del M, ones
            row = {
                "graph": kind,
                "dtype": str(dtype).removeprefix("torch."),
                "entries": entries,
                "longest_row": int(A.indptr.diff().max()),
                "bound_seconds": bound,
                "ours": ours,
                "cusparse": theirs,
                "share_of_bound": bound / median(ours),
                "cusparse_share": bound / median(theirs),
            }
            rows.append(row)
            print(
                f"{kind:9s} {row['dtype']:8s} ours {1e3 * median(ours):6.2f} ms {row['share_of_bound']:.0%}, "
                f"cuSPARSE {1e3 * median(theirs):6.2f} ms, {row['cusparse_share']:.0%}",
                flush=True,
            )
    facts = {"device": device_facts(), "copy_bandwidth": bandwidth, "wanted_share": WANTED}
    write("spmm_roofline", {**facts, "columns": args.columns, "nodes": args.nodes, "rows": rows})


if __name__ == "__main__":
    main()

"""One chain of K products serves UniBasis for every tau and h; the paper spends 2K for each pair.

Against Algorithm 1 and the homophily basis written plainly in torch, with P as COO (what the released code
uses) and as CSR. Jobs: the whole basis (K+1, n, d) for one pair (tau, h); and a sweep over 11 values of tau
and 10 of h, of which every pair gives a filtered signal sum_k w_k b_k with w = 1/(K+1), the thing that a
model is fed.

    python benchmarks/unibasis_needs_one_chain.py
"""

from __future__ import annotations

import math

import torch
from _common import arguments, median, peak_memory, repeat, shaped, write
from torch import Tensor

from unifilter import Graph, lanczos, mix, propagation
from unifilter.bases import unibasis

K = 10
WANTED = {"COO": 5.0, "CSR": 2.0, "sweep": 100.0, "memory": 0.6}
TAUS = [i / 10 for i in range(11)]
HS = [0.05 + i / 10 for i in range(10)]


def torch_matrix(graph: Graph, layout: str) -> Tensor:
    """P with normalised entries, as one writes it in torch."""
    s = torch.from_numpy(graph.degrees).rsqrt().nan_to_num(posinf=0).float()
    rows, cols = torch.from_numpy(graph.rows()).long(), torch.from_numpy(graph.indices.copy()).long()
    P = torch.sparse_coo_tensor(torch.stack([rows, cols]), s[rows] * s[cols], (graph.n, graph.n)).coalesce()
    return P if layout == "COO" else P.to_sparse_csr()


def algorithm_1(P: Tensor, X: Tensor, tau: float, h: float) -> Tensor:
    """The paper's Algorithm 1 on all columns, and the homophily basis beside it: 2K products."""
    c = math.cos(math.pi / 2 * (1 - h))
    u = X / X.norm(dim=0).clamp_min(1e-8)
    v, before, total, power = u, torch.zeros_like(u), u, X
    basis = [tau * X + (1 - tau) * u]
    for k in range(1, K + 1):
        w = P @ v
        w = w - (w * v).sum(0) * v - (w * before).sum(0) * before
        w = w / w.norm(dim=0).clamp_min(1e-8)
        t = ((total * u).sum(0) / (k * c)) ** 2 - ((k - 1) * c + 1) / k
        u = total / k + t.clamp_min(0).sqrt() * w
        u = u / u.norm(dim=0).clamp_min(1e-8)
        total = total + u
        power = P @ power
        basis.append(tau * power + (1 - tau) * u)
        v, before = w, v
    return torch.stack(basis)


def one_chain(graph: Graph, X: Tensor, tau: float, h: float) -> Tensor:
    """K products, then a mix in place: V is not needed any more."""
    V, T, norm = lanczos(propagation(graph), X, K)
    return mix(V, unibasis(T, norm, tau, h), out=V, lower=True)


def sweep(graph: Graph, X: Tensor) -> float:
    """Every pair's filtered signal, from one V."""
    V, T, norm = lanczos(propagation(graph), X, K)
    Z = torch.empty(len(HS), *X.shape)
    total = 0.0
    for tau in TAUS:
        C = torch.stack([unibasis(T, norm, tau, h).mean(dim=0) for h in HS])
        total += float(mix(V, C, out=Z)[:, 0, 0].sum())
    return total


def prepared(job: str, name: str):
    graph, X = shaped(name)
    if job == "one chain":
        one_chain(graph, X[:, :16].contiguous(), 0.5, 0.3)
        return lambda: one_chain(graph, X, 0.5, 0.3)
    P = torch_matrix(graph, job)
    return lambda: algorithm_1(P, X, 0.5, 0.3)


def main() -> None:
    args = arguments(__doc__).parse_args()
    results = {}
    for name in ("pubmed", "squirrel", "arxiv"):
        graph, X = shaped(name)
        P = {layout: torch_matrix(graph, layout) for layout in ("COO", "CSR")}
        gap = (one_chain(graph, X, 0.5, 0.3) - algorithm_1(P["CSR"], X, 0.5, 0.3)).abs().max().item()
        seconds = {
            "one chain": repeat(lambda: one_chain(graph, X, 0.5, 0.3), args.repetitions),  # noqa: B023
            "sweep": repeat(lambda: sweep(graph, X), 2),  # noqa: B023
        } | {
            layout: repeat(lambda p=p: algorithm_1(p, X, 0.5, 0.3), args.repetitions)  # noqa: B023
            for layout, p in P.items()
        }
        memory = {job: peak_memory(prepared, job, name) for job in ("one chain", "COO", "CSR")}
        ours = median(seconds["one chain"])
        pairs = len(TAUS) * len(HS)
        ratios = {
            "COO": median(seconds["COO"]) / ours,
            "CSR": median(seconds["CSR"]) / ours,
            # The paper's way repeats the whole algorithm for each pair.
            "sweep": pairs * median(seconds["CSR"]) / median(seconds["sweep"]),
            "memory": memory["one chain"] / memory["CSR"],
        }
        results[name] = {
            "graph": repr(graph),
            "d": X.shape[1],
            "seconds": seconds,
            "peak_bytes": memory,
            "ratios": ratios,
            "largest_difference": gap,
        }
        said = ", ".join(f"{what} {value:.2f} (wanted {WANTED[what]})" for what, value in ratios.items())
        print(f"{name:9s} one chain {ours * 1e3:7.0f} ms | {said} | differ by {gap:.1e}")
    write("unibasis_needs_one_chain", {"wanted": WANTED, "inputs": results})


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    main()

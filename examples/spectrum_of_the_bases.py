"""The spectrum of five bases, all read from one propagation of one graph."""

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from unifilter import edge_homophily, frequency, lanczos, propagation
from unifilter.bases import chebyshev, heterophily, monomial, unibasis
from unifilter.graph.synthetic import block_model
from unifilter.krylov import complete

K = 10
graph, X, y = block_model(2000, h=0.22, degree=12, power=2.5, generator=np.random.default_rng(0))
h = edge_homophily(graph, y, np.ones(graph.n, bool))
P = propagation(graph)
krylov = lanczos(P, torch.from_numpy(X).float(), K)  # the only propagation: K products with P
T, norm = complete(P, krylov), krylov.norm

bases = {
    "homophily (P^k x)": monomial(T, norm * T.e1, K),
    "heterophily (u_k)": heterophily(K, torch.tensor(h))[:, :, None].expand(-1, -1, norm.shape[0]),
    "UniBasis, tau = 0.5": unibasis(T, norm, 0.5, h, scale="signal"),
    "Chebyshev": chebyshev(T, norm * T.e1, K),
    "orthonormal (v_k)": torch.eye(K + 1)[:, :, None].expand(-1, -1, norm.shape[0]),
}
table = Table(
    title=f"{graph}, homophily {h:.2f}: mean frequency f of basis vector k (0 smooth, 1 alternating)"
)
table.add_column("k", justify="right")
for name in bases:
    table.add_column(name, justify="right")
spectra = [frequency(T, C).nanmean(dim=1) for C in bases.values()]
for k in range(K + 1):
    table.add_row(str(k), *(f"{s[k]:.3f} {'#' * round(20 * float(s[k]))}" for s in spectra))
Console(width=150).print(table)

"""Theorem 2: consecutive vectors of the homophily basis meet at angles that shrink to 0 (over-smoothing).

Hypotheses: connected, not bipartite, and x has a share of the leading eigenvector.
"""

import numpy as np
import torch

from unifilter import Graph, propagation
from unifilter.bases import monomial


def angles(P, x, K):
    p = monomial(P, x, K)
    p = p / torch.linalg.vector_norm(p, dim=1, keepdim=True)
    # 2 arcsin of half the distance: arccos loses half the digits of small angles.
    return 2 * torch.arcsin(torch.linalg.vector_norm(p[1:] - p[:-1], dim=1) / 2)


def lollipop(n=20):
    """A path with a triangle at its end: connected, not bipartite, slow to mix."""
    edges = np.stack([np.arange(n - 1), np.arange(1, n)])
    return Graph.from_edges(np.concatenate([edges, [[0], [2]]], axis=1))


def test_angles_shrink_monotonically_from_some_hop_on_and_vanish():
    P = propagation(lollipop(), dtype=torch.float64)
    x = torch.randn(20, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    a = angles(P, x, 6000)
    eta = 500
    assert (a[eta + 1 : 1500] < a[eta:1499]).all()
    assert a[-1].max() < 1e-7
    assert a[0].min() > 0.1


def test_the_limit_is_the_leading_eigenvector():
    graph = lollipop()
    P = propagation(graph, dtype=torch.float64)
    x = torch.randn(20, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    psi = torch.from_numpy(graph.degrees).sqrt()
    psi = psi / psi.norm()
    torch.testing.assert_close(monomial(P, x, 4000)[-1][:, 0], (psi @ x[:, 0]) * psi, rtol=1e-6, atol=1e-6)


def test_on_a_bipartite_graph_the_angles_do_not_vanish():
    n = 20
    P = propagation(Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)])), dtype=torch.float64)
    x = torch.zeros(n, 1, dtype=torch.float64)
    x[0] = 1
    assert angles(P, x, 3000)[-1].min() > 1.0

"""Theorem 4: u_i . u_j = cos(theta) for all i != j, and 1 for i = j."""

import math

import numpy as np
import pytest
import torch

from unifilter import Graph, lanczos, mix, propagation
from unifilter.bases import heterophily
from unifilter.graph.synthetic import block_model


def cosines(graph, X, K, h):
    V, _, _ = lanczos(propagation(graph, dtype=torch.float64), X, K)
    U = mix(V, heterophily(K, torch.tensor(h, dtype=torch.float64))[:, :, None].expand(-1, -1, X.shape[1]))
    return torch.einsum("ind,jnd->dij", U, U)


@pytest.mark.parametrize("h", [0.0, 0.13, 0.5, 0.81, 1.0])
def test_all_pairs_meet_at_theta(h):
    graph, X, _ = block_model(500, 0.3, d=17, generator=np.random.default_rng(0))
    c = math.cos(math.pi / 2 * (1 - h))
    wanted = ((1 - c) * torch.eye(11, dtype=torch.float64) + c).expand(17, 11, 11)
    torch.testing.assert_close(cosines(graph, torch.from_numpy(X), 10, h), wanted, rtol=1e-12, atol=1e-12)


def test_past_the_end_of_the_krylov_space_it_fails():
    """The proof takes K+1 orthonormal vectors for granted; a triangle has at most two per column."""
    graph = Graph.from_edges([[0, 1, 2], [1, 2, 0]])
    X = torch.tensor([[1.0], [0.0], [0.0]], dtype=torch.float64)
    G = cosines(graph, X, 4, 0.3)[0]
    c = math.cos(math.pi / 2 * 0.7)
    torch.testing.assert_close(G[0, 1], torch.tensor(c, dtype=torch.float64))
    assert G[3, 3] < 0.9

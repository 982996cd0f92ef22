import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter import Graph, lanczos, propagation
from unifilter.bases import orthonormal
from unifilter.graph.synthetic import block_model


def test_the_polynomials_of_a_factorisation_give_its_vectors(P, X):
    V, T, norm = lanczos(P, X, 3)
    assert_close(orthonormal(T, norm)(P, X, 3), V, rtol=1e-9, atol=1e-9)


def test_they_are_orthonormal_for_the_spectral_measure_of_x(graph, P, X):
    """sum_i (phi_i . x)^2 q_j(t_i) q_k(t_i) = [j = k], by a full eigendecomposition."""
    t, phi = torch.linalg.eigh(P @ torch.eye(graph.n, dtype=torch.float64))
    x = X[:, :1]
    _, T, norm = lanczos(P, x, 2)
    from unifilter.bases import Diagonal

    q = orthonormal(T, norm)(Diagonal(t), torch.ones(graph.n, 1, dtype=torch.float64), 2)[:, :, 0]
    measure = (phi.T @ x[:, 0]) ** 2
    alive = torch.cat([torch.ones(1, dtype=torch.bool), T.beta[:, 0] > 0]).double()
    assert_close((q * measure) @ q.T, torch.diag(alive), rtol=1e-9, atol=1e-9)


def test_frozen_polynomials_run_on_another_graph(generator):
    """What predicts new nodes: the filter as it was trained, on P of the grown graph."""
    graph, X, _ = block_model(200, 0.4, d=3, generator=generator)
    X = torch.from_numpy(X)
    _, T, norm = lanczos(propagation(graph, dtype=torch.float64), X, 4)
    grown = Graph.from_edges(np.concatenate([np.stack(graph.edges()), [[0, 5], [200, 200]]], axis=1))
    P = propagation(grown, dtype=torch.float64)
    Y = torch.cat([X, torch.randn(1, 3, dtype=torch.float64)])
    q = orthonormal(T, norm)(P, Y, 4)
    by_hand = (P @ q[1] - T.alpha[1] * q[1] - T.beta[0] * q[0]) / T.beta[1]
    assert_close(q[2], by_hand)
    assert_close(q[0], Y / norm)


def test_more_hops_than_were_found_are_refused(P, X):
    _, T, norm = lanczos(P, X, 2)
    with pytest.raises(ValueError, match="2 hops, so its basis has no vector 3"):
        orthonormal(T, norm)(P, X, 3)

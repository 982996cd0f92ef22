import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph, mix, propagation
from unifilter.bases import monomial, orthonormal
from unifilter.models._basis import Basis


def test_its_powers_mixed_by_V_are_the_powers_of_P(graph, X):
    inputs = Basis.of(graph, X, 4)
    assert_close(mix(inputs.V, inputs.powers), monomial(propagation(graph, dtype=X.dtype), X, 4))


def test_the_first_hops_are_the_basis_of_fewer(graph, X):
    whole, fewer = Basis.of(graph, X, 5).first(2), Basis.of(graph, X, 2)
    assert whole.K == 2
    for name in ("V", "norm", "powers"):
        assert_close(getattr(whole, name), getattr(fewer, name))
    assert_close(whole.T.alpha, fewer.T.alpha)
    assert_close(whole.T.beta, fewer.T.beta)


@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("K", [0, 1, 10])
def test_hops_from_V_are_plain_products(graph, X, K, dtype, self_loops):
    """Zero columns, isolated nodes and exhausted Krylov spaces too; errors on the scale of the column."""
    X = X.to(dtype)
    inputs, hop, P = Basis.of(graph, X, K, self_loops), X, propagation(graph, self_loops, dtype)
    size = torch.linalg.vector_norm(X, dim=0)
    hops = inputs.hops()
    assert hops.shape == (graph.n, K + 1, X.shape[1])
    for k in range(K + 1):
        error = torch.linalg.vector_norm(inputs.hop(k) - hop, dim=0)
        assert (error <= {torch.float64: 1e-12, torch.float32: 1e-5}[dtype] * size).all()
        assert torch.equal(hops[:, k], inputs.hop(k))
        hop = P @ hop


def test_a_P_with_loops_of_the_data_has_a_V_too(graph, X):
    A = dense(graph) + torch.eye(graph.n, dtype=X.dtype) / 2  # symmetric, and no propagation of a Graph
    assert_close(Basis.by(A, X, 3).hop(3), A @ A @ A @ X, rtol=1e-12, atol=1e-12)


def test_rows_are_rows(graph, X):
    inputs = Basis.of(graph, X, 3)
    some = inputs.rows(torch.tensor([2, 0]))
    assert some.n == 2
    assert_close(some.V, inputs.V[:, [2, 0]])
    assert some.K == 3


def test_a_padded_column_is_zero_in_every_mix(graph, X):
    inputs = Basis.of(graph, X, 3).padded(2)
    d = X.shape[1]
    Z = mix(inputs.V, inputs.powers)
    assert Z.shape[2] == d + 2
    assert (Z[:, :, d:] == 0).all()
    assert_close(Z[0, :, :d], X)


def test_newcomers_are_filtered_by_the_frozen_polynomials_of_the_grown_graph():
    """Only their neighbourhood is propagated, with the result of propagating everything."""
    old = Graph.from_edges(np.stack([np.arange(60), (np.arange(60) + 1) % 60]))  # a ring: 3 hops see little
    X = torch.randn(64, 5, dtype=torch.float64)
    inputs = Basis.of(old, X[:60], 3)
    new = np.array([[60, 61, 62, 62], [3, 40, 60, 41]])
    edges = np.concatenate([np.stack(old.edges()), new], axis=1)
    grown = Graph.from_edges(edges, n=64)  # node 63 comes alone
    nodes = np.array([62, 60, 63, 61])
    found = inputs.of_newcomers(grown, X, nodes)
    whole = orthonormal(inputs.T, inputs.norm)(propagation(grown, dtype=X.dtype), X, 3)
    top = 4 * inputs.V.abs().amax(dim=1, keepdim=True)
    assert_close(found.V[0], whole[0, nodes])
    assert_close(found.V[1:], whole[1:, nodes].clamp(-top[1:], top[1:]))
    assert (whole[:, nodes] == found.V).double().mean() > 0.9
    assert grown.ball(nodes, 3).size < 30


def test_the_old_nodes_of_an_unchanged_graph_keep_their_rows(graph, X):
    inputs = Basis.of(graph, X, 3)
    again = inputs.of_newcomers(graph, X, np.arange(graph.n))
    assert_close(again.V, inputs.V, rtol=1e-7, atol=1e-9)


def test_newcomers_of_a_graph_in_pieces_stay_in_range():
    """In small components Krylov spaces end, or nearly; what divides by their betas explodes elsewhere."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 4, (2, 300)) + 4 * rng.integers(0, 75, 300)  # components of up to 4 nodes
    old = Graph.from_edges(ends, n=300)
    X = torch.from_numpy((rng.random((340, 30)) > 0.98) * rng.random((340, 30))).float()
    inputs = Basis.of(old, X[:300], 10)
    new = np.stack([np.repeat(np.arange(300, 340), 2), rng.integers(0, 300, 80)])
    grown = Graph.from_edges(np.concatenate([np.stack(old.edges()[:2]), new], axis=1), n=340)
    free = orthonormal(inputs.T, inputs.norm)(propagation(grown, dtype=X.dtype), X, 10)[:, 300:]
    found = inputs.of_newcomers(grown, X, np.arange(300, 340)).V
    top = 4 * inputs.V.abs().amax(dim=1, keepdim=True)
    assert free.abs().max() > 100
    assert (found[1:].abs() <= top[1:]).all()
    assert_close(found[0], free[0])

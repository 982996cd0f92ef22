import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter import Graph, lanczos, propagation
from unifilter.graph.reordering import cuthill_mckee, permuted, reordered


def shuffled_grid(side, rng):
    """A square grid whose ids are scattered."""
    at = rng.permutation(side * side).reshape(side, side)
    right, down = (at[:, :-1].ravel(), at[:, 1:].ravel()), (at[:-1].ravel(), at[1:].ravel())
    return Graph.from_edges(np.concatenate([right, down], axis=1))


def reach(A):
    """How far neighbours lie from each other, on average."""
    rows = torch.repeat_interleave(torch.arange(A.scale.numel()), A.indptr.diff().long())
    return float((rows - A.indices).abs().double().mean())


def test_products_and_lanczos_are_those_of_the_caller_s_order(graph, P, X):
    Q = reordered(P)
    assert_close(Q @ X, P @ X, rtol=1e-13, atol=1e-13)
    assert_close(Q @ X[:, 0], P @ X[:, 0], rtol=1e-13, atol=1e-13)
    one, other = lanczos(P, X, 3), lanczos(Q, X, 3)
    assert_close(other.T.alpha, one.T.alpha, rtol=1e-10, atol=1e-10)
    for k in range(3):  # on small graphs later vectors are ill-conditioned, the equation is not
        V, T = other.V, other.T
        after = T.beta[k] * V[k + 1] + (T.beta[k - 1] * V[k - 1] if k else 0)
        assert_close(P @ V[k], T.alpha[k] * V[k] + after, rtol=1e-13, atol=1e-13)


def test_gradients_flow_through(P, X):
    x = X[:, :2].clone().requires_grad_()
    (reordered(P) @ x).square().sum().backward()
    assert_close(x.grad, 2 * (P @ (P @ X[:, :2])), rtol=1e-12, atol=1e-12)


def test_neighbours_lie_nearer_in_the_new_order():
    P = propagation(shuffled_grid(30, np.random.default_rng(0)))
    Q = reordered(P)
    assert reach(Q._inside._csr) < reach(P._csr) / 8


def test_an_order_of_one_s_own_is_taken():
    P = propagation(shuffled_grid(5, np.random.default_rng(0)), self_loops=True)
    order = np.random.default_rng(1).permutation(25)
    X = torch.randn(25, 3)
    assert_close(reordered(P, order) @ X, P @ X)
    assert torch.equal(reordered(P, order)._inside._csr.scale, P._csr.scale[torch.from_numpy(order)])


def test_rows_stay_sorted_and_keep_their_weights():
    rng = np.random.default_rng(2)
    P = propagation(Graph.from_edges(rng.integers(0, 40, (2, 120)), n=40, weights=rng.random(120)))
    Q = reordered(P)
    A = permuted(P._csr, Q._order, Q._place)
    for i in range(40):
        row = A.indices[A.indptr[i] : A.indptr[i + 1]]
        assert torch.equal(row, row.sort().values)
    assert_close(A.weights.sort().values, P._csr.weights.sort().values)


def test_another_device_or_precision_keeps_the_order(P, X):
    Q = reordered(P).to(dtype=torch.float32)
    assert Q.dtype == torch.float32
    assert Q.T is Q
    assert (Q.shape, Q.device, Q.bound) == (P.shape, P.device, P.bound)
    assert_close(Q @ X.float(), (P @ X).float())


def test_a_wrong_order_is_refused(P):
    with pytest.raises(ValueError, match="each of the"):
        reordered(P, np.zeros(P.shape[0], int))
    assert sorted(cuthill_mckee(P)) == list(range(P.shape[0]))

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph, propagation


@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_p_is_the_normalised_adjacency(graph, X, self_loops, dtype):
    P = propagation(graph, self_loops, dtype)
    assert_close(P @ X.to(dtype), (dense(graph, self_loops) @ X).to(dtype))


def test_p_is_its_own_adjoint(P, X):
    Y = torch.randn_like(X)
    assert_close((P @ X * Y).sum(), (X * (P @ Y)).sum())
    assert P.T is P


def test_the_backward_of_p_x_is_p_g(P, X):
    X = X.clone().requires_grad_()
    G = torch.randn_like(X)
    (P @ X).backward(G)
    assert torch.equal(X.grad, P @ G)


def test_second_derivatives_exist(P, X):
    x = X[:, :2].clone().requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x: (P @ x) ** 2, x)


def test_rows_of_isolated_nodes_are_zero():
    graph = Graph.from_edges([[0], [1]], n=3)
    x = torch.ones(3)
    assert (propagation(graph) @ x).tolist() == [1, 1, 0]
    assert_close(propagation(graph, self_loops=True) @ x, torch.ones(3))


def test_the_spectrum_of_a_ring_is_known():
    n = 9
    graph = Graph.from_edges(np.stack([np.arange(n), (np.arange(n) + 1) % n]))
    P = propagation(graph, dtype=torch.float64) @ torch.eye(n, dtype=torch.float64)
    wanted = torch.cos(2 * torch.pi * torch.arange(n, dtype=torch.float64) / n).sort().values
    assert_close(torch.linalg.eigvalsh(P), wanted)


def test_a_vector_gives_a_vector(P, X):
    assert_close(P @ X[:, 0], (P @ X)[:, 0], rtol=1e-14, atol=1e-14)


def test_strided_blocks_are_multiplied_as_they_are(P, X):
    assert_close(P @ X[:, 3:9], (P @ X)[:, 3:9], rtol=1e-14, atol=1e-14)
    assert_close(P @ X.T.contiguous().T, P @ X, rtol=1e-14, atol=1e-14)


def test_to_changes_precision(P, X):
    half = P.to(dtype=torch.float32)
    assert half.dtype == torch.float32
    assert_close(half @ X.float(), (P @ X).float())
    assert half.to("cpu").shape == P.shape


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ones(3), "torch.as_tensor"),
        (torch.ones(4), r"P has 3 rows"),
        (torch.ones(3, 1, 1), r"P has 3 rows"),
        (torch.ones(3, dtype=torch.float64), r"P.to\(X.device, X.dtype\)"),
    ],
)
def test_what_p_cannot_multiply_is_named(x, message):
    P = propagation(Graph.from_edges([[0, 1], [1, 2]]))
    with pytest.raises((TypeError, ValueError), match=message):
        P @ x


def test_repr_says_what_it_is():
    P = propagation(Graph.from_edges([[0, 1], [1, 2]]), self_loops=True)
    assert repr(P) == "Propagation(n=3, entries=4, self-loops, torch.float32)"


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("weight", [1e39, 1e308, 1e-46, 1e-100])
def test_weights_beyond_the_precision_are_refused(weight):
    graph = Graph.from_edges([[0, 1, 0], [1, 2, 2]], weights=[weight] * 3)
    with pytest.raises(
        ValueError, match=r"in float32, but those of node 0 to .*\. Divide all weights by one"
    ):
        propagation(graph)


@pytest.mark.parametrize("weight", [1e39, 1e-46])
def test_a_wider_precision_takes_wider_weights(weight):
    P = propagation(Graph.from_edges([[0], [1]], weights=[weight]), dtype=torch.float64)
    assert (P @ torch.ones(2, dtype=torch.float64)).tolist() == pytest.approx([1, 1], rel=1e-15)


def test_a_tiny_weight_beside_large_ones_is_none():
    P = propagation(Graph.from_edges([[0, 1, 0], [1, 2, 2]], weights=[1, 1, 1e-100]))
    assert torch.isfinite(P @ torch.eye(3)).all()

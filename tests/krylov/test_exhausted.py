"""A column ends where its Krylov space does, neither before nor behind it."""

import numpy as np
import pytest
import torch

from unifilter import Graph, lanczos, propagation
from unifilter.kernels import reference

K = 10


def small(seed):
    """A graph of a few nodes, often in pieces, with features of which many are 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 30))
    graph = Graph.from_edges(rng.integers(0, n, (2, int(rng.integers(n // 2, 2 * n)))), n=n)
    return graph, torch.from_numpy((rng.random((n, 4)) > 0.6) * rng.random((n, 4)))


def dimensions(graph, X):
    """Of the Krylov spaces: distinct eigenvalues of P whose eigenvectors a column has a part in."""
    values, vectors = np.linalg.eigh(
        (propagation(graph, dtype=torch.float64) @ torch.eye(graph.n).double()).numpy()
    )
    _, group = np.unique(np.cumsum(np.diff(values, prepend=values[:1]) > 1e-9), return_inverse=True)
    parts = np.zeros((group.max() + 1, X.shape[1]))
    np.add.at(parts, group, (vectors.T @ X.numpy()) ** 2)
    return (parts > 1e-20).sum(axis=0)


def fused(P, X):
    return lanczos(P, X, K)[1].beta


def plain(P, X):
    return reference.three_term(P, X, X.new_empty(K + 1, *X.shape)).beta


def with_gradients(P, X):
    return lanczos(P, X.requires_grad_(), K)[1].beta.detach()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("way", [fused, plain, with_gradients])
def test_rounding_errors_are_no_basis_vectors(way, dtype):
    """Of 1200 columns 4 may go on; some forty did where every beta was judged by itself."""
    beyond = before = 0
    for seed in range(300):
        graph, X = small(seed)
        wanted = np.minimum(dimensions(graph, X), K + 1)
        beta = way(propagation(graph, dtype=dtype), X.to(dtype))
        found = (X.abs().amax(dim=0) > 0).numpy() * (1 + (beta > 0).sum(dim=0).numpy())
        beyond += int((found > wanted).sum())
        before += int((found < wanted).sum())
    assert before == 0
    assert beyond <= 4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_are_no_rounding_errors_magnified(dtype):
    largest = 0.0
    for seed in range(300):
        graph, X = small(seed)
        X = X.to(dtype).requires_grad_()
        V = lanczos(propagation(graph, dtype=dtype), X, K)[0]
        (V * torch.linspace(-1, 1, V.numel(), dtype=dtype).view_as(V)).sum().backward()
        largest = max(largest, float(X.grad.abs().max()))
    assert largest < 1e5


def test_vectors_do_not_depend_on_the_order_of_the_nodes():
    """In float32; where a column went on in rounding errors, they were of a direction of their own."""
    for seed in range(100):
        graph, X = small(seed)
        order = np.random.default_rng(seed).permutation(graph.n)
        place = np.argsort(order)
        other = Graph.from_edges(place[np.stack(graph.edges()[:2])], n=graph.n)
        V, W = (
            lanczos(propagation(g, dtype=torch.float32), x.float(), K)[0]
            for g, x in ((graph, X), (other, X[order]))
        )
        assert (V[:, order] - W).abs().max() < 0.05, seed

"""Triton's recurrence against the reference and the promises of Lanczos: on a GPU, or interpreted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import gram_error
from unifilter import Graph, propagation
from unifilter.kernels import reference

RNG = np.random.default_rng(3)
EPS = {torch.float32: 1.2e-7, torch.float64: 2.3e-16}


@pytest.fixture
def recurrence(device, monkeypatch):
    """A function of P, X and K that gives V and what the recurrence found."""
    from unifilter.kernels import gpu, gpu_drift, gpu_lanczos

    if device == "cpu":  # the interpreter is slow: cut early, in small tiles
        for module, name, value in (
            (gpu, "SHORT", 16),
            (gpu_lanczos, "CHUNK", 16),
            (gpu_drift, "MEASURED", 16),
        ):
            monkeypatch.setattr(module, name, value)

    def found(P, X, K):
        A = P.to(device)._csr
        V = torch.full((K + 1, *X.shape), float("nan"), dtype=X.dtype, device=device)
        rest = gpu_lanczos.three_term(A, X.to(device), V, gpu.pieces(A.indptr))
        return V.cpu(), type(rest)(*(t.cpu() for t in rest))

    return found


def hub_and_ring(n):
    """An outlying eigenvalue converges after a few hops, and plain Lanczos finds it again and again."""
    hub = np.stack([np.zeros(n - 1, int), np.arange(1, n)])
    ring = np.stack([np.arange(1, n - 1), np.arange(2, n)])
    return Graph.from_edges(np.concatenate([hub, ring], axis=1))


def residual(P, V, found):
    """The largest entry of P V - V T, in float64."""
    P, V, worst = P.to(dtype=torch.float64), V.double(), 0.0
    for k in range(V.shape[0] - 1):
        after = found.beta[k] * V[k + 1] + (found.beta[k - 1] * V[k - 1] if k else 0)
        worst = max(worst, float((P @ V[k] - found.alpha[k] * V[k] - after).abs().max()))
    return worst


@pytest.mark.parametrize("d", [1, 20, 130])  # more than one tile of columns
@pytest.mark.parametrize("dtype", EPS)
def test_the_recurrence_agrees_with_the_reference(recurrence, d, dtype):
    edges = np.concatenate(
        [np.stack([np.zeros(40, int), np.arange(1, 41)]), RNG.integers(1, 40, (2, 30))], axis=1
    )
    P = propagation(Graph.from_edges(edges, n=43, weights=RNG.random(70)), self_loops=d == 1, dtype=dtype)
    X = torch.randn(43, d, dtype=dtype)
    if d > 1:
        X[:, 0] = 0  # a zero column stays zero
    wanted = torch.zeros(6, 43, d, dtype=dtype)
    first = reference.three_term(P, X, wanted)
    V, second = recurrence(P, X, 5)
    tolerance = {"rtol": 0, "atol": 200 * EPS[dtype]}
    assert_close(V, wanted, **tolerance)
    for name in ("alpha", "beta", "norm"):
        assert_close(getattr(second, name), getattr(first, name), **tolerance)


@pytest.mark.parametrize("dtype", EPS)
def test_vectors_stay_orthonormal_and_the_recurrence_holds(recurrence, dtype):
    P = propagation(hub_and_ring(40), dtype=dtype)
    X = torch.randn(40, 2, generator=torch.Generator().manual_seed(0), dtype=dtype)
    V, found = recurrence(P, X, 16)
    assert gram_error(V).max() < 50 * EPS[dtype]
    assert residual(P, V, found) < 50 * EPS[dtype]


def test_drift_that_nobody_expected_repeats_the_steps(recurrence, monkeypatch):
    """Blind to the expected drift, one long block: too much is lost to be put right in one go."""
    from unifilter.kernels import gpu_lanczos

    monkeypatch.setattr(gpu_lanczos, "EXPECTED", 1e9)
    monkeypatch.setattr(gpu_lanczos, "BLOCK", 22)
    steps, step = [], gpu_lanczos._normalised
    monkeypatch.setattr(
        gpu_lanczos, "_normalised", lambda V, k, *rest: (steps.append(k), step(V, k, *rest))[1]
    )
    P = propagation(hub_and_ring(40))
    X = torch.randn(40, 2, generator=torch.Generator().manual_seed(0))
    V, found = recurrence(P, X, 22)
    assert len(steps) > 22
    assert gram_error(V).max() < 1e-4
    assert residual(P, V, found) < 1e-5


@pytest.fixture
def multiplied(monkeypatch):
    """By k, the vector whose product the last one was."""
    from unifilter.kernels import gpu_lanczos

    of, multiply = {}, gpu_lanczos._multiplied
    monkeypatch.setattr(
        gpu_lanczos,
        "_multiplied",
        lambda A, V, k, *rest: (of.update({k: V[k].cpu().clone()}), multiply(A, V, k, *rest))[1],
    )
    return of


def test_a_step_that_cancels_is_measured_again_and_the_product_begun_after_it_redone(
    recurrence, multiplied, monkeypatch
):
    """Close to an eigenvector, w - alpha v is far smaller than both: its norm is not the one foreseen."""
    from unifilter.kernels import gpu_drift

    monkeypatch.setattr(gpu_drift, "FINE", 1e9)  # nothing is put right afterwards
    graph = hub_and_ring(40)
    eigenvector = torch.from_numpy(np.sqrt(graph.degrees)).float()
    X = torch.stack(
        [torch.randn(40), eigenvector + 1e-2 * torch.randn(40, generator=torch.Generator().manual_seed(0))],
        dim=1,
    )
    P = propagation(graph)
    V, found = recurrence(P, X, 3)
    assert found.beta[0, 1] < 0.1
    assert (V[1].double().square().sum(dim=0) - 1).abs().max() < 1e-6
    assert all(torch.equal(v, V[k]) for k, v in multiplied.items())
    assert residual(P, V, found) < 1e-6


def test_drift_that_is_put_right_between_two_steps_redoes_the_product_begun_before(
    recurrence, multiplied, monkeypatch
):
    from unifilter.kernels import gpu_drift, gpu_lanczos

    monkeypatch.setattr(gpu_lanczos, "EXPECTED", 0.0)  # after every step,
    monkeypatch.setattr(gpu_drift, "FINE", 0)  # down to the last bit
    P = propagation(hub_and_ring(40))
    V, found = recurrence(P, torch.randn(40, 2, generator=torch.Generator().manual_seed(0)), 6)
    assert sorted(multiplied) == list(range(6))
    assert all(torch.equal(v, V[k]) for k, v in multiplied.items())
    assert residual(P, V, found) < 5e-6


@pytest.mark.parametrize("dtype", EPS)
def test_a_column_ends_where_its_krylov_space_does(recurrence, dtype):
    """A star has the eigenvalues -1, 0 and 1: three dimensions."""
    star = Graph.from_edges(np.stack([np.zeros(23, int), np.arange(1, 24)]))
    V, found = recurrence(propagation(star, dtype=dtype), torch.randn(24, 3, dtype=dtype), 6)
    assert (found.beta[3:] == 0).all()
    assert not V[4:].any()
    assert gram_error(V).max() < 50 * EPS[dtype]


def test_columns_of_any_size_are_normalised(recurrence):
    """Norms whose squares or reciprocals float32 does not hold."""
    P, X = propagation(hub_and_ring(20)), torch.randn(20, 3)
    sizes = torch.tensor([1e-30, 1e30, 1e-41])
    V, found = recurrence(P, X * sizes, 2)
    assert_close(found.norm, (X * sizes).double().norm(dim=0))
    assert_close(V[:, :, :2], recurrence(P, X, 2)[0][:, :, :2], rtol=0, atol=1e-5)
    assert torch.isfinite(V).all()


def test_the_same_input_gives_the_same_bits(recurrence):
    P, X = propagation(hub_and_ring(20)), torch.randn(20, 3)
    assert torch.equal(recurrence(P, X, 4)[0], recurrence(P, X, 4)[0])


@pytest.mark.parametrize("dtype", EPS)
def test_columns_end_where_the_reference_ends_them(recurrence, dtype):
    """Graphs on which small betas magnify rounding errors: all of these columns went on in them once."""
    wrong = 0
    for seed in (172, 266, 279, 291):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 30))
        graph = Graph.from_edges(rng.integers(0, n, (2, int(rng.integers(n // 2, 2 * n)))), n=n)
        X = torch.from_numpy((rng.random((n, 4)) > 0.6) * rng.random((n, 4))).to(dtype)
        P = propagation(graph, dtype=dtype)
        plain = reference.three_term(P, X, X.new_empty(11, n, 4))
        V, found = recurrence(P, X, 10)
        wrong += int(((found.beta > 0) != (plain.beta > 0)).any(dim=0).sum())
        assert not V[1:][(found.beta == 0)[:, None].expand(10, n, 4)].any()
    assert wrong <= 1

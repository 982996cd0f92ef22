import numba
import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import gram_error
from unifilter import Graph, propagation
from unifilter.kernels import cpu, reference
from unifilter.kernels.csr import schedule

WIDTHS = [0, 1, 3, 8, 15, 16, 17, 64, 75, 130]


def skewed(weights: bool) -> Graph:
    """A hub that holds most entries, rows of every length, an isolated node."""
    rng = np.random.default_rng(3)
    hub = np.stack([np.zeros(300, int), np.arange(1, 301)])
    rest = rng.integers(1, 300, (2, 400))
    edges = np.concatenate([hub, rest], axis=1)
    return Graph.from_edges(edges, n=305, weights=rng.random(700) if weights else None)


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("self_loops", [False, True])
def test_spmm_agrees_with_the_reference(d, dtype, weights, self_loops):
    A = propagation(skewed(weights), self_loops, dtype)._csr
    X = torch.randn(305, d, dtype=dtype)
    for shares in (1, 64):
        plan = schedule(A.indptr, shares, least=20)
        assert (plan.pieces.shape[0] > 0) == (shares == 64)
        eps = torch.finfo(dtype).eps
        assert_close(cpu.spmm(A, X, plan), reference.spmm(A, X), rtol=20 * eps, atol=20 * eps)


def test_spmm_does_not_depend_on_the_number_of_threads():
    A = propagation(skewed(False))._csr
    X, plan = torch.randn(305, 40), schedule(A.indptr, 64, least=20)
    threads = numba.get_num_threads()
    try:
        results = []
        for count in (1, threads):
            numba.set_num_threads(count)
            results.append(cpu.spmm(A, X, plan))
    finally:
        numba.set_num_threads(threads)
    assert torch.equal(*results)


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("weights", [False, True])
def test_three_term_agrees_with_the_reference(d, dtype, weights):
    P = propagation(skewed(weights), self_loops=weights, dtype=dtype)
    X = torch.randn(305, d, dtype=dtype)
    V, W = torch.empty(5, 305, d, dtype=dtype), torch.empty(5, 305, d, dtype=dtype)
    ours, theirs = cpu.three_term(P._csr, X, V, P._plan), reference.three_term(P, X, W)
    tolerance = 500 * torch.finfo(dtype).eps
    assert_close(V, W, rtol=tolerance, atol=tolerance)
    for a, b in zip(ours, theirs, strict=True):
        assert_close(a, b, rtol=tolerance, atol=tolerance)


def test_three_term_reads_and_writes_columns_of_larger_arrays():
    P = propagation(skewed(False))
    X, V = torch.randn(305, 50), torch.zeros(4, 305, 60)
    alone = torch.empty(4, 305, 20)
    cpu.three_term(P._csr, X[:, 10:30].contiguous(), alone, P._plan)
    cpu.three_term(P._csr, X[:, 10:30], V[:, :, 5:25], P._plan)
    assert torch.equal(V[:, :, 5:25], alone)
    assert not V[:, :, :5].any()
    assert not V[:, :, 25:].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("d", [3, 40])
def test_three_term_ends_columns_and_keeps_the_rest_orthonormal(dtype, d):
    """A complete graph has two eigenvalues, so the third vector would be rounding error made long.

    Beside it, columns next to the leading eigenvector, which lose orthogonality without ending.
    """
    n = 60
    complete = propagation(Graph.from_edges(np.stack(np.triu_indices(n, 1))), dtype=dtype)
    V = torch.empty(8, n, d, dtype=dtype)
    found = cpu.three_term(complete._csr, 1 + torch.randn(n, d, dtype=dtype), V, complete._plan)
    assert not V[2:].any()
    assert (found.beta[0] > 0).all()
    assert not found.beta[1:].any()
    P = propagation(skewed(False), dtype=dtype)
    X = P._csr.scale.clamp_min(1e-3)[:, None] ** -1 + 1e-2 * torch.randn(305, d, dtype=dtype)
    V = torch.empty(21, 305, d, dtype=dtype)
    cpu.three_term(P._csr, X, V, P._plan)
    assert gram_error(V).max() < 5 * reference.tolerated(dtype)
    assert V[-1].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sharing_out_rows_or_tiles_gives_the_same_vectors(dtype):
    P = propagation(skewed(False), dtype=dtype)
    plan = schedule(P._csr.indptr, 64, least=20)
    assert plan.ranges.shape[0] > 20
    X, threads = torch.randn(305, 40, dtype=dtype), numba.get_num_threads()
    V = torch.empty(2, 5, 305, 40, dtype=dtype)
    try:
        numba.set_num_threads(1)
        tiles = cpu.three_term(P._csr, X, V[0], plan)
    finally:
        numba.set_num_threads(threads)
    W = 64 // dtype.itemsize
    columns = [cpu.three_term(P._csr, X[:, at : at + 1], V[1][:, :, at : at + 1], plan) for at in range(40)]
    assert W < 40
    tolerance = 500 * torch.finfo(dtype).eps
    assert_close(V[1], V[0], rtol=tolerance, atol=tolerance)
    assert_close(torch.cat([c.norm for c in columns]), tiles.norm)


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("J", [1, 3, 5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_mix_and_correlate_agree_with_the_reference(d, J, dtype):
    V, C = torch.randn(5, 70, d, dtype=dtype), torch.randn(J, 5, d, dtype=dtype)
    G, out = torch.randn(J, 70, d, dtype=dtype), torch.empty(J, 70, d, dtype=dtype)
    cpu.mix(V, C, out)
    tolerance = 100 * torch.finfo(dtype).eps
    assert_close(out, reference.mix(V, C), rtol=tolerance, atol=tolerance)
    assert_close(cpu.correlate(G, V), reference.correlate(G, V), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("d", [1, 16, 35])
def test_half_precision_v_is_mixed_in_float32(d):
    """The same as its float32 copy, to the last bit: a bfloat16 is the upper half of a float32."""
    V, C, G = torch.randn(5, 70, d).bfloat16(), torch.randn(3, 5, d), torch.randn(3, 70, d)
    whole = V.float()
    mixed, wanted = torch.empty(3, 70, d), torch.empty(3, 70, d)
    cpu.mix(V, C, mixed)
    cpu.mix(whole, C, wanted)
    assert torch.equal(mixed, wanted)
    assert torch.equal(cpu.correlate(G, V), cpu.correlate(G, whole))
    assert torch.equal(cpu.mix_dropped(V, C, 0.4, 7, False), cpu.mix_dropped(whole, C, 0.4, 7, False))
    back = (cpu.correlate_dropped(G[0], of, 3, 0.4, 7, False) for of in (V, whole))
    assert torch.equal(*back)
    rounded = torch.empty(3, 70, d, dtype=torch.bfloat16)
    cpu.mix(V, C, rounded)
    assert torch.equal(rounded, wanted.bfloat16())


@pytest.mark.parametrize("d", [16, 21])
def test_mix_may_overwrite_v(d):
    V, C = torch.randn(5, 70, d), torch.randn(5, 5, d)
    wanted = reference.mix(V, C)
    cpu.mix(V, C, V)
    assert_close(V, wanted)


def test_half_precision_is_refused_with_the_way_out():
    P = propagation(skewed(False), dtype=torch.bfloat16)
    with pytest.raises(TypeError, match="float32 or float64.*convert"):
        P @ torch.ones(305, 2, dtype=torch.bfloat16)


@pytest.mark.parametrize("d", [1, 16, 35])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.9])
def test_dropped_mixes_draw_the_masks_of_the_reference(d, dtype, p):
    V, C, G = (torch.randn(*s, dtype=dtype) for s in ((5, 70, d), (3, 5, d), (70, d)))
    tolerance = 200 * torch.finfo(dtype).eps
    for seed, lower in ((1, False), (2**31 + 5, True)):
        C = C * torch.tril(torch.ones(3, 5, dtype=dtype))[:, :, None] if lower else C
        drawn = (p, seed, lower)
        got, wanted = cpu.mix_dropped(V, C, *drawn), reference.mix_dropped(V, C, *drawn)
        assert_close(got, wanted, rtol=tolerance, atol=tolerance)
        got, wanted = cpu.correlate_dropped(G, V, 3, *drawn), reference.correlate_dropped(G, V, 3, *drawn)
        assert_close(got, wanted, rtol=tolerance, atol=10 * tolerance)


def test_warming_up_changes_nothing():
    from unifilter.kernels import cpu, team

    before = team.SMALL
    cpu.warm_up()
    assert before == team.SMALL

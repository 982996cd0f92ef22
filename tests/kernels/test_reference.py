import pytest
import torch
from torch.testing import assert_close

from helpers import dense, gram_error
from unifilter import propagation
from unifilter.kernels import reference


@pytest.mark.parametrize("self_loops", [False, True])
def test_the_product_is_that_of_the_dense_matrix(graph, X, self_loops):
    P = propagation(graph, self_loops, torch.float64)
    assert_close(reference.spmm(P._csr, X), dense(graph, self_loops) @ X)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_recurrence_stays_orthonormal_to_the_end_of_every_column(graph, X, dtype):
    V = torch.empty(12, *X.shape, dtype=dtype)
    found = reference.three_term(propagation(graph, dtype=dtype), X.to(dtype), V)
    assert gram_error(V).max() < 5 * reference.tolerated(dtype)
    assert_close(found.norm, torch.linalg.vector_norm(X, dim=0), rtol=1e-6, atol=0)


def test_only_columns_that_lost_orthogonality_are_touched(X):
    V = torch.linalg.qr(X[:, :1])[0].expand(-1, 3)[None]
    r = torch.randn(X.shape[0], 3, dtype=torch.float64)
    r -= (V[0] * r).sum(dim=0) * V[0]
    bad = r.clone()
    bad[:, 1] += 1e-6 * V[0, :, 1]
    size = torch.linalg.vector_norm(bad, dim=0)
    mended, _ = reference.reorthogonalise(V, bad, size)
    assert torch.equal(mended[:, [0, 2]], bad[:, [0, 2]])
    assert_close(mended[:, 1], r[:, 1])


def test_mix_and_correlate_are_adjoint():
    V, C, G = torch.randn(3, 5, 2), torch.randn(4, 3, 2), torch.randn(4, 5, 2)
    assert_close((reference.mix(V, C) * G).sum(), (C * reference.correlate(G, V)).sum())


def test_masks_are_fair_and_independent():
    """The share kept, for every hop and column, and the correlation of neighbours in every direction."""
    keep = reference.keep(7, (5, 4000, 30), 0.3, torch.device("cpu")).double()
    assert abs(keep.mean() - 0.7) < 0.003
    assert (keep.mean(dim=1) - 0.7).abs().max() < 5 * (0.21 / 4000) ** 0.5
    centred = keep - 0.7
    for a, b in (
        (centred[1:], centred[:-1]),
        (centred[:, 1:], centred[:, :-1]),
        (centred[..., 1:], centred[..., :-1]),
    ):
        assert abs((a * b).mean() / 0.21) < 5 / a.numel() ** 0.5
    other = reference.keep(8, (5, 4000, 30), 0.3, torch.device("cpu")).double() - 0.7
    assert abs((centred * other).mean() / 0.21) < 5 / keep.numel() ** 0.5


def test_a_beta_is_judged_beside_the_least_before_it():
    """A vector behind a beta of 1e-3 is rounding error to a thousand eps."""
    eps = torch.finfo(torch.float64).eps
    size = torch.tensor([1e4 * eps, 1e5 * eps, 1e4 * eps], dtype=torch.float64)
    least, largest = torch.tensor([1e-3, 1e-3, 1.0], dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    beta, now = reference.judged(size, least, largest, torch.float64)
    assert (beta > 0).tolist() == [False, True, True]
    assert_close(now, torch.stack([beta[0], size[1], size[2]]))
    assert not reference.judged(torch.ones(3), now * 0, largest, torch.float64)[
        0
    ].any()  # what ended stays so

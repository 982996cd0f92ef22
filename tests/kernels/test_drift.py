import pytest
import torch
from torch.testing import assert_close

from unifilter.kernels import drift

DOUBLE = torch.float64
ONES = torch.ones(2, dtype=DOUBLE)


def plain(n, K, noise=0.0, seed=0):
    """Plain Lanczos on a matrix with an outlying eigenvalue; ``noise`` stands for rounding errors."""
    g = torch.Generator().manual_seed(seed)
    lam = torch.linspace(0.2, 0.8, n, dtype=DOUBLE)
    lam[-1] = 1.5
    P = torch.diag(lam)
    V = torch.randn(1, n, 2, dtype=DOUBLE, generator=g)
    V /= V.norm(dim=1, keepdim=True)
    alpha, beta = [], []
    for k in range(K):
        w = P @ V[k] - (beta[-1] * V[k - 1] if k else 0)
        alpha.append((w * V[k]).sum(0))
        w = w - alpha[-1] * V[k] + noise * torch.randn(n, 2, dtype=DOUBLE, generator=g)
        beta.append(w.norm(dim=0))
        V = torch.cat([V, (w / beta[-1])[None]])
    return P, V, torch.stack(alpha), torch.stack(beta)


def gram(V, begin):
    G = torch.einsum("ind,jnd->ijd", V[begin:], V)
    return G * torch.ones(G.shape[:2], dtype=DOUBLE).tril(begin)[:, :, None]


def test_drift_is_expected_where_it_happens():
    """Within a factor of 30, from rounding errors to the loss of everything."""
    noise = 1e-9
    _, V, alpha, beta = plain(60, 9, noise)
    before, now = torch.zeros(0, 2, dtype=DOUBLE), torch.ones(1, 2, dtype=DOUBLE)
    for k in range(9):
        before, now = now, drift.expected(before, now, alpha[: k + 1], beta[: k + 1], noise)
        measured = torch.einsum("nd,jnd->jd", V[k + 1], V[: k + 1]).abs().amax()
        assert measured / 30 < now[: k + 1].abs().max() < max(30 * measured, 1e-7)
    assert now[:9].abs().max() > 1e-4


@pytest.mark.parametrize("old", [1, 3])
def test_vectors_that_drifted_by_several_per_cent_are_orthonormal_again(old):
    _, V, alpha, beta = plain(60, 7, 1e-9)
    clean = torch.linalg.qr(V[:old].permute(2, 1, 0)).Q.permute(2, 1, 0)
    V = torch.cat([clean * (clean * V[:old]).sum(1, keepdim=True).sign(), V[old:]])
    V[old + 2] += 0.05 * V[old]  # as large as is put right in one go
    V[old + 2] /= V[old + 2].norm(dim=0)
    G = gram(V, old)
    rows = [torch.cat([torch.zeros(1, 2, dtype=DOUBLE), t])[old - 1 :] for t in (alpha, beta)]
    C, _, _ = drift.correction(G, torch.tensor([True, True]), *rows, ONES, 1e-12)
    found = torch.cat([V[:old], torch.einsum("ijd,jnd->ind", C, V)])
    whole = torch.einsum("ind,jnd->dij", found, found)
    assert_close(whole, torch.eye(8, dtype=DOUBLE).expand(2, 8, 8), rtol=0, atol=1e-13)


def test_alpha_and_beta_follow_the_correction():
    """V R with any upper triangular R near I: V and its T are found again, to rounding."""
    _, V, alpha, beta = plain(60, 4)
    T = torch.diag_embed(alpha.T) + torch.diag_embed(beta[:3].T, 1) + torch.diag_embed(beta[:3].T, -1)
    T = torch.cat([T, torch.nn.functional.pad(beta[3:].T[:, None], (3, 0))], dim=1)  # (2, 5, 4)
    R = torch.eye(5, dtype=DOUBLE) + 0.05 * torch.randn(2, 5, 5, dtype=DOUBLE).triu()
    R[:, :, 0] = torch.eye(5, dtype=DOUBLE)[0]
    moved = torch.einsum("jnd,djk->knd", V, R)
    H = torch.linalg.inv(R) @ T @ R[:, :4, :4]
    start = torch.zeros(1, 2, dtype=DOUBLE)
    rows = [
        torch.cat([start, torch.diagonal(H, offset, 1, 2)[:, :4].T]) for offset in (0, -1)
    ]  # what plain Lanczos would have noted
    C, a, b = drift.correction(gram(moved, 1), torch.tensor([True, True]), *rows, ONES, 1e-12)
    assert_close(torch.einsum("ijd,jnd->ind", C, moved), V[1:], rtol=0, atol=1e-12)
    assert_close(a, alpha, rtol=0, atol=1e-12)
    assert_close(b, beta, rtol=0, atol=1e-12)


def test_other_columns_and_columns_that_have_ended_stay_as_they_are():
    _, V, alpha, beta = plain(60, 4, 1e-6)
    V[3:, :, 1] = 0
    beta[2:, 1] = 0
    rows = [torch.cat([torch.zeros(1, 2, dtype=DOUBLE), t]) for t in (alpha, beta)]
    C, _, b = drift.correction(gram(V, 1), torch.tensor([False, True]), *rows, ONES, 1e-12)
    found = torch.einsum("ijd,jnd->ind", C, V)
    assert torch.equal(found[:, :, 0], V[1:, :, 0])
    assert torch.equal(b[:, 0], beta[:, 0])
    assert not found[2:, :, 1].any()
    assert not b[2:, 1].any()


def test_only_vectors_that_leave_the_gram_matrix_definite_are_put_right_together():
    _, V, _, _ = plain(60, 6, 1e-12)
    V[5] = V[2] + 0.1 * V[5]  # almost the same vector twice
    assert drift.sound(gram(V[:5], 1)) == 4
    assert drift.sound(gram(V, 1)) == 4
    V[1] = V[0]
    assert drift.sound(gram(V, 1)) == 1

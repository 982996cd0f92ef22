import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter import frequency, lanczos, mix, signal_frequency
from unifilter.krylov import complete


def test_frequency_is_half_the_rayleigh_quotient_of_the_laplacian(graph, P, X):
    L = torch.eye(graph.n, dtype=torch.float64) - dense(graph)
    wanted = torch.einsum("nd,nm,md->d", X, L, X) / (X * X).sum(dim=0) / 2
    assert_close(signal_frequency(P, X), wanted, equal_nan=True)


def test_a_zero_column_has_no_frequency(P, X):
    assert signal_frequency(P, X).isnan().nonzero().flatten().tolist() == [7]


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_the_norm_of_a_column_does_not_matter(P, X, scale):
    dtype = torch.float32 if 1e-38 < scale < 1e38 else torch.float64  # whose squares are 0 or inf
    P, X = P.to(dtype=dtype), X.to(dtype)
    assert_close(signal_frequency(P, scale * X), signal_frequency(P, X), equal_nan=True, atol=1e-6, rtol=0)
    krylov = lanczos(P, X, 4)
    T, c = complete(P, krylov), krylov.norm * krylov.T.e1
    assert_close(frequency(T, scale * c), frequency(T, c), equal_nan=True, atol=1e-6, rtol=0)


def test_the_small_side_knows_the_frequency_of_every_mix(P, X):
    krylov = lanczos(P, X, 4)
    c = torch.randn(3, 5, X.shape[1], dtype=torch.float64)
    c = torch.where((krylov.V != 0).any(dim=1), c, 0)
    T = complete(P, krylov)
    wanted = torch.stack([signal_frequency(P, z) for z in mix(krylov.V, c)])
    assert_close(frequency(T, c), wanted, equal_nan=True)
    assert complete(P, krylov._replace(T=T)) is T


def test_an_incomplete_t_is_refused_with_the_way_out(P, X):
    T = lanczos(P, X, 2).T
    with pytest.raises(ValueError, match=r"krylov.complete\(P, krylov\)"):
        frequency(T, T.e1)

import numpy as np
import pytest
import torch
from scipy.interpolate import BPoly
from scipy.special import eval_chebyt, eval_jacobi, eval_legendre
from scipy.stats import binom
from torch.testing import assert_close

from unifilter import lanczos, mix
from unifilter.bases import Diagonal, bernstein, chebyshev, jacobi, legendre, monomial
from unifilter.krylov import Tridiagonal


def jacobi_skewed(A, x, K):
    return jacobi(A, x, K, a=1.5, b=-0.25)


BASES = [monomial, chebyshev, legendre, jacobi, jacobi_skewed, bernstein]
t = np.linspace(-1, 1, 33)


def on_frequencies(basis, K):
    return basis(Diagonal(torch.from_numpy(t)), torch.ones(33, dtype=torch.float64), K).numpy()


@pytest.mark.parametrize("basis", BASES, ids=lambda b: b.__name__)
@pytest.mark.parametrize("K", [0, 1, 10])
def test_a_basis_of_T_mixed_by_V_is_the_basis_of_P(basis, K, P, X):
    """p_k(P) x = ||x|| V p_k(T) e1, the fact this library rests on."""
    V, T, norm = lanczos(P, X, K)
    # The polynomials themselves grow on [-1, 1]: jacobi_skewed to 60 at K = 10.
    size = np.abs(on_frequencies(basis, K)).max()
    assert_close(mix(V, basis(T, norm * T.e1, K)), basis(P, X, K), rtol=1e-11, atol=1e-12 * size)


@pytest.mark.parametrize(
    ("basis", "value"),
    [
        (monomial, lambda k: t**k),
        (chebyshev, lambda k: eval_chebyt(k, t)),
        (legendre, lambda k: eval_legendre(k, t)),
        (jacobi, lambda k: eval_jacobi(k, 1, 1, t)),
        (jacobi_skewed, lambda k: eval_jacobi(k, 1.5, -0.25, t)),
        (bernstein, lambda k: BPoly(np.eye(9)[:, [k]], [0, 2])(1 - t)),
    ],
    ids=lambda b: getattr(b, "__name__", ""),
)
def test_the_polynomials_agree_with_scipy(basis, value):
    ours = on_frequencies(basis, 8)
    for k in range(9):
        np.testing.assert_allclose(ours[k], value(k), atol=1e-12)


def test_bernstein_polynomials_are_shares_of_one():
    b = on_frequencies(bernstein, 10)
    assert (b >= 0).all()
    np.testing.assert_allclose(b.sum(axis=0), 1)


@pytest.mark.parametrize(("basis", "products"), [(monomial, 5), (chebyshev, 5), (jacobi, 5), (bernstein, 15)])
def test_the_stated_number_of_products_is_the_real_one(basis, products):
    class Counted(Diagonal):
        count = 0

        def __matmul__(self, x):
            Counted.count += 1
            return super().__matmul__(x)

    basis(Counted(torch.from_numpy(t)), torch.ones(33), 5)
    assert Counted.count == products


@pytest.mark.parametrize("basis", [monomial, chebyshev, legendre, jacobi, bernstein])
def test_the_small_matrix_is_not_asked_beyond_its_hops(basis):
    T = Tridiagonal(torch.zeros(3, 2), torch.ones(3, 2))
    assert basis(T, T.e1, 3).shape == (4, 4, 2)
    with pytest.raises(ValueError, match="T has 3 hops, so it reaches .* but K is 4"):
        basis(T, T.e1, 4)


@pytest.mark.parametrize("basis", [monomial, chebyshev, legendre, jacobi, bernstein])
def test_a_degree_is_not_negative(basis):
    with pytest.raises(ValueError, match="K must not be negative, but is -1"):
        basis(Diagonal(torch.ones(3)), torch.ones(3, 1), -1)


@pytest.mark.parametrize("K", [10, 40, 100])
def test_bernstein_polynomials_lose_no_digit_in_float32(K):
    t = torch.linspace(-1, 1, 101)
    found = bernstein(Diagonal(t), torch.ones(101), K)
    k, lam = np.arange(K + 1)[:, None], (1 - t.double().numpy()) / 2
    np.testing.assert_allclose(found.numpy(), binom.pmf(k, K, lam), atol=2e-6)

import pytest
import torch
from torch.testing import assert_close

from unifilter import lanczos, mix
from unifilter.bases import bernstein, chebyshev, heterophily, monomial, orthonormal, response, unibasis


@pytest.mark.parametrize("basis", [monomial, chebyshev, bernstein], ids=lambda b: b.__name__)
def test_the_response_is_what_the_filter_does_to_eigenvectors(graph, P, basis):
    lam, phi = torch.linalg.eigh(
        torch.eye(graph.n, dtype=torch.float64) - P @ torch.eye(graph.n, dtype=torch.float64)
    )
    w = torch.randn(5, dtype=torch.float64)
    filtered = torch.einsum("k,knd->nd", w, basis(P, phi, 4))
    assert_close(filtered, response(w, lam, basis) * phi, rtol=1e-9, atol=1e-9)


def test_coefficients_in_v_have_a_response_per_column(graph, P, X):
    """UniBasis too: the filtered signal is g(L) x, column by column."""
    L = torch.eye(graph.n, dtype=torch.float64) - P @ torch.eye(graph.n, dtype=torch.float64)
    lam, phi = torch.linalg.eigh(L)
    V, T, norm = lanczos(P, X, 3)
    g = torch.einsum("k,kjd->jd", torch.randn(4, dtype=torch.float64), unibasis(T, norm, 0.4, 0.3))
    gain = response(g, lam, orthonormal(T, norm))
    assert gain.shape == (graph.n, 20)
    # Past the end of a Krylov space v_k = 0: coefficients there do nothing, and neither does their response.
    assert_close(phi @ (gain * (phi.T @ X)), mix(V, g), rtol=1e-7, atol=1e-7)


def test_shared_weights_give_one_curve_and_others_one_each():
    lam = torch.linspace(0, 2, 5)
    assert response(torch.ones(3), lam).shape == (5,)
    assert response(torch.ones(3, 4), lam, chebyshev).shape == (5, 4)


def test_it_is_differentiable_in_the_coefficients():
    w = torch.randn(4, dtype=torch.float64, requires_grad=True)
    lam = torch.linspace(0, 2, 7, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda w: response(w, lam, chebyshev), w)


def test_the_orthonormal_basis_is_heterophily_zero():
    assert_close(heterophily(3, 0.0), torch.eye(4), rtol=1e-7, atol=1e-7)


def test_frequencies_may_be_whole_numbers():
    w = torch.tensor([0.5, 0.5])
    assert_close(response(w, torch.tensor([0, 1, 2])), response(w, torch.tensor([0.0, 1.0, 2.0])))


def test_one_set_of_weights_in_the_basis_of_every_column_has_a_response_for_each(P, X):
    _, T, norm = lanczos(P, X, 3)
    w, lam = torch.rand(4, dtype=torch.float64), torch.linspace(0, 2, 5, dtype=torch.float64)
    one = response(w, lam, orthonormal(T, norm))
    assert_close(one, response(w[:, None].expand(-1, X.shape[1]), lam, orthonormal(T, norm)))

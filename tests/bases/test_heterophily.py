import math

import pytest
import torch
from torch.testing import assert_close

from helpers import algorithm_1
from unifilter import lanczos, mix
from unifilter.bases import heterophily, unibasis


def tensor(h):
    return torch.tensor(h, dtype=torch.float64)


@pytest.mark.parametrize("h", [0.0, 0.1, 0.22, 0.5, 0.81, 0.999, 1.0])
@pytest.mark.parametrize("K", [0, 1, 10, 200])
def test_all_angles_are_theta_for_every_h(h, K):
    L = heterophily(K, tensor(h))
    c = math.cos(math.pi / 2 * (1 - h))
    wanted = (1 - c) * torch.eye(K + 1, dtype=torch.float64) + c
    assert_close(L @ L.T, wanted, rtol=1e-12, atol=1e-12)
    assert_close(L, L.tril(), rtol=0, atol=0)


@pytest.mark.parametrize("h", [0.1, 0.22, 0.5, 0.81])
def test_the_closed_form_is_the_cholesky_factor_of_the_gram_matrix(h):
    c = math.cos(math.pi / 2 * (1 - h))
    G = (1 - c) * torch.eye(11, dtype=torch.float64) + c
    assert_close(heterophily(10, tensor(h)), torch.linalg.cholesky(G), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("h", [0.1, 0.22, 0.81])
def test_the_closed_form_is_algorithm_1(P, X, h):
    """On as many hops as every column has, since Algorithm 1 divides 0 by 0 past the end."""
    V, T, _ = lanczos(P, X, 3)
    alive = torch.nonzero((T.beta > 1e-8).all(dim=0)).flatten().tolist()
    L = heterophily(3, tensor(h))[:, :, None].expand(-1, -1, X.shape[1])
    U = mix(V, L)
    for i in alive:
        assert_close(U[:, :, i], torch.stack(algorithm_1(P, X[:, i], 3, h)), rtol=1e-8, atol=1e-8)


def test_the_ends_are_the_orthonormal_basis_and_one_vector():
    assert_close(heterophily(5, tensor(0.0)), torch.eye(6, dtype=torch.float64), rtol=1e-15, atol=1e-15)
    wanted = torch.zeros(6, 6, dtype=torch.float64)
    wanted[:, 0] = 1
    assert_close(heterophily(5, tensor(1.0)), wanted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("h", [0.0, 0.3, 1.0])
def test_it_is_differentiable_on_all_of_the_interval(h):
    h = tensor(h).requires_grad_()
    jacobian = torch.autograd.functional.jacobian(lambda h: heterophily(4, h), h)
    assert torch.isfinite(jacobian).all()
    if 0 < h < 1:
        assert torch.autograd.gradcheck(lambda h: heterophily(4, h), h)


def test_every_column_may_have_its_own_h():
    h = tensor([0.2, 0.7])
    both = heterophily(3, h)
    assert both.shape == (4, 4, 2)
    assert_close(both[:, :, 1], heterophily(3, h[1]))


@pytest.mark.parametrize("h", [-0.1, 1.5, math.nan])
def test_a_number_that_is_no_ratio_is_refused(h):
    with pytest.raises(ValueError, match=r"h is a ratio in \[0, 1\], but is"):
        heterophily(3, h)
    _, T, norm = lanczos(torch.eye(3), torch.ones(3, 1), 1)
    with pytest.raises(ValueError, match=r"h is a ratio in \[0, 1\], but is"):
        unibasis(T, norm, 0.5, h)


def test_hops_are_not_negative():
    with pytest.raises(ValueError, match="K must not be negative, but is -1"):
        heterophily(-1, 0.5)

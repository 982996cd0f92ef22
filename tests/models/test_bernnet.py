import numpy as np
import pytest
import torch
from scipy.interpolate import BPoly
from torch import nn
from torch.testing import assert_close

from helpers import Counting, dense
from unifilter.bases import bernstein
from unifilter.models.bernnet import BernNet, Config, bernstein_sum


@pytest.mark.parametrize("K", [0, 1, 2, 10])
def test_two_k_products_give_the_sum_of_all_bernstein_polynomials(graph, X, K):
    w = torch.linspace(-1, 2, K + 1, dtype=torch.float64)
    P = Counting(dense(graph))
    found = bernstein_sum(P, X, w)
    assert len(P.columns) == 2 * K
    assert_close(found, torch.einsum("k,knd->nd", w, bernstein(dense(graph), X, K)), rtol=1e-12, atol=1e-13)


def test_logits_are_the_authors_formula(graph, X):
    """2^-K binom(K, k) relu(theta_k) (2I - L)^(K-k) L^k."""
    theta = [0.5, -1.0, 2.0, 3.0]
    model = BernNet(Config(K=3), 20, 20).double().eval()
    model.mlp = nn.Identity()
    model.w.data = torch.tensor(theta, dtype=torch.float64)
    eye = torch.eye(graph.n, dtype=torch.float64)
    L, power = eye - dense(graph), torch.linalg.matrix_power
    wanted = sum(
        choose * max(t, 0) / 8 * power(2 * eye - L, 3 - k) @ power(L, k) @ X
        for k, (choose, t) in enumerate(zip([1, 3, 3, 1], theta, strict=True))
    )
    assert_close(model(BernNet.prepare(graph, X, model.config)), wanted)


def test_the_response_is_scipy_s_bernstein_polynomial():
    model = BernNet(Config(K=8), 4, 2)
    values = np.random.default_rng(0).random(9)
    model.w.data = torch.from_numpy(values)
    lam = np.linspace(0, 2, 33)
    np.testing.assert_allclose(
        model.response(torch.from_numpy(lam)).detach(), BPoly(values[:, None], [0, 2])(lam), atol=1e-14
    )


def test_no_response_is_negative_whatever_is_learned():
    model = BernNet(Config(), 4, 2)
    model.w.data = 5 * torch.randn(11, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert (model.response(torch.linspace(0, 2, 101, dtype=torch.float64)) >= 0).all()


def test_it_starts_as_the_identity():
    lam = torch.linspace(0, 2, 21, dtype=torch.float64)
    assert_close(BernNet(Config(), 4, 2).response(lam), torch.ones_like(lam))


def test_gradients_are_those_of_the_sum():
    w = torch.rand(5, dtype=torch.float64, requires_grad=True)
    x = torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
    A = torch.randn(6, 6, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x, w: bernstein_sum(A, x, w), (x, w))

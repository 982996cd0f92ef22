from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from conftest import block
from helpers import dense
from unifilter import lanczos, propagation
from unifilter.models.optbasis import Config, OptBasis, krylov_basis


def build(graph, X, **options):
    config = Config(**({"K": 4, "hidden": 6, "dropout": 0.0, "filter_dropout": 0.0, "noise": 0.0} | options))
    torch.manual_seed(0)
    model = OptBasis(config, X.shape[1], 3).double()
    torch.nn.init.normal_(model.a)
    return model, OptBasis.prepare(graph, X, config)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_basis_is_that_of_lanczos_also_where_a_krylov_space_ends(graph, X, dtype):
    """The star's ends after three vectors, and what would follow is rounding error."""
    P = propagation(graph, dtype=dtype)
    V, _, _ = lanczos(P, X.to(dtype), 4)
    tolerance = 1e-9 if dtype == torch.float64 else 1e-3
    assert_close(krylov_basis(P, X.to(dtype), 4), V, rtol=tolerance, atol=tolerance)


def test_a_zero_column_gives_zeros_and_a_zero_gradient(P, X):
    X = X.clone().requires_grad_(True)
    V = krylov_basis(P, X, 3)
    assert (V[:, :, 7] == 0).all()
    V.square().sum().backward()
    assert torch.isfinite(X.grad).all()


def test_gradients_go_through_projections_and_norms():
    graph = block()
    P = propagation(graph, dtype=torch.float64)
    X = torch.randn(graph.n, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    assert torch.autograd.gradcheck(lambda x: krylov_basis(P, x, 3), X.requires_grad_(True))


def test_the_filter_sits_between_the_two_linear_maps(graph, X):
    """Gram-Schmidt on the dense powers of P, column by column, is an independent way to the same basis."""
    model, inputs = build(graph, X, K=2)
    H, P = torch.relu(model.first(X)), dense(graph)
    columns = []
    for i in range(H.shape[1]):
        powers = torch.stack([H[:, i], P @ H[:, i], P @ P @ H[:, i]], dim=1)
        Q, R = torch.linalg.qr(powers)
        signs = torch.sign(torch.diagonal(R))
        exists = torch.diagonal(R).abs() > 1e-9 * torch.diagonal(R).abs().max().clamp_min(1e-300)
        columns.append(Q @ (model.a[:, i] * torch.where(exists, signs, 0)))
    assert_close(model(inputs), model.second(torch.stack(columns, dim=1)), rtol=1e-6, atol=1e-6)


def test_the_size_of_a_hidden_column_is_forgotten(graph, X):
    model, inputs = build(graph, X)
    before = model(inputs)
    with torch.no_grad():
        model.first.weight.mul_(10)
        model.first.bias.mul_(10)
    assert_close(model(inputs), before, rtol=1e-6, atol=1e-6)


def test_the_response_is_what_the_filter_does_to_an_eigenvector():
    graph = block()
    X = torch.randn(graph.n, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    model, inputs = build(graph, X)
    lam, U = torch.linalg.eigh(torch.eye(graph.n, dtype=torch.float64) - dense(graph))
    with torch.no_grad():
        Z = U @ (model.response(lam, inputs) * (U.T @ model.hidden(inputs)))
        assert_close(model(inputs), model.second(Z), rtol=1e-8, atol=1e-8)


def test_noise_is_added_in_training_and_in_evaluation_only_if_asked(graph, X):
    for eval_noise in (False, True):
        model, inputs = build(graph, X, noise=0.1, eval_noise=eval_noise)
        model.eval()
        assert torch.equal(model(inputs), model(inputs)) != eval_noise
        model.train()
        assert not torch.equal(model(inputs), model(inputs))

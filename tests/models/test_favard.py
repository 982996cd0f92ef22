from __future__ import annotations

import numpy as np
import torch
from scipy.special import eval_chebyu
from torch.testing import assert_close

from helpers import dense
from unifilter import lanczos
from unifilter.bases import Diagonal
from unifilter.models.favard import Config, Favard, favard


def build(graph, X, K=4):
    config = Config(K=K, hidden=6, dropout=0.0, filter_dropout=0.0)
    torch.manual_seed(0)
    model = Favard(config, X.shape[1], 3).double()
    torch.nn.init.normal_(model.a)
    torch.nn.init.uniform_(model.recurrence, 0.5, 1.5)
    return model, Favard.prepare(graph, X, config)


def test_it_starts_as_chebyshev_polynomials_of_the_second_kind():
    t = np.linspace(-1, 1, 33)
    zeros, ones = (torch.full((9, 1), v, dtype=torch.float64) for v in (0.0, 1.0))
    p = favard(Diagonal(torch.from_numpy(t)), torch.ones(33, 1, dtype=torch.float64), 8, zeros, ones)
    np.testing.assert_allclose(p[8, :, 0], eval_chebyu(8, t / 2), atol=1e-12)


def test_with_the_numbers_of_lanczos_it_gives_the_vectors_of_lanczos(P, X):
    """The recurrence of Favard is that of Lanczos: y = alpha, sigma = (norm, beta)."""
    V, T, norm = lanczos(P, X, 3)
    alive = (T.beta.amin(dim=0) > 1e-6) & (norm > 0)
    y = torch.cat([T.alpha[:3], T.alpha[:1]])[:, alive]
    sigma = torch.cat([norm[None], T.beta])[:, alive]
    # Lanczos has the old vector's beta in P v = beta v' + alpha v + beta v; so has Favard.
    assert_close(favard(P, X[:, alive], 3, y, sigma), V[:, :, alive], rtol=1e-8, atol=1e-8)


def test_the_filter_sits_between_the_two_linear_maps(graph, X):
    model, inputs = build(graph, X, K=2)
    H, P = torch.relu(model.first(X)), dense(graph)
    y, s = model.recurrence
    p0 = H / s[0]
    p1 = (P @ p0 - y[0] * p0) / s[1]
    p2 = (P @ p1 - y[1] * p1 - s[1] * p0) / s[2]
    Z = model.a[0] * p0 + model.a[1] * p1 + model.a[2] * p2
    assert_close(model(inputs), model.second(Z), rtol=1e-10, atol=1e-10)


def test_sigma_is_kept_from_0(graph, X):
    model, inputs = build(graph, X)
    with torch.no_grad():
        model.recurrence[1] = -1.0
    held = model(inputs)
    with torch.no_grad():
        model.recurrence[1] = 0.01
    assert_close(held, model(inputs), rtol=0, atol=0)


def test_the_response_is_what_the_filter_does_to_an_eigenvector(graph, X):
    model, inputs = build(graph, X)
    lam, U = torch.linalg.eigh(torch.eye(graph.n, dtype=torch.float64) - dense(graph))
    Z = U @ (model.response(lam) * (U.T @ torch.relu(model.first(X))))
    assert_close(model(inputs), model.second(Z), rtol=1e-8, atol=1e-9)


def test_gradients_reach_the_whole_recurrence_once_the_filter_is_no_longer_the_identity(graph, X):
    model, inputs = build(graph, X, K=3)
    model(inputs).square().sum().backward()
    y, sigma = model.recurrence.grad
    assert (y[:3].abs().sum(dim=1) > 0).all()
    assert (y[3] == 0).all()
    assert (sigma.abs().sum(dim=1) > 0).all()

"""GloGNN++ against the n x n coefficients that it never forms."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import relu
from torch.testing import assert_close

from unifilter.models import create
from unifilter.models.glognn import Config, GloGNN, solved


def averages(graph) -> torch.Tensor:
    A = torch.from_numpy(graph.to_scipy().toarray()) + torch.eye(graph.n, dtype=torch.float64)
    return A / A.sum(dim=1, keepdim=True)


def model(config: Config, graph) -> GloGNN:
    torch.manual_seed(0)
    net = GloGNN(config, 20, 3, graph.n).double().eval()
    with torch.no_grad():
        net.l.uniform_(-1, 1)
        if config.plus:
            net.t.uniform_(-1, 1)
    return net


def coefficients(net: GloGNN, H, H_0, P) -> torch.Tensor:
    """Z with its n x n inverse."""
    c, r = net.config, 1 - net.config.gamma
    D, eye = torch.diag(net.t), torch.eye(P.shape[0], dtype=P.dtype)
    hops = sum(w * torch.linalg.matrix_power(P, k) for k, w in enumerate(net.l, start=1))
    left = r * H @ D @ H.T + c.beta * hops - c.gamma * r * H_0 @ D @ H.T
    return left @ torch.linalg.inv(r**2 * H @ H.T + (c.alpha + c.beta) * eye)


@pytest.mark.parametrize("plus", [True, False])
@pytest.mark.parametrize("gamma", [0.0, 0.4])
def test_layers_apply_the_closed_form_coefficients_without_forming_them(graph, X, plus, gamma):
    config = Config(hidden=6, layers=3, K=2, alpha=0.5, beta=1.5, gamma=gamma, delta=0.7, plus=plus)
    net, P = model(config, graph), averages(graph)
    with torch.no_grad():
        encoded = 0.7 * net.X(X) + 0.3 * (P @ net.A.weight.T + net.A.bias)
        H = H_0 = net.last(relu(encoded))
        for _ in range(3):
            H = (1 - gamma) * coefficients(net, H, H_0, P) @ H @ torch.diag(net.t) + gamma * H_0
        assert_close(net(GloGNN.prepare(graph, X, config)), H, rtol=1e-8, atol=1e-8)


def test_with_D_the_identity_the_coefficients_minimise_the_papers_objective(graph, X):
    config = Config(alpha=0.5, beta=1.5, gamma=0.4, K=2, plus=False)
    net, P = model(config, graph), averages(graph)
    H, H_0 = X[:, :3], X[:, 3:6]
    Z = coefficients(net, H, H_0, P).detach().requires_grad_()
    hops = sum(w.detach() * torch.linalg.matrix_power(P, k) for k, w in enumerate(net.l, start=1))
    fit = (H - 0.6 * Z @ H - 0.4 * H_0).square().sum()
    objective = fit + 0.5 * Z.square().sum() + 1.5 * (Z - hops).square().sum()
    (gradient,) = torch.autograd.grad(objective, Z)
    assert_close(gradient, torch.zeros_like(Z), rtol=0, atol=1e-10)


@pytest.mark.parametrize(("delta", "kept"), [(1.0, "X"), (0.0, "A")])
def test_a_part_that_weighs_nothing_has_no_parameters(graph, X, delta, kept):
    net = model(Config(delta=delta), graph)
    assert (net.X is None) == (kept == "A")
    assert (net.A is None) == (kept == "X")
    assert net.node_parameters == (("A.weight",) if kept == "A" else ())
    assert net(GloGNN.prepare(graph, X, net.config)).shape == (graph.n, 3)


def test_without_features_the_logits_do_not_depend_on_them(graph, X):
    net = model(Config(delta=0.0), graph)
    first, second = (net(GloGNN.prepare(graph, x, net.config)) for x in (X, X + 1))
    assert torch.equal(first, second)


def test_double_computes_in_float64_whatever_the_features(graph, X):
    config = Config(double=True)
    net = GloGNN(config, 20, 3, graph.n)
    assert net(GloGNN.prepare(graph, X.float(), config)).dtype == torch.float64


@pytest.mark.parametrize("wrong", [{"gamma": 1.0}, {"alpha": 0.0, "beta": 0.0}])
def test_a_division_by_zero_is_refused(wrong):
    with pytest.raises(ValueError, match="divides by 1 - gamma and alpha"):
        Config(**wrong)


def test_elimination_solves_as_lapack_does_and_has_its_gradient():
    torch.manual_seed(0)
    root, B = torch.randn(9, 9, dtype=torch.float64), torch.randn(9, 4, dtype=torch.float64)
    A = (root @ root.T / 9 + 0.1 * torch.eye(9, dtype=torch.float64)).requires_grad_()
    found, wanted = solved(A, B), torch.linalg.solve(A, B)
    torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-10)
    slopes = [torch.autograd.grad((Z * Z).sum(), A)[0] for Z in (found, wanted)]
    torch.testing.assert_close(*slopes, rtol=1e-8, atol=1e-8)


def test_no_hops_leave_nothing_to_be_near():
    with pytest.raises(ValueError, match="K must be at least 1"):
        create("glognn", 4, 3, K=0)

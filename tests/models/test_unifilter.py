"""Eq. 5 of the paper, in every form it comes in."""

import pytest
import torch
from torch.testing import assert_close

from unifilter import Graph, mix, propagation
from unifilter.bases import heterophily, monomial, released, unibasis
from unifilter.data import load
from unifilter.krylov import lanczos
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config, UniFilter, unit_rows

K = 5


def model(d: int, **options) -> UniFilter:
    torch.manual_seed(0)
    net = UniFilter(Config(K=K, hidden=8, **options), d, 3, 0.3).double().eval()
    with torch.no_grad():
        net.w.copy_(torch.randn_like(net.w))
    return net


@pytest.mark.parametrize("scale", ["signal", "paper"])
def test_the_filtered_signal_is_the_equation_s(graph, X, scale):
    """Z = sum_k w_k (tau P^k x + (1 - tau) u_k), u_k from the basis and not from coefficients."""
    net = model(X.shape[1], tau=0.25, h=0.125, scale=scale)
    V, _, norm = lanczos(propagation(graph, dtype=X.dtype), X, K)
    u = mix(V, heterophily(K, torch.tensor(0.125, dtype=X.dtype))[:, :, None] * torch.ones_like(norm))
    if scale == "signal":
        u = u * norm
    powers = monomial(propagation(graph, dtype=X.dtype), X, K)
    wanted = (net.w[:, None] * (0.25 * powers + 0.75 * u)).sum(dim=0)
    assert_close(net.filtered(Basis.of(graph, X, K)), wanted)


def test_the_basis_is_unibasis(graph, X):
    inputs = Basis.of(graph, X, K)
    net = model(X.shape[1], tau=0.375, h=0.625)
    assert_close(net.basis(inputs), unibasis(inputs.T, inputs.norm, 0.375, 0.625, K, "signal"))


def test_the_released_basis_is_the_released_code_s(graph, X):
    inputs = Basis.of(graph, X, K)
    net = model(X.shape[1], tau=0.375, h=0.625, basis="released")
    assert_close(net.basis(inputs), released(inputs.T, inputs.norm, 0.375, 0.625, K))


def test_tau_and_h_are_given_estimated_or_learned():
    assert float(model(4, tau=0.1, h=0.9).tau) == pytest.approx(0.1)
    assert float(model(4, h=0.35, tau=0.1).h) == pytest.approx(0.35)
    estimated = UniFilter(Config(h="estimate", tau=0.5), 4, 3, h=0.35)
    assert float(estimated.h) == pytest.approx(0.35)
    assert not estimated.groups()["shares"]
    learned = UniFilter(Config(), 4, 3, h=0.35)
    assert float(learned.h.detach()) == pytest.approx(0.35)
    assert float(learned.tau.detach()) == pytest.approx(0.5)
    assert len(learned.groups()["shares"]) == 2


@pytest.mark.parametrize("per_column", [False, True])
def test_the_record_of_a_training_can_hold_every_weight(per_column):
    net = model(4, tau=0.25, h=0.5, per_column=per_column)
    learned = net.learned()
    assert (learned["tau"], learned["h"]) == (0.25, 0.5)
    found = [learned[f"w_{k}"] for k in range(K + 1)]
    assert found == pytest.approx(net.w.detach().mean(dim=1).tolist())
    assert len(learned) == 2 + K + 1


def test_an_extreme_estimate_can_still_be_learned():
    """At h = 1 the logit is infinite: the start is moved inside."""
    learned = UniFilter(Config(), 4, 3, h=1.0)
    learned.h.backward()
    assert all(p.grad.abs() > 1e-3 for p in learned._h.parameters())


@pytest.mark.parametrize("per_column", [False, True])
def test_dropout_on_the_basis_keeps_the_mean(graph, X, per_column):
    net = model(X.shape[1], basis_dropout=0.3, per_column=per_column)
    inputs = Basis.of(graph, X, K)
    wanted = net.filtered(inputs).detach()
    net.train()
    torch.manual_seed(1)
    draws = torch.stack([net.filtered(inputs).detach() for _ in range(300)])
    error = draws.std(dim=0) / 300**0.5
    assert ((draws.mean(dim=0) - wanted).abs() <= 6 * error + 1e-12).all()
    assert draws.std(dim=0).max() > 0


def test_gradients_with_dropout_on_the_basis_are_those_of_the_drawn_mask(graph, X):
    net = model(X.shape[1], basis_dropout=0.5)
    inputs = Basis.of(graph, X, K)
    net.train()

    def loss(w):
        torch.manual_seed(5)
        net.w.data.copy_(w)
        return net.filtered(inputs).square().sum()

    w = net.w.detach().clone()
    (grad,) = torch.autograd.grad(loss(w), net.w)
    step = torch.zeros_like(w)
    step[2] = 1e-6
    with torch.no_grad():
        slope = (loss(w + step) - loss(w - step)) / 2e-6
    assert_close(grad[2, 0], slope, rtol=1e-5, atol=1e-6)


def test_a_factorisation_with_more_hops_serves_fewer(graph, X):
    """One V for a whole search over K."""
    net = model(X.shape[1], tau=0.5, h=0.4)
    assert_close(net.filtered(Basis.of(graph, X, K + 4)), net.filtered(Basis.of(graph, X, K)))


def test_a_given_basis_is_computed_once_and_again_for_other_data(graph, X):
    net = model(X.shape[1], tau=0.25, h=0.5)
    first, second = Basis.of(graph, X, K), Basis.of(graph, 2 * X, K)
    assert net.basis(first) is net.basis(first.rows(torch.tensor([0, 1])))
    assert not torch.equal(net.basis(first), net.basis(second))
    assert_close(net.basis(second), model(X.shape[1], tau=0.25, h=0.5).basis(second))


@pytest.mark.parametrize("given", [{"tau": 3.0}, {"h": -0.1}, {"tau": "estimate"}, {"h": "guess"}])
def test_shares_out_of_range_are_refused(given):
    with pytest.raises(ValueError, match="must be in"):
        Config(**given)


def test_the_mlp_may_see_the_features_beside_the_filtered_ones():
    data = load("sbm:n=50,d=6,h=0.4")
    config = Config(K=3, hidden=8, ego=True)
    inputs = UniFilter.prepare(data.graph, data.features(), config)
    net = UniFilter(config, data.d, 5, h=0.4).eval()
    both = torch.cat([net.filtered(inputs), data.features()], dim=1)
    assert_close(net(inputs), net.mlp(both), rtol=1e-4, atol=1e-5)
    assert net.mlp.layers[0].in_features == 12


@pytest.mark.parametrize("ego", [False, True])
def test_filtered_rows_may_be_scaled_to_length_one(ego):
    """Then it does not matter how large a node's features are; those of none stay nothing, with gradients."""
    data = load("sbm:n=50,d=6,h=0.4")
    config = Config(K=3, hidden=8, row_norm=True, ego=ego)
    X = data.features()
    X[7:9] = 0
    pairs = [[i, i + 1] for i in range(49) if 7 not in (i, i + 1)]
    inputs = UniFilter.prepare(Graph.from_edges(list(zip(*pairs, strict=True)), 50), X, config)
    net = UniFilter(config, data.d, 5, h=0.4).eval()
    seen = []
    net.mlp.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    net(inputs).sum().backward()
    lengths = seen[0][:, :6].norm(dim=1)
    nothing = net.filtered(inputs).norm(dim=1) == 0
    assert bool(nothing[7])
    assert_close(lengths, (~nothing).float())
    assert_close(seen[0][:, :6] * net.filtered(inputs).norm(dim=1, keepdim=True), net.filtered(inputs))
    assert all(bool(p.grad.isfinite().all()) for p in net.parameters() if p.grad is not None)


@pytest.mark.parametrize("size", [1e-20, 1e-7, 1.0, 1e20])
def test_rows_of_any_size_come_to_length_one(size):
    Z = (size * torch.tensor([[3.0, 4.0], [0.0, 0.0]])).requires_grad_()
    found = unit_rows(Z)
    assert_close(found, torch.tensor([[0.6, 0.8], [0.0, 0.0]]))
    (found * torch.tensor([1.0, 0.0])).sum().backward()
    assert_close(Z.grad[0] * size, torch.tensor([0.128, -0.096]), rtol=1e-4, atol=1e-6)


def test_w_may_begin_as_the_filter_that_leaves_the_features_alone(graph, X):
    config = Config(K=3, start="identity", tau=0.3)
    net = UniFilter(config, X.shape[1], 3, h=0.4).to(X.dtype)
    assert_close(net.filtered(UniFilter.prepare(graph, X, config)), X)
    assert net.w.requires_grad


def test_a_basis_is_computed_anew_where_a_state_was_loaded(graph, X):
    inputs = Basis.of(graph, X, 3)
    configs = Config(K=3, tau=0.3, h=0.2), Config(K=3, tau=0.9, h=0.7)
    a, b = (UniFilter(config, X.shape[1], 2).double() for config in configs)
    b(inputs)
    b.load_state_dict(a.state_dict())
    assert_close(b.eval()(inputs), a.eval()(inputs))
    assert b.basis(inputs) is b.basis(inputs)  # and once only


def test_inputs_of_too_few_hops_are_refused(graph, X):
    with pytest.raises(ValueError, match="the inputs have 2 hops, but the filter has K = 4"):
        UniFilter(Config(K=4), X.shape[1], 2).double()(Basis.of(graph, X, 2))

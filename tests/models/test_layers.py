import pytest
import torch
from torch.testing import assert_close

from unifilter.models._layers import MLP, dropout


def test_it_is_what_its_formula_says():
    net = MLP([4, 4, 3], residual=True, bias=True).eval()
    x = torch.randn(7, 4)
    (W, b), (U, c) = ((layer.weight, layer.bias) for layer in net.layers)
    wanted = torch.relu(x @ W.T + b + x) @ U.T + c
    assert_close(net(x), wanted)


def test_the_paper_draws_by_the_output_width():
    torch.manual_seed(0)
    net = MLP([1000, 100])
    assert float(net.layers[0].weight.detach().abs().max()) == pytest.approx(0.1, rel=1e-3)


def test_one_layer_is_linear():
    net = MLP([4, 3]).eval()
    x, y = torch.randn(2, 5, 4)
    assert_close(net(x + y), net(x) + net(y))


def test_dropout_is_off_when_it_is_asked_for_predictions():
    net = MLP([4, 8, 3], dropout=0.9)
    x = torch.randn(5, 4)
    assert not torch.equal(net(x), net(x))
    net.eval()
    assert torch.equal(net(x), net(x))


def test_inputs_can_be_spared_from_dropout_and_hidden_layers_are_not():
    linear, deep = MLP([6, 2], 0.9, drop_inputs=False), MLP([6, 50, 2], 0.9, drop_inputs=False)
    x = torch.randn(5, 6)
    assert torch.equal(linear(x), linear.eval()(x))
    assert not torch.equal(deep(x), deep.eval()(x))


def test_dropout_by_hash_scales_what_it_keeps_and_has_one_mask_for_both_ways():
    torch.manual_seed(0)
    x = torch.randn(200, 50, requires_grad=True)
    out = dropout(x, 0.3, training=True)
    kept = out != 0
    assert 0.68 < float(kept.float().mean()) < 0.72
    assert_close(out[kept], (x / 0.7)[kept])
    out.sum().backward()
    assert_close(x.grad, kept / 0.7)
    assert not torch.equal(out, dropout(x, 0.3, training=True))


def test_dropout_of_everything_and_of_nothing():
    x = torch.randn(20, 5)
    assert not dropout(x, 1.0, training=True).any()
    assert dropout(x, 0.0, training=True) is x
    assert dropout(x, 0.5, training=False) is x


def test_dropout_takes_matrices_that_are_not_in_line():
    torch.manual_seed(0)
    x = torch.randn(40, 30).T
    out = dropout(x, 0.5, training=True)
    kept = out != 0
    assert_close(out[kept], (2 * x)[kept])

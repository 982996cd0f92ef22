import pytest
import torch
from torch.testing import assert_close

from unifilter.models._layers import MLP


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

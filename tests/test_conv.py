import numpy as np
import pytest
import torch
from scipy.sparse import triu
from torch.testing import assert_close

from unifilter import propagation
from unifilter.conv import UniConv
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config, UniFilter


def test_it_filters_as_unifilter_does(graph, X):
    conv = UniConv(K=4, tau=0.25, h=0.5).double()
    net = UniFilter(Config(K=4, tau=0.25, h=0.5), X.shape[1], 2).double()
    with torch.no_grad():
        conv.w.copy_(torch.randn(5, 1))
        net.w.copy_(conv.w)
    found = conv(X, propagation(graph, dtype=X.dtype))
    assert_close(found, net.filtered(Basis.of(graph, X, 4)))


def test_an_edge_index_is_as_good_as_P(graph, X):
    conv = UniConv(K=3).double()
    upper = triu(graph.to_scipy(), format="coo")
    edges = torch.from_numpy(np.stack([upper.row, upper.col]))
    weights = None if graph.weights is None else torch.from_numpy(upper.data)
    assert_close(conv(X, edges, weights), conv(X, propagation(graph, dtype=X.dtype)))


def test_gradients_go_through_the_recurrence():
    torch.manual_seed(0)
    edges = torch.tensor([[0, 1, 2, 3, 4, 5, 6, 7, 0, 2], [1, 2, 3, 4, 5, 6, 7, 0, 4, 6]])
    conv = UniConv(K=3).double()
    x = torch.randn(8, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: conv(x, edges), (x,), atol=1e-6)
    conv(x, edges).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in conv.parameters())


def test_a_column_may_have_its_own_weights(graph, X):
    conv = UniConv(K=2, channels=X.shape[1]).double()
    assert conv.w.shape == (3, X.shape[1])
    assert conv(X, propagation(graph, dtype=X.dtype)).shape == X.shape
    with pytest.raises(ValueError, match=r"as many columns as channels, \d+, not \(\d+, 2\)"):
        conv(X[:, :2], propagation(graph, dtype=X.dtype))


@pytest.mark.parametrize("wrong", [{"tau": "lern"}, {"h": "estimate"}, {"tau": 1.5}, {"h": -1}, {"K": -1}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        UniConv(**wrong)

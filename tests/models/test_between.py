"""Linear, filter, linear, with a basis that is known."""

import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.bases import monomial
from unifilter.models._between import Between, Options
from unifilter.models._layers import dropout


class Powers(Between):
    def basis(self, A, H):
        return monomial(A, H, 2)


@pytest.fixture
def model() -> Powers:
    torch.manual_seed(0)
    net = Powers(Options(K=2, hidden=5, dropout=0.3, filter_dropout=0.6), 20, 4).double()
    torch.nn.init.normal_(net.a)
    return net


def by_hand(model, graph, X, first=lambda x: x, second=lambda x: x, third=lambda x: x):
    """Every column filtered by its own polynomial of a dense P; what is dropped, in order."""
    P = dense(graph)
    H = second(torch.relu(first(X) @ model.first.weight.T + model.first.bias))
    hops = torch.stack([torch.linalg.matrix_power(P, k) @ H for k in range(3)])
    Z = torch.einsum("kd,knd->nd", model.a, hops)  # masks follow the memory, so it must be laid out alike
    return third(Z) @ model.second.weight.T + model.second.bias


def test_every_hidden_column_has_a_filter_of_its_own(model, graph, X):
    assert_close(model.eval()(Powers.prepare(graph, X, model.config)), by_hand(model, graph, X))


def test_dropout_acts_on_X_before_the_filter_and_behind_it(model, graph, X):
    torch.manual_seed(3)
    ours = model.train()(Powers.prepare(graph, X, model.config))
    torch.manual_seed(3)
    wanted = by_hand(model, graph, X, *(lambda x, p=p: dropout(x, p, training=True) for p in (0.3, 0.6, 0.3)))
    assert_close(ours, wanted)


def test_it_starts_as_the_first_polynomial_alone(graph, X):
    net = Powers(Options(K=2), 20, 4)
    assert_close(net.a[0], torch.ones(64))
    assert not net.a[1:].any()


def test_a_model_says_its_basis(graph, X):
    with pytest.raises(NotImplementedError, match="Between"):
        Between(Options(), 20, 4).double()(Between.prepare(graph, X, Options()))


def test_groups_hold_every_parameter_once(model):
    listed = [id(p) for group in model.groups().values() for p in group]
    assert sorted(listed) == sorted(id(p) for p in model.parameters())

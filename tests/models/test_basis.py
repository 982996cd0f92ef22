import torch
from torch.testing import assert_close

from unifilter import mix, propagation
from unifilter.bases import monomial
from unifilter.models._basis import Basis


def test_its_powers_mixed_by_V_are_the_powers_of_P(graph, X):
    inputs = Basis.of(graph, X, 4)
    assert_close(mix(inputs.V, inputs.powers), monomial(propagation(graph, dtype=X.dtype), X, 4))


def test_rows_are_rows(graph, X):
    inputs = Basis.of(graph, X, 3)
    some = inputs.rows(torch.tensor([2, 0]))
    assert some.n == 2
    assert_close(some.V, inputs.V[:, [2, 0]])
    assert some.K == 3


def test_a_padded_column_is_zero_in_every_mix(graph, X):
    inputs = Basis.of(graph, X, 3).padded(2)
    d = X.shape[1]
    Z = mix(inputs.V, inputs.powers)
    assert Z.shape[2] == d + 2
    assert (Z[:, :, d:] == 0).all()
    assert_close(Z[0, :, :d], X)

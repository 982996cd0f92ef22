from torch.testing import assert_close

from unifilter import mix, propagation
from unifilter.bases import monomial
from unifilter.models import create
from unifilter.models._basis import Basis

K = 4


def test_its_basis_is_the_powers_of_P(graph, X):
    inputs = Basis.of(graph, X, K)
    net = create("homfilter", X.shape[1], 2, K=K)
    assert_close(mix(inputs.V, net.basis(inputs)), monomial(propagation(graph, dtype=X.dtype), X, K))

from torch.testing import assert_close

from unifilter import mix
from unifilter.models import create
from unifilter.models._basis import Basis

K = 4


def test_its_basis_is_V(graph, X):
    inputs = Basis.of(graph, X, K)
    net = create("ortfilter", X.shape[1], 2, K=K, scale="paper")
    assert_close(mix(inputs.V, net.basis(inputs)), inputs.V)

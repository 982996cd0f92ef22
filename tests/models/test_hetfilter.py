import torch
from torch.testing import assert_close

from unifilter.bases import heterophily
from unifilter.models import create
from unifilter.models._basis import Basis

K = 4


def test_its_basis_is_the_heterophily_basis(graph, X):
    inputs = Basis.of(graph, X, K)
    net = create("hetfilter", X.shape[1], 2, K=K, h=0.3)
    wanted = heterophily(K, torch.tensor(0.3))[:, :, None].double() * inputs.norm
    assert_close(net.basis(inputs), wanted, rtol=1e-6, atol=1e-6)

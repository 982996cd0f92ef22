"""The promises of Lanczos where the library is used on a GPU; `make gpu` runs these."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import gram_error
from unifilter import lanczos, mix, propagation
from unifilter.bases import monomial
from unifilter.graph.reordering import reordered
from unifilter.graph.synthetic import block_model

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
BOUND = {torch.float32: 1e-4, torch.float64: 1e-12}


@pytest.fixture(scope="module")
def big():
    graph, X, _ = block_model(3000, 0.3, degree=12, power=2.3, d=70, generator=np.random.default_rng(0))
    X = torch.from_numpy(X)
    X[:, 3] = 0
    X[:, 11] = torch.from_numpy(graph.degrees).sqrt()  # an eigenvector: the Krylov space is exhausted at once
    X[:, 12] = X[:, 11] + 1e-5 * X[:, 12]  # next to one
    return graph, X


@pytest.mark.parametrize("K", [10, 100])
@pytest.mark.parametrize("dtype", BOUND)
def test_v_is_orthonormal_and_p_v_is_v_t(big, dtype, K):
    graph, X = big
    P = propagation(graph, dtype=dtype, device="cuda")
    V, T, _ = lanczos(P, X.to("cuda", dtype), K)
    assert gram_error(V.cpu()).max() <= BOUND[dtype]
    eps = torch.finfo(dtype).eps
    for k in range(K):
        after = T.beta[k] * V[k + 1] + (T.beta[k - 1] * V[k - 1] if k else 0)
        assert_close(P @ V[k], T.alpha[k] * V[k] + after, rtol=0, atol=100 * eps)


def test_float32_polynomials_are_those_of_float64_on_a_cpu(big):
    graph, X = big
    V, T, norm = lanczos(propagation(graph, device="cuda"), X.float().cuda(), 8)
    found = mix(V, monomial(T, norm * T.e1, 8)).cpu().double()
    wanted = monomial(propagation(graph, dtype=torch.float64), X, 8)
    assert ((found - wanted).norm(dim=1) <= 1e-5 * X.norm(dim=0)).all()


def test_a_reordered_p_gives_the_same(big):
    graph, X = big
    P = propagation(graph, dtype=torch.float64, device="cuda")
    one, other = lanczos(P, X.cuda(), 5), lanczos(reordered(P), X.cuda(), 5)
    assert_close(other.T.alpha, one.T.alpha, rtol=1e-9, atol=1e-9)
    assert_close(other.V, one.V, rtol=1e-8, atol=1e-8)

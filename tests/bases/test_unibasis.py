import pytest
import torch
from torch.testing import assert_close

from helpers import Counting, algorithm_1, dense
from unifilter import lanczos, mix
from unifilter.bases import heterophily, monomial, unibasis


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("h", [0.22, 0.81])
def test_it_is_the_formula_of_the_paper(P, X, tau, h):
    """tau P^k x + (1 - tau) u_k with u_k from Algorithm 1, transcribed."""
    V, T, norm = lanczos(P, X, 3)
    B = mix(V, unibasis(T, norm, tau, h))
    powers = monomial(P, X, 3)
    for i in torch.nonzero((T.beta > 1e-8).all(dim=0)).flatten().tolist():
        u = torch.stack(algorithm_1(P, X[:, i], 3, h))
        assert_close(B[:, :, i], tau * powers[:, :, i] + (1 - tau) * u, rtol=1e-7, atol=1e-7)


def test_any_tau_and_h_cost_no_product(graph, X):
    P = Counting(dense(graph))
    krylov = lanczos(P, X[:, :5], 4)
    spent = len(P.columns)
    for tau in (0.0, 0.5, 1.0):
        for h in (0.1, 0.9):
            mix(krylov.V, unibasis(krylov.T, krylov.norm, tau, h))
    assert len(P.columns) == spent


def test_the_scale_of_the_signal_makes_both_parts_scale_alike(P, X):
    for factor in (1.0, 100.0):
        V, T, norm = lanczos(P, factor * X, 3)
        B = mix(V, unibasis(T, norm, 0.4, 0.3, scale="signal"))
        assert_close(B / factor, mix(*_signal(P, X, 0.4, 0.3)), rtol=1e-9, atol=1e-9)


def _signal(P, X, tau, h):
    V, T, norm = lanczos(P, X, 3)
    return V, unibasis(T, norm, tau, h, scale="signal")


def test_fewer_hops_are_read_from_the_same_factorisation(P, X):
    V, T, norm = lanczos(P, X, 5)
    few = lanczos(P, X, 3)
    C = unibasis(T, norm, 0.5, 0.3, K=3)
    assert C.shape == (4, 4, X.shape[1])
    assert_close(mix(V[:4], C), mix(few.V, unibasis(few.T, few.norm, 0.5, 0.3)), rtol=1e-9, atol=1e-9)


def test_every_column_may_have_its_own_tau_and_h(P, X):
    _, T, norm = lanczos(P, X, 2)
    tau, h = torch.rand(20, dtype=torch.float64), torch.rand(20, dtype=torch.float64)
    C = unibasis(T, norm, tau, h)
    for i in (0, 13):
        assert_close(C[:, :, i], unibasis(T, norm, tau[i], h[i])[:, :, i])


def test_it_is_differentiable_in_tau_and_h(P, X):
    _, T, norm = lanczos(P, X[:, :3], 3)
    tau, h = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.4, 0.3))
    assert torch.autograd.gradcheck(lambda tau, h: unibasis(T, norm, tau, h), (tau, h))


def test_tau_zero_is_the_heterophily_basis(P, X):
    _, T, norm = lanczos(P, X, 3)
    wanted = heterophily(3, torch.tensor(0.3, dtype=torch.float64))
    assert_close(unibasis(T, norm, 0.0, 0.3)[:, :, 0], wanted)


def test_an_unknown_scale_is_refused(P, X):
    _, T, norm = lanczos(P, X, 2)
    with pytest.raises(ValueError, match='"paper" or "signal"'):
        unibasis(T, norm, 0.5, 0.5, scale="row")

import math

import pytest
import torch
from torch.testing import assert_close

from unifilter import lanczos, mix, propagation
from unifilter.bases import released, unibasis
from unifilter.graph.synthetic import block_model


def released_by_hand(P, x, K, tau, h):
    """The steps of the released code, on vectors, for one column."""
    c = math.cos(math.pi * (1 - h) / 2)
    v, before = x / x.norm().clamp_min(1e-8), torch.zeros_like(x)
    total, power, basis = v, x, [x]
    for k in range(1, K + 1):
        w = P @ v
        power = P @ power
        w = w - (w @ v) * v - (w @ before) * before
        w = w / w.norm().clamp_min(1e-8)
        u = total / k
        t = torch.nan_to_num(torch.sqrt((u @ basis[-1] / c) ** 2 - ((k - 1) * c + 1) / k), nan=0.0)
        u = u + t * w
        u = u / u.norm().clamp_min(1e-8)
        basis.append(tau * power + (1 - tau) * u)
        total = total + u
        v, before = w, v
    return torch.stack(basis)


@pytest.fixture(scope="module")
def factorised():
    import numpy as np

    graph, X, _ = block_model(400, 0.22, d=6, generator=np.random.default_rng(0))
    X = torch.from_numpy(X)
    X = X / X.norm(dim=0) * torch.tensor([0.1, 0.7, 1.0, 5.0, 20.0, 1.0], dtype=torch.float64)
    P = propagation(graph, dtype=torch.float64)
    return P, X, lanczos(P, X, 10)


@pytest.mark.parametrize("tau", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("h", [0.22, 0.81])
def test_it_is_what_the_released_steps_give(factorised, tau, h):
    """Columns shorter than cos(theta) included: there the released code has a root of a negative number."""
    P, X, (V, T, norm) = factorised
    ours = mix(V, released(T, norm, tau, h))
    for i in range(X.shape[1]):
        assert_close(ours[:, :, i], released_by_hand(P, X[:, i], 10, tau, h), rtol=1e-8, atol=1e-8)


def test_theorem_4_fails_for_it(factorised):
    """At h = 0.22 and tau = 0.5 the theorem promises a cosine of 0.339; far from it."""
    _, _, (_, T, norm) = factorised
    h, tau, c = 0.22, 0.5, math.cos(math.pi / 2 * 0.78)
    powers = unibasis(T, norm, 1.0, h)
    for C, holds in ((unibasis(T, norm, tau, h), True), (released(T, norm, tau, h), False)):
        U = (C - tau * powers) / (1 - tau)
        cosines = torch.einsum("kjd,ljd->dkl", U[1:], U[1:])[5]
        off = cosines[~torch.eye(10, dtype=torch.bool)]
        assert ((off - c).abs().max() < 1e-12) == holds
        if not holds:
            assert (off - c).abs().max() > 0.2


def test_the_first_vector_is_the_raw_signal(factorised):
    _, X, (V, T, norm) = factorised
    assert_close(mix(V, released(T, norm, 0.3, 0.5)[:1])[0], X)


def test_it_is_differentiable(factorised):
    _, _, (_, T, norm) = factorised
    tau, h = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.4, 0.3))
    assert torch.autograd.gradcheck(lambda tau, h: released(T, norm, tau, h, K=4), (tau, h))
    zero = torch.zeros_like(norm, requires_grad=True)
    released(T, zero, 0.5, 0.3).sum().backward()
    assert torch.isfinite(zero.grad).all()

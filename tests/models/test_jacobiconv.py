import numpy as np
import pytest
import torch
from scipy.special import eval_jacobi
from torch import nn
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.bases import Diagonal, jacobi
from unifilter.models.jacobiconv import Config, JacobiConv, released_jacobi

t = np.linspace(-1, 1, 41)


def on_frequencies(basis, a, b, K=10):
    return basis(Diagonal(torch.from_numpy(t)), torch.ones(41, dtype=torch.float64), K, a, b).numpy()


def bare(**options):
    torch.manual_seed(0)
    model = JacobiConv(Config(**options), 20, 20).double().eval()
    model.linear = nn.Identity()
    model.w.data = torch.randn_like(model.w)
    model.eta.data = torch.randn_like(model.eta)
    return model


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("a", "b", "alpha"), [(2.0, -0.25, 0.5), (-1.0, 0.5, 1.0), (0.5, 0.25, 2.0)])
def test_logits_are_the_decomposed_recurrence(graph, X, a, b, alpha, sign):
    """As the authors write it: every step carries its own gamma_k, one sign apart from the paper."""
    model = bare(K=5, a=a, b=b, alpha=alpha, recurrence="jacobi" if sign == 1 else "released")
    gamma = [None, *(alpha * torch.tanh(model.eta.detach()))]
    S = dense(graph)
    p = [X, gamma[1] * ((a - b) / 2 * X + (a + b + 2) / 2 * S @ X)]
    for k in range(2, 6):
        theta = (2 * k + a + b) * (2 * k + a + b - 1) / (2 * k * (k + a + b))
        theta1 = (2 * k + a + b - 1) * (a**2 - b**2) / (2 * k * (k + a + b) * (2 * k + a + b - 2))
        theta2 = (k + a - 1) * (k + b - 1) * (2 * k + a + b) / (k * (k + a + b) * (2 * k + a + b - 2))
        p.append(
            gamma[k] * theta * S @ p[-1]
            + sign * gamma[k] * theta1 * p[-1]
            - gamma[k] * gamma[k - 1] * theta2 * p[-2]
        )
    wanted = sum(model.w[k].detach() * p[k] for k in range(6))
    assert_close(model(JacobiConv.prepare(graph, X, model.config)), wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("a", "b", "error"), [(2.0, -0.25, 58.6), (1.5, 0.25, 21.4), (0.5, 0.25, 0.80)])
def test_the_released_basis_is_not_jacobi_s(a, b, error):
    """At k = 10, with the published a and b of Cora, Pubmed and Squirrel; neither is it that of (b, a)."""
    released = on_frequencies(released_jacobi, a, b)[10]
    assert abs(np.abs(released - eval_jacobi(10, a, b, t)).max() - error) < 0.05 * error
    assert np.abs(released - eval_jacobi(10, b, a, t)).max() > 0.1
    assert np.abs(on_frequencies(jacobi, a, b)[10] - eval_jacobi(10, a, b, t)).max() < 1e-11


@pytest.mark.parametrize(("a", "b"), [(-0.5, -0.5), (0.0, 0.0), (0.5, -0.5)])
def test_where_a_and_b_have_one_square_the_sign_does_not_matter(a, b):
    """Citeseer and Chameleon are such."""
    np.testing.assert_allclose(
        on_frequencies(released_jacobi, a, b), on_frequencies(jacobi, a, b), atol=1e-14
    )


@pytest.mark.parametrize(("alpha", "gamma"), [(0.5, 0.381), (1.0, 0.762), (1.5, 0.874), (2.0, 0.924)])
def test_the_factors_start_as_the_authors_have_them(alpha, gamma):
    eta = JacobiConv(Config(alpha=alpha), 3, 2).eta
    assert_close(alpha * torch.tanh(eta), torch.full((10,), gamma), atol=5e-4, rtol=0)


def test_every_class_has_a_response_of_its_own(graph):
    model = bare(K=6, a=1.5, b=0.25)
    lam, U = torch.linalg.eigh(torch.eye(graph.n, dtype=torch.float64) - dense(graph))
    H = torch.randn(graph.n, 20, dtype=torch.float64)
    assert_close(model.filter(dense(graph), H), U @ (model.response(lam) * (U.T @ H)), rtol=1e-9, atol=1e-10)


def test_loops_stay_where_the_data_has_them():
    """Node 0 has a loop: its degree is 2, and P[0, 0] is 1/2."""
    arcs = np.array([[0, 0], [0, 1]])
    model = JacobiConv(Config(K=1, data_loops=True), 2, 2)
    P = JacobiConv.prepare(Graph.from_edges(arcs), torch.eye(2), model.config, arcs)["P"]
    assert_close(P @ torch.eye(2), torch.tensor([[0.5, 0.5**0.5], [0.5**0.5, 0.0]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": -1.0, "b": -1.0}, "a and b must be at least -1, not both"),
        ({"a": -2.0, "b": 5.0}, "a and b must be at least -1"),
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"recurrence": "paper"}, 'recurrence must be "released" or "jacobi"'),
    ],
)
def test_options_without_a_recurrence_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Config(**options)

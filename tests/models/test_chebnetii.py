import math

import numpy as np
import torch
from numpy.polynomial import chebyshev as reference
from torch import nn
from torch.testing import assert_close

from helpers import Counting, dense
from unifilter.models.chebnetii import ChebNetII, Config, interpolation, nodes


def bare(w):
    model = ChebNetII(Config(K=len(w) - 1), 20, 20).double().eval()
    model.mlp = nn.Identity()
    model.w.data = torch.tensor(w, dtype=torch.float64)
    return model


def test_the_filter_passes_through_the_learned_values():
    w = [0.5, 2.0, 0.0, 1.0, 3.0, 0.25]
    assert_close(bare(w).response(1 - nodes(5)), torch.tensor(w, dtype=torch.float64))


def test_negative_values_count_as_zero():
    assert_close(bare([-1.0, 2.0, -3.0]).response(1 - nodes(2)), torch.tensor([0.0, 2.0, 0.0]).double())


def test_coefficients_agree_with_numpy_s_interpolation():
    values = np.random.default_rng(0).random(9)
    t = nodes(8).numpy()
    wanted = reference.chebfit(t, values, 8)
    assert_close(interpolation(torch.from_numpy(values)), torch.from_numpy(wanted))


def test_it_is_the_authors_formula_in_l_minus_i(graph, X):
    """Ascending nodes of L - I = -P, w_k = 2/(K+1) sum_j relu(gamma_j) T_k(x_j), the first one halved."""
    gamma = [0.5, 2.0, -1.0, 1.0, 3.0]
    K = len(gamma) - 1
    x = [math.cos((K - j + 0.5) * math.pi / (K + 1)) for j in range(K + 1)]
    w = [
        2 / (K + 1) * sum(max(g, 0) * math.cos(k * math.acos(t)) for g, t in zip(gamma, x, strict=True))
        for k in range(K + 1)
    ]
    L = -dense(graph)
    T = [torch.eye(graph.n, dtype=torch.float64), L]
    while len(T) <= K:
        T.append(2 * L @ T[-1] - T[-2])
    wanted = w[0] / 2 * X + sum(w[k] * T[k] @ X for k in range(1, K + 1))
    model = bare(gamma)
    assert_close(model(ChebNetII.prepare(graph, X, model.config)), wanted)


def test_it_starts_as_the_identity(graph, X):
    model = ChebNetII(Config(), 20, 20).double().eval()
    model.mlp = nn.Identity()
    # The nodes are cosines of float64, the start is exact in float32.
    assert_close(model(ChebNetII.prepare(graph, X, model.config)), X, rtol=1e-12, atol=1e-12)


def test_it_takes_k_products():
    A = Counting(torch.eye(3))
    ChebNetII(Config(K=7), 3, 3).filter(A, torch.ones(3, 2))
    assert len(A.columns) == 7

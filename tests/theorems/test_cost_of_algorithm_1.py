"""Time complexity: O(K (m + n)), that is K products with P for the basis; here for all tau and h together."""

import pytest
import torch

from helpers import Counting, algorithm_1, dense
from unifilter import lanczos
from unifilter.bases import monomial, unibasis
from unifilter.graph.synthetic import block_model


@pytest.fixture(scope="module")
def problem():
    import numpy as np

    graph, X, _ = block_model(300, 0.3, d=6, generator=np.random.default_rng(0))
    return dense(graph), torch.from_numpy(X)


def test_the_paper_spends_2k_products_for_each_pair_of_tau_and_h(problem):
    P, X = Counting(problem[0]), problem[1]
    algorithm_1(P, X[:, 0], 10, 0.3)
    monomial(P, X[:, 0], 10)
    assert len(P.columns) == 20


def test_one_factorisation_spends_k_for_all_of_them(problem):
    P, X = Counting(problem[0]), problem[1]
    krylov = lanczos(P, X, 10)
    for tau in (0.0, 0.1, 0.5, 1.0):
        for h in (0.1, 0.5, 0.9):
            unibasis(krylov.T, krylov.norm, tau, h)
    assert P.columns == [6] * 10

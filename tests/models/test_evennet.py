import torch
from torch import nn
from torch.testing import assert_close

from conftest import path
from helpers import Counting, dense
from unifilter.models.evennet import Config, EvenNet


def bare(K):
    model = EvenNet(Config(K=K), 20, 20).double().eval()
    model.mlp = nn.Identity()
    model.w.data = torch.arange(1.0, K // 2 + 2, dtype=torch.float64)
    return model


def test_logits_are_weighted_even_powers_up_to_hop_k(graph, X):
    for K in (5, 4):
        model, P = bare(K), dense(graph)
        wanted = X + 2 * P @ P @ X + 3 * torch.linalg.matrix_power(P, 4) @ X
        assert_close(model(EvenNet.prepare(graph, X, model.config)), wanted)


def test_the_weights_start_as_the_authors_have_them():
    found = EvenNet(Config(K=10, alpha=0.1), 4, 2).w.detach()
    assert_close(found, torch.tensor([0.1, 0.081, 0.06561, 0.0531441, 0.04304672, 0.03486784]))
    assert_close(found.sum(), torch.tensor(0.3777), atol=1e-4, rtol=0)


def test_the_response_is_symmetric_about_one():
    lam = torch.linspace(0, 2, 41, dtype=torch.float64)
    g = bare(10).response(lam)
    assert_close(g, g.flip(0))
    assert g.std() > 0.1


def test_odd_neighbours_of_a_bipartite_graph_do_not_matter():
    """On a path, a node hears only of nodes an even number of steps away."""
    graph, model = path(9), bare(6)
    X = torch.zeros(9, 20, dtype=torch.float64)
    X[1::2] = torch.randn(4, 20, dtype=torch.float64)
    Z = model(EvenNet.prepare(graph, X, model.config))
    assert (Z[::2] == 0).all()
    assert (Z[1::2] != 0).any()


def test_it_takes_k_products():
    A = Counting(torch.eye(3))
    EvenNet(Config(K=10), 3, 3).filter(A, torch.ones(3, 2))
    assert len(A.columns) == 10

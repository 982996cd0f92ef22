import numpy as np
import pytest
import torch
from torch.testing import assert_close
from torch_geometric.nn import SGConv

from helpers import dense
from unifilter import Graph
from unifilter.models._operators import smoothing
from unifilter.models.sgc import SGC, Config


@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("K", [0, 1, 4])
def test_features_are_smoothed_k_times(graph, X, K, self_loops):
    found = SGC.prepare(graph, X, Config(K=K, self_loops=self_loops)).X
    assert_close(found, torch.linalg.matrix_power(dense(graph, self_loops), K) @ X)


@pytest.mark.parametrize("data_loops", [False, True])
def test_in_float32_V_gives_what_K_products_give(data_loops):
    """On a graph with an isolated node and a column of zeros, whose results are 0."""
    arcs = np.random.default_rng(3).integers(0, 60, (2, 150))
    graph = Graph.from_edges(arcs, n=61)
    X = torch.rand(61, 8, generator=torch.Generator().manual_seed(0))
    X[:, 3] = 0
    config = Config(K=10, data_loops=data_loops)
    P, hop = smoothing(graph, X, arcs, data_loops=data_loops), X
    for _ in range(10):
        hop = P @ hop
    found = SGC.prepare(graph, X, config, arcs).X
    assert_close(found, hop, rtol=1e-5, atol=1e-6)
    assert (found[:, 3] == 0).all()
    assert_close(found[60], X[60], rtol=1e-5, atol=0)  # its only neighbour is itself


def test_logits_are_those_of_pyg_s_layer(graph, X):
    model = SGC(Config(K=3), 20, 4).double()
    layer = SGConv(20, 4, K=3).double()
    layer.lin.load_state_dict(model.head.state_dict())
    edges = torch.from_numpy(np.stack([graph.rows(), graph.indices]).astype(np.int64))
    weight = None if graph.weights is None else torch.from_numpy(np.array(graph.weights))
    assert_close(model(SGC.prepare(graph, X, model.config)), layer(X, edges, weight))


def test_it_has_a_bias_as_the_authors_code():
    assert SGC(Config(), 5, 3).head.bias is not None


def test_a_loop_of_the_data_weighs_two_if_it_is_kept():
    """Node 0: an edge, its loop and the added one. P[0, 0] = 2/3 and P[1, 1] = 1/2."""
    arcs = np.array([[0, 0], [0, 1]])
    graph, eye = Graph.from_edges(arcs), torch.eye(2, dtype=torch.float64)
    kept = SGC.prepare(graph, eye, Config(K=1, data_loops=True), arcs).X
    assert_close(kept.diag(), torch.tensor([2 / 3, 1 / 2], dtype=torch.float64))
    assert_close(kept[0, 1], torch.tensor(6**-0.5, dtype=torch.float64))
    assert_close(SGC.prepare(graph, eye, Config(K=1), arcs).X.diag(), torch.tensor([0.5, 0.5]).double())


@pytest.mark.parametrize("self_loops", [True, False])
def test_the_response_is_the_filter_in_the_eigenbasis(graph, X, self_loops):
    config = Config(K=3, self_loops=self_loops)
    eye = torch.eye(graph.n, dtype=torch.float64)
    lam, U = torch.linalg.eigh(eye - dense(graph, self_loops))
    g = SGC(config, 20, 3).response(lam)
    assert_close(SGC.prepare(graph, X, config).X, U @ (g[:, None] * (U.T @ X)))

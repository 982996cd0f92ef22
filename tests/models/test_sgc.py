import numpy as np
import pytest
import torch
from torch.testing import assert_close
from torch_geometric.nn import SGConv

from helpers import dense
from unifilter import Graph
from unifilter.models.sgc import SGC, Config


@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("K", [0, 1, 4])
def test_features_are_smoothed_k_times(graph, X, K, self_loops):
    found = SGC.prepare(graph, X, Config(K=K, self_loops=self_loops)).X
    assert_close(found, torch.linalg.matrix_power(dense(graph, self_loops), K) @ X)


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

"""GCN against its formula and PyTorch Geometric's layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.graph import Graph
from unifilter.models.gcn import GCN, Config

ARCS = np.array([[0, 1, 1, 2, 3, 0, 3, 5], [1, 0, 2, 3, 3, 4, 0, 2]])


def model(config: Config, d: int) -> GCN:
    torch.manual_seed(0)
    return GCN(config, d, 3).double().eval()


def reference(weights, x, edges, **options):
    """Two GCNConvs with our weights."""
    from torch_geometric.nn import GCNConv

    for i, layer in enumerate(weights):
        conv = GCNConv(*layer.weight.shape, **options).double()
        conv.lin.weight.data = layer.weight.data.T.clone()
        conv.bias.data = layer.bias.data.clone()
        x = conv(x, edges)
        x = torch.relu(x) if i == 0 else x
    return x


def test_two_layers_are_P_relu_P_X_W(graph, X):
    net = model(Config(hidden=5), 20)
    P = dense(graph, self_loops=True)
    first, second = net.stack.convolutions
    with torch.no_grad():
        first.bias.uniform_()
        second.bias.uniform_()
    H = torch.relu(P @ X @ first.weight + first.bias)
    inputs = GCN.prepare(graph, X, net.config)
    assert_close(net(inputs), P @ H @ second.weight + second.bias, rtol=1e-10, atol=1e-10)


def test_it_is_geometrics_layer_on_an_undirected_graph():
    graph = Graph.from_edges(ARCS, n=6)
    X = torch.randn(6, 4, dtype=torch.float64)
    net = model(Config(hidden=5), 4)
    edges = torch.from_numpy(np.stack([graph.rows(), graph.indices]).astype(np.int64))
    assert_close(net(GCN.prepare(graph, X, net.config)), reference(net.stack.convolutions, X, edges))


def test_the_published_convention_is_geometrics_layer_on_flipped_arcs_with_loops_appended():
    """Row = source, out-degrees, and A + I on top of the data's loops: none is that layer's default."""
    X = torch.randn(6, 4, dtype=torch.float64)
    config = Config(hidden=5, init="uniform", directed=True, data_loops=True)
    net = model(config, 4)
    found = net(GCN.prepare(Graph.from_edges(ARCS, n=6), X, config, arcs=ARCS))
    arcs = torch.from_numpy(ARCS)
    appended = torch.cat([arcs.flip(0), torch.arange(6).expand(2, 6)], dim=1)
    wanted = reference(net.stack.convolutions, X, appended, add_self_loops=False)
    assert_close(found, wanted)
    assert not torch.allclose(found, reference(net.stack.convolutions, X, arcs), atol=1e-2)
    assert not torch.allclose(found, reference(net.stack.convolutions, X, arcs.flip(0)), atol=1e-3)


def test_average_takes_the_rows_sums_only(graph, X):
    config = Config(layers=1, average=True, bias=False)
    net = model(config, 20)
    A = torch.from_numpy(graph.to_scipy().toarray()) + torch.eye(graph.n, dtype=torch.float64)
    wanted = A / A.sum(dim=1, keepdim=True) @ X @ net.stack.convolutions[0].weight
    assert_close(net(GCN.prepare(graph, X, config)), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("init", "bound"), [("uniform", 0.25), ("glorot", (6 / 116) ** 0.5)])
def test_initial_weights_fill_the_range_that_the_authors_chose(init, bound):
    weight = model(Config(hidden=16, init=init), 100).stack.convolutions[0].weight.abs().max()
    assert 0.95 * bound < weight <= bound


def test_the_group_to_decay_holds_the_first_weight_alone():
    groups = model(Config(hidden=5, residual=True, norm="batch"), 4).groups()
    assert [tuple(p.shape) for p in groups["first"]] == [(4, 5)]
    assert len(groups["rest"]) > 3

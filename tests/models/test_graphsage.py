"""GraphSAGE against PyTorch Geometric's layer and its formula."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.graph import Graph
from unifilter.models.graphsage import Config, GraphSAGE

ARCS = np.array([[0, 1, 1, 2, 3, 0, 5], [1, 0, 2, 3, 0, 4, 2]])


def model(config: Config, d: int) -> GraphSAGE:
    torch.manual_seed(0)
    return GraphSAGE(config, d, 3).double().eval()


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_two_layers_are_geometrics(unit, directed):
    from torch_geometric.nn import SAGEConv

    graph = Graph.from_edges(ARCS, n=6)
    X = torch.randn(6, 4, dtype=torch.float64)
    config = Config(hidden=5, unit=unit, directed=directed)
    net = model(config, 4)
    both = np.stack([graph.rows(), graph.indices]).astype(np.int64)
    edges = torch.from_numpy(ARCS[::-1].copy() if directed else both)
    H = X
    for i, ours in enumerate(net.stack.convolutions):
        conv = SAGEConv(H.shape[1], ours.own.out_features, normalize=unit and i == 0).double()
        conv.lin_l.weight.data, conv.lin_l.bias.data = ours.neighbours.weight.data, ours.own.bias.data
        conv.lin_r.weight.data = ours.own.weight.data
        H = conv(H, edges)
        H = torch.relu(H) if i == 0 else H
    assert_close(net(GraphSAGE.prepare(graph, X, config, arcs=ARCS)), H)


def test_an_isolated_node_keeps_its_own_part_only():
    graph = Graph.from_edges([[0], [1]], n=3)
    X = torch.randn(3, 4, dtype=torch.float64)
    net = model(Config(layers=1), 4)
    assert_close(net(GraphSAGE.prepare(graph, X, net.config))[2], net.stack.convolutions[0].own(X[2]))


def test_with_self_loops_a_node_counts_among_its_neighbours():
    graph = Graph.from_edges([[0], [1]])
    X = torch.randn(2, 4, dtype=torch.float64)
    net = model(Config(layers=1, self_loops=True), 4)
    c = net.stack.convolutions[0]
    assert_close(
        net(GraphSAGE.prepare(graph, X, net.config)), c.neighbours(X.mean(0)).expand(2, 3) + c.own(X)
    )

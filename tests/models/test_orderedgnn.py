"""Ordered GNN against its formula in dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import layer_norm, linear
from torch.testing import assert_close

from unifilter.graph import Graph
from unifilter.models.orderedgnn import Config, OrderedGNN


def model(config: Config, graph, d: int = 20) -> OrderedGNN:
    torch.manual_seed(0)
    return OrderedGNN(config, d, 3, graph.n).double().eval()


@pytest.mark.parametrize("one_gate", [False, True])
@pytest.mark.parametrize("self_loops", [False, True])
def test_layers_are_gated_sums_of_a_node_and_the_mean_of_its_neighbours(graph, X, one_gate, self_loops):
    config = Config(hidden=8, chunks=4, layers=3, one_gate=one_gate, self_loops=self_loops, input_layers=2)
    net = model(config, graph)
    A = torch.from_numpy(graph.to_scipy().toarray()) + self_loops * torch.eye(graph.n, dtype=torch.float64)
    M = A / torch.where(A.sum(1) > 0, A.sum(1), 1)[:, None]
    H = X
    for layer in net.inputs:
        H = layer_norm(torch.relu(linear(H, layer.weight, layer.bias)), (8,))
    open_ = torch.ones(graph.n, 4, dtype=torch.float64)  # 1 - g, a product of what every layer left open
    for i in range(3):
        m = M @ H
        gate = net.gates[0 if one_gate else i]
        taken = torch.softmax(torch.cat([H, m], 1) @ gate.weight.T + gate.bias, 1).cumsum(1)
        open_ = open_ * (1 - taken)
        wide = open_.repeat_interleave(2, dim=1)
        H = layer_norm(H * (1 - wide) + m * wide, (8,))
    assert_close(net(OrderedGNN.prepare(graph, X, config)), net.last(H), rtol=1e-9, atol=1e-9)


def test_identity_features_are_the_identity_matrix(graph, X):
    config = Config(identity=True)
    net = model(config, graph)
    found = net(OrderedGNN.prepare(graph, X, config))
    eye = torch.eye(graph.n, dtype=torch.float64)
    plain = OrderedGNN(Config(), graph.n, 3, graph.n).double().eval()
    plain.load_state_dict(net.state_dict())
    assert_close(found, plain(OrderedGNN.prepare(graph, eye, Config())), rtol=1e-9, atol=1e-9)
    assert net.node_parameters == ("inputs.0.weight",)


def test_dropout_of_the_identity_takes_whole_nodes(graph, X):
    net = model(Config(identity=True, dropout=1.0), graph).train()
    found = net(OrderedGNN.prepare(graph, X, net.config))
    assert_close(found, net.last.bias.expand_as(found))


@pytest.mark.parametrize(("transposed", "heard"), [(False, 1), (True, 2)])
def test_a_node_hears_along_leaving_arcs_or_arriving_ones(transposed, heard):
    arcs = np.array([[0, 2], [1, 0]])  # 2 -> 0 -> 1
    graph, X = Graph.from_edges(arcs), torch.eye(3, dtype=torch.float64)
    config = Config(directed=True, transposed=transposed, self_loops=False)
    M = OrderedGNN.prepare(graph, X, config, arcs=arcs)["M"]
    assert_close((M @ X)[0], X[heard])


def test_the_groups_are_the_authors():
    graph = Graph.from_edges([[0], [1]])
    groups = model(Config(input_layers=2, one_gate=True), graph).groups()
    assert {name: len(p) for name, p in groups.items()} == {"convolutions": 10, "linear": 6, "input_norms": 4}


@pytest.mark.parametrize("chunks", [5, 0, -4])
def test_chunks_must_divide_the_width(chunks):
    with pytest.raises(ValueError, match=f"chunks must divide hidden = 64, but is {chunks}"):
        Config(chunks=chunks)

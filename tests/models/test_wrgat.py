"""WRGAT against its formula, relation by relation and node by node."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import leaky_relu
from torch.testing import assert_close

from unifilter.graph import Graph
from unifilter.models._structural import structural_relations
from unifilter.models.wrgat import WRGAT, Config
from unifilter.train.bundle import Bundle


def by_hand(layer, H, relations):
    """The sum over relations, one node at a time."""
    out = H @ layer.own.weight.T + layer.own.bias
    for (source, target, weight), W, a in zip(relations, layer.weight, layer.attention, strict=True):
        z = H @ W
        for i in np.unique(target):
            j = torch.from_numpy(source[target == i].astype(np.int64))
            pair = torch.cat([z[i].expand(len(j), -1), z[j]], dim=1)
            share = torch.softmax(leaky_relu(pair @ a, 0.2), dim=0)
            w = torch.from_numpy(weight[target == i])
            out[i] = out[i] + ((share * w)[:, None] * z[j]).mean(dim=0)
    return out


@pytest.mark.parametrize("edges", [True, False])
def test_every_relation_attends_and_takes_the_mean_of_what_it_weighed(graph, X, edges):
    config = Config(hidden=5, levels=2, edges=edges, edge_weight=0.7)
    torch.manual_seed(0)
    net = WRGAT(config, 20, 3).double().eval()
    relations = [tuple(r) for r in structural_relations(graph.to_scipy(), 2)]
    if edges:
        relations.insert(0, (graph.rows(), graph.indices, np.full(graph.indices.size, 0.7)))
    with torch.no_grad():
        H = torch.relu(by_hand(net.layers[0], X, relations))
        wanted = by_hand(net.layers[1], H, relations)
        assert_close(net(WRGAT.prepare(graph, X, config)), wanted, rtol=1e-10, atol=1e-10)


def test_gradients_are_those_of_the_formula(graph, X):
    torch.manual_seed(0)
    net, G = WRGAT(Config(layers=1, levels=2), 20, 3).double(), torch.randn(graph.n, 3, dtype=torch.float64)
    relations = [tuple(r) for r in structural_relations(graph.to_scipy(), 2)]
    relations.insert(0, (graph.rows(), graph.indices, np.ones(graph.indices.size)))
    H, layer = X.clone().requires_grad_(), net.layers[0]
    wanted = torch.autograd.grad(by_hand(layer, H, relations), [H, *layer.parameters()], G)
    arcs = WRGAT.prepare(graph, X, net.config)["arcs"]
    found = torch.autograd.grad(layer(H, arcs), [H, *layer.parameters()], G)
    assert_close(found, wanted, rtol=1e-9, atol=1e-10)


def test_a_bundle_trains_as_its_members_would(graph, X):
    torch.manual_seed(0)
    nets = [WRGAT(Config(hidden=5, levels=2, dropout=0.0), 20, 3).double() for _ in range(3)]
    inputs, bundle = WRGAT.prepare(graph, X, nets[0].config), Bundle(nets)
    logits = bundle(inputs)
    G = torch.randn_like(logits)
    logits.backward(G)
    for k, net in enumerate(nets):
        net(inputs).backward(G[k])
        assert_close(logits[k], net(inputs))
        for name, p in net.named_parameters():
            assert_close(bundle.parameters[name].grad[k], p.grad, rtol=1e-9, atol=1e-10)


def test_an_isolated_node_keeps_its_own_term_only():
    graph, X = Graph.from_edges([[0], [1]], n=3), torch.randn(3, 4, dtype=torch.float64)
    net = WRGAT(Config(layers=1), 4, 3).double()
    assert_close(net(WRGAT.prepare(graph, X, net.config))[2], net.layers[0].own(X[2]))


def test_a_level_beyond_the_diameter_adds_nothing_and_costs_no_rows(graph, X):
    far = 2 * int(graph.n)
    torch.manual_seed(0)
    net = WRGAT(Config(layers=1, levels=far), 20, 3).double()
    inputs = WRGAT.prepare(graph, X, net.config)
    assert net.layers[0].weight.shape[0] == far + 2
    assert inputs["arcs"].places.rows.max() < inputs["arcs"].used.numel() * graph.n < far * graph.n
    relations = [tuple(r) for r in structural_relations(graph.to_scipy(), far)]
    relations.insert(0, (graph.rows(), graph.indices, np.ones(graph.indices.size)))
    with torch.no_grad():
        assert_close(net(inputs), by_hand(net.layers[0], X, relations), rtol=1e-10, atol=1e-10)


def test_without_any_arc_a_node_has_its_own_term():
    graph, X = Graph.from_edges(np.empty((2, 0), int), n=3), torch.randn(3, 4, dtype=torch.float64)
    net = WRGAT(Config(layers=1, levels=0), 4, 2).double()
    inputs = WRGAT.prepare(graph, X, net.config)
    out = net(inputs)
    out.sum().backward()
    assert inputs["arcs"].used.numel() == 0
    assert_close(out, net.layers[0].own(X))


def test_self_loops_of_the_data_count_for_edges_if_asked():
    arcs = np.array([[0, 1, 2], [1, 2, 2]])
    graph, X = Graph.from_edges(arcs), torch.randn(3, 4, dtype=torch.float64)
    plain, looped = (
        WRGAT.prepare(graph, X, Config(data_loops=loops), arcs=arcs)["arcs"] for loops in (False, True)
    )
    R = looped.used.numel()
    first = looped.places.rows % R == 0  # of the graph's edges
    assert first.sum() == (plain.places.rows % plain.used.numel() == 0).sum() + 1
    row, column = (at[first] // R for at in (looped.places.rows, looped.places.columns))
    assert ((row == 2) & (column == 2)).sum() == 1

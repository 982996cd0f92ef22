"""GCNII against PyTorch Geometric's layer, GCNII* against both of its definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.graph import Graph
from unifilter.models.gcnii import GCNII, Config

ARCS = np.array([[0, 1, 1, 2, 3, 0, 3, 5], [1, 0, 2, 3, 3, 4, 0, 2]])


def model(config: Config, d: int) -> GCNII:
    torch.manual_seed(0)
    return GCNII(config, d, 3).double().eval()


def geometric(net: GCNII, X, edges, shared: bool, **options):
    """The model around GCN2Conv, with our weights."""
    from torch_geometric.nn import GCN2Conv

    c = net.config
    H = H_0 = torch.relu(net.first(X))
    for layer, W in enumerate(net.weights, start=1):
        conv = GCN2Conv(c.hidden, c.alpha, c.lam, layer, shared_weights=shared, **options).double()
        conv.weight1.data = W.data[: c.hidden].clone()
        if not shared:
            conv.weight2.data = W.data[c.hidden :].clone()
        H = torch.relu(conv(H, H_0, edges))
    return net.last(H)


@pytest.mark.parametrize("star", ["no", "paper"])
def test_five_layers_are_geometrics(star):
    graph = Graph.from_edges(ARCS, n=6)
    X = torch.randn(6, 4, dtype=torch.float64)
    net = model(Config(hidden=7, layers=5, alpha=0.3, lam=1.5, star=star), 4)
    edges = torch.from_numpy(np.stack([graph.rows(), graph.indices]).astype(np.int64))
    assert_close(net(GCNII.prepare(graph, X, net.config)), geometric(net, X, edges, star == "no"))


def test_the_published_convention_is_geometrics_layer_on_flipped_arcs_with_loops_appended():
    X = torch.randn(6, 4, dtype=torch.float64)
    net = model(Config(hidden=7, layers=2, directed=True, data_loops=True), 4)
    found = net(GCNII.prepare(Graph.from_edges(ARCS, n=6), X, net.config, arcs=ARCS))
    edges = torch.cat([torch.from_numpy(ARCS).flip(0), torch.arange(6).expand(2, 6)], dim=1)
    assert_close(found, geometric(net, X, edges, True, add_self_loops=False))


def test_the_authors_code_leaves_alpha_out_of_the_weights_of_gcnii_star(graph, X):
    code, paper = (Config(hidden=7, layers=1, alpha=0.3, star=star) for star in ("code", "paper"))
    net = model(code, 20)
    P, W = dense(graph, self_loops=True), net.weights[0]
    theta = math.log(0.5 / 1 + 1)
    H_0 = torch.relu(net.first(X))
    S = 0.7 * P @ H_0 + 0.3 * H_0
    H = torch.relu(theta * torch.cat([P @ H_0, H_0], dim=1) @ W + (1 - theta) * S)
    found = net(GCNII.prepare(graph, X, code))
    assert_close(found, net.last(H), rtol=1e-10, atol=1e-10)
    scaled = model(paper, 20)
    with torch.no_grad():
        # The same function class: the paper's weights are the code's divided by (1 - alpha, alpha).
        scaled.weights[0][:7] = W[:7] / 0.7
        scaled.weights[0][7:] = W[7:] / 0.3
    assert_close(scaled(GCNII.prepare(graph, X, paper)), found, rtol=1e-10, atol=1e-10)


def test_weights_start_within_one_over_the_root_of_their_width():
    largest = max(float(W.abs().max().detach()) for W in model(Config(hidden=16), 4).weights)
    assert 0.24 < largest <= 0.25

"""LINKX against PyTorch Geometric's model."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.models.linkx import LINKX, Config


def copy(linear, mine) -> None:
    linear.weight.data, linear.bias.data = mine.weight.data.clone(), mine.bias.data.clone()


def copy_mlp(theirs, mine) -> None:
    for linear, own in zip(theirs.lins, mine.layers, strict=True):
        copy(linear, own)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1, 2), (1, 2, 3)])
@pytest.mark.parametrize("train", [False, True])
def test_it_is_geometrics_model(graph, X, shape, train):
    from torch_geometric.nn import models

    a, x, f = shape
    config = Config(hidden=6, A_layers=a, X_layers=x, layers=f, dropout=0.0)
    torch.manual_seed(0)
    net = LINKX(config, 20, 3, graph.n).double().train(train)
    other = models.LINKX(graph.n, 20, 6, 3, f, a, x, dropout=0.0).double().train(train)
    first = net.A.layers[0]
    other.edge_lin.weight.data, other.edge_lin.bias.data = first.weight.data.T.clone(), first.bias.data
    if a > 1:
        copy(other.edge_mlp.lins[0], net.A.layers[1])
    copy_mlp(other.node_mlp, net.X)
    copy_mlp(other.final_mlp, net.last)
    other.cat_lin1.weight.data, other.cat_lin2.weight.data = net.join.weight.data.chunk(2, dim=1)
    other.cat_lin1.bias.data, other.cat_lin2.bias.data = net.join.bias.data, torch.zeros(6).double()
    edges = torch.from_numpy(np.stack([graph.rows(), graph.indices]).astype(np.int64))
    weights = None if graph.weights is None else torch.from_numpy(graph.weights.copy())
    found = net(LINKX.prepare(graph, X, config))
    assert_close(found, other(X, edges, weights), rtol=1e-9, atol=1e-9)


def test_self_loops_add_a_node_to_its_own_row(graph, X):
    config = Config(hidden=6, layers=1)
    net = LINKX(config, 20, 3, graph.n).double().eval()
    plain, looped = (
        net.A(X, LINKX.prepare(graph, X, Config(self_loops=loops))["A"]) for loops in (False, True)
    )
    assert_close(looped - plain, net.A.layers[0].weight.T)


def test_dropout_is_in_the_last_part_only(graph, X):
    net = LINKX(Config(A_layers=2, X_layers=2), 20, 3, graph.n)
    assert (net.A.dropout, net.X.dropout, net.last.dropout) == (0.0, 0.0, 0.5)

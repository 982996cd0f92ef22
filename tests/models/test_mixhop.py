"""MixHop against PyTorch Geometric's layer and its formula."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize
from torch.testing import assert_close

from helpers import Counting, dense
from unifilter.graph import Graph, propagation
from unifilter.models.mixhop import Config, Convolution, MixHop


def test_the_convolution_is_geometrics():
    from torch_geometric.nn import MixHopConv

    graph = Graph.from_edges([[0, 1, 2, 3, 0], [1, 2, 3, 4, 2]], n=6)
    X = torch.randn(6, 4, dtype=torch.float64)
    ours = Convolution(4, [5, 5, 5], [0, 1, 3]).double()
    theirs = MixHopConv(4, 5, powers=[0, 1, 3], bias=False).double()
    for lin, W in zip((theirs.lins[0], theirs.lins[1], theirs.lins[3]), ours.weights, strict=True):
        lin.weight.data = W.data.T.clone()
    edges = torch.from_numpy(np.stack([graph.rows(), graph.indices]).astype(np.int64))
    P = propagation(graph, True, torch.float64)
    assert_close(torch.cat(ours(X, P), dim=1), theirs(X, edges))


def test_logits_are_the_softmax_weighted_sum_over_powers(graph, X):
    config = Config(hidden=8)
    torch.manual_seed(0)
    net = MixHop(config, 20, 3).double().eval()
    with torch.no_grad():
        net.q.copy_(torch.tensor([0.3, -1.0, 2.0]))
        net.shift.uniform_()
    P = dense(graph, self_loops=True)
    powers = [torch.eye(graph.n, dtype=torch.float64), P, P @ P]
    H = torch.cat([p @ normalize(X) @ W for p, W in zip(powers, net.first.weights, strict=True)], dim=1)
    H = torch.relu((H - H.mean(0)) / torch.sqrt(H.var(0, unbiased=False) + 1e-3) + net.shift)
    share = torch.softmax(net.q.detach(), dim=0)
    wanted = sum(s * (p @ H @ W) for s, p, W in zip(share, powers, net.last.weights, strict=True))
    assert_close(net(MixHop.prepare(graph, X, config)), wanted, rtol=1e-9, atol=1e-9)
    assert net.learned()["power_2"] == pytest.approx(float(share[2]))


def test_hidden_columns_are_shared_out_and_the_last_power_gets_the_rest():
    net = MixHop(Config(hidden=64), 5, 3)
    assert [W.shape[1] for W in net.first.weights] == [21, 21, 22]
    assert [W.shape[1] for W in net.last.weights] == [3, 3, 3]


def test_binary_features_are_zero_or_one(graph, X):
    found = MixHop.prepare(graph, X, Config(binary=True)).X
    assert_close(found, X.abs().sign())


@pytest.mark.parametrize("wrong", [{"powers": ()}, {"powers": (-1,)}, {"hidden": 2}])
def test_powers_that_make_no_layer_are_refused(wrong):
    with pytest.raises(ValueError, match="MixHop needs powers"):
        Config(**wrong)


def test_blocks_travel_together_as_many_products_as_the_largest_power(graph, X):
    P = Counting(propagation(graph, self_loops=True, dtype=X.dtype))
    layer = Convolution(X.shape[1], [2, 3, 4], (0, 3, 1)).double()
    blocks = layer(X, P)
    assert P.columns == [7, 3, 3]
    for block, power, W in zip(blocks, (0, 3, 1), layer.weights, strict=True):
        expected = X @ W
        for _ in range(power):
            expected = P @ expected
        assert_close(block, expected)

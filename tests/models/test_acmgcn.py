"""ACM-GCN against its formula in dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.graph import Graph
from unifilter.models.acmgcn import ACMGCN, Config


def averages(graph, extra=0.0) -> torch.Tensor:
    A = torch.from_numpy(graph.to_scipy().toarray()) + torch.eye(graph.n, dtype=torch.float64) + extra
    return A / A.sum(dim=1, keepdim=True)


def channel(P, H, layer, c, acm):
    """H filtered by P with the weights of channel c, and its score."""
    y = H @ layer.weight[c]
    y = torch.relu(P @ y) if acm else P @ torch.relu(y)
    return y, torch.sigmoid(y @ layer.score[c])


@pytest.mark.parametrize("variant", ["acm", "acmii"])
@pytest.mark.parametrize("factor", [3.0, 1.0])
def test_a_node_weighs_low_pass_high_pass_and_itself(graph, X, variant, factor):
    config = Config(hidden=6, variant=variant, factor=factor)
    torch.manual_seed(0)
    net = ACMGCN(config, 20, 3).double().eval()
    eye = torch.eye(graph.n, dtype=torch.float64)
    P, H = averages(graph), X
    for layer in net.layers:
        H = torch.relu(H) if layer is not net.layers[0] else H
        parts = [channel(Q, H, layer, c, variant == "acm") for c, Q in enumerate((P, eye - P, eye))]
        a = torch.softmax(torch.stack([s for _, s in parts], dim=1) @ layer.mix / 3, dim=1)
        H = factor * sum(a[:, c, None] * y for c, (y, _) in enumerate(parts))
    assert_close(net(ACMGCN.prepare(graph, X, config)), H, rtol=1e-10, atol=1e-10)
    if variant == "acm":
        assert (H >= 0).all()  # the output layer keeps its ReLUs


def test_self_loops_of_the_data_weigh_two_as_in_the_authors_code():
    arcs = np.array([[0, 1, 2], [1, 2, 2]])
    graph, X = Graph.from_edges(arcs), torch.randn(3, 4, dtype=torch.float64)
    P = ACMGCN.prepare(graph, X, Config(data_loops=True), arcs=arcs)["P"]
    loop = torch.zeros(3, 3, dtype=torch.float64)
    loop[2, 2] = 1
    assert_close(P @ X, averages(graph, loop) @ X)


def test_scores_start_uniform_in_the_unit_interval_and_weights_by_their_width():
    torch.manual_seed(0)
    layer = ACMGCN(Config(hidden=100), 50, 3).layers[0]
    for value, bound in ((layer.score, 1.0), (layer.weight, 0.1), (layer.mix, 3**-0.5)):
        assert 0.8 * bound < value.abs().max() <= bound

"""H2GCN against dense matrices and shortest paths."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse.csgraph import shortest_path
from torch.testing import assert_close

from helpers import dense
from unifilter.models import h2gcn
from unifilter.models.h2gcn import H2GCN, Config, two_hop


def test_the_two_hop_graph_joins_nodes_at_distance_exactly_two(graph):
    distance = shortest_path(graph.to_scipy(), unweighted=True)
    np.testing.assert_array_equal(two_hop(graph).to_scipy().toarray(), distance == 2)


@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize("relu", [True, False])
def test_rounds_double_the_width_and_are_joined_last_round_first(graph, X, K, relu):
    config = Config(K=K, hidden=5, relu=relu)
    torch.manual_seed(0)
    net = H2GCN(config, 20, 3).double().eval()
    P_1, P_2 = dense(graph), dense(two_hop(graph))
    R = [torch.relu(X @ net.first.weight.T) if relu else X @ net.first.weight.T]
    for _ in range(K):
        R.append(torch.cat([P_1 @ R[-1], P_2 @ R[-1]], dim=1))
    wanted = torch.cat([R[-1], *R[:-1]], dim=1) @ net.last.weight.T
    assert net.last.in_features == 5 * (2 ** (K + 1) - 1)
    assert_close(net(H2GCN.prepare(graph, X, config)), wanted, rtol=1e-10, atol=1e-10)


def test_a_graph_with_too_many_walks_is_refused_with_models_that_can(graph, monkeypatch):
    monkeypatch.setattr(h2gcn, "WALKS", 5)
    with pytest.raises(ValueError, match="mixhop and unifilter"):
        two_hop(graph)

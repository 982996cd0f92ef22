from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.models.fsgnn import FSGNN, Config


def test_the_hops_are_x_then_powers_without_loops_and_with_them(graph, X):
    P, loops = dense(graph), dense(graph, self_loops=True)
    wanted = [X, P @ X, loops @ X, P @ P @ X, loops @ loops @ X]
    assert_close(FSGNN.prepare(graph, X, Config(K=2)).X, torch.stack(wanted, dim=1))
    only = {"plain": [0, 1, 3], "loops": [0, 2, 4]}
    for hops, kept in only.items():
        config = Config(K=2, hops=hops)
        assert config.count == 3
        assert_close(FSGNN.prepare(graph, X, config).X, torch.stack([wanted[k] for k in kept], dim=1))


@pytest.mark.parametrize("hop_norm", [True, False])
def test_a_hop_is_mapped_normalised_gated_and_then_all_are_joined(graph, X, hop_norm):
    config = Config(K=1, hidden=5, hop_norm=hop_norm)
    torch.manual_seed(0)
    model = FSGNN(config, X.shape[1], 3).double().eval()
    torch.nn.init.normal_(model.gate)
    inputs = FSGNN.prepare(graph, X, config)
    parts = []
    for k, g in enumerate(model.gate.exp() / model.gate.exp().sum()):
        Y = inputs.X[:, k] @ model.first[k].weight.T + model.first[k].bias
        parts.append(g * (Y / Y.square().sum(dim=1, keepdim=True).sqrt() if hop_norm else Y))
    Z = torch.relu(torch.cat(parts, dim=1))
    assert_close(model(inputs), Z @ model.second.weight.T + model.second.bias)


def test_gates_start_equal_and_add_up_to_1():
    gates = FSGNN(Config(K=2), 4, 3).learned()
    assert gates == {f"gate_{k}": pytest.approx(1 / 5) for k in range(5)}


def test_directed_hops_follow_the_arcs_that_leave():
    """Row u sums over u -> v, out-degrees on both sides; the data's loop counts, and is doubled by + I."""
    arcs = np.array([[0, 0, 1, 3, 3], [1, 2, 2, 3, 0]])
    A = torch.zeros(4, 4, dtype=torch.float64)
    A[arcs[0], arcs[1]] = 1
    X = torch.randn(4, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = FSGNN.prepare(Graph.from_edges(arcs), X, Config(K=1, directed=True, data_loops=True), arcs).X
    for k, B in ((1, A), (2, A + torch.eye(4, dtype=torch.float64))):
        s = torch.diag(
            B.sum(dim=1).clamp_min(1) ** -0.5
        )  # node 2 has no arc: the authors take its degree as 1
        assert_close(found[:, k], s @ B @ s @ X)


def test_the_undirected_graph_is_the_same_from_its_arcs(graph, X):
    if graph.weighted:
        return
    A = graph.to_scipy().tocoo()
    arcs = np.stack([A.row, A.col])
    assert_close(FSGNN.prepare(graph, X, Config(directed=True), arcs).X, FSGNN.prepare(graph, X, Config()).X)


def test_unknown_hops_are_refused():
    with pytest.raises(ValueError, match='"all", "loops" or "plain", but is \'both\''):
        Config(hops="both")

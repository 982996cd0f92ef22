"""GAT against attention written out as dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import elu, leaky_relu
from torch.testing import assert_close

from unifilter.graph import Graph
from unifilter.graph.pattern import Pattern
from unifilter.models._operators import edge_index
from unifilter.models.gat import GAT, Attention, Config

ARCS = np.array([[0, 1, 1, 2, 3, 0, 3, 5], [1, 0, 2, 3, 3, 4, 0, 2]])


def model(config: Config, d: int) -> GAT:
    torch.manual_seed(0)
    return GAT(config, d, 3).double().eval()


def attention(conv, X, mask, concat):
    """Every head as an n x n softmax."""
    z = (X @ conv.lin.weight.T).reshape(X.shape[0], conv.heads, conv.out)
    heads = []
    for h in range(conv.heads):
        e = (z[:, h] @ conv.att_dst[0, h])[:, None] + (z[:, h] @ conv.att_src[0, h])[None]
        weights = torch.softmax(leaky_relu(e, 0.2).masked_fill(~mask, -torch.inf), dim=1)
        heads.append(weights @ z[:, h])
    joined = torch.cat(heads, dim=1) if concat else torch.stack(heads).mean(0)
    return joined + (0 if conv.bias is None else conv.bias)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("output_elu", [False, True])
def test_two_layers_are_softmax_over_the_neighbours_and_oneself(directed, output_elu):
    graph = Graph.from_edges(ARCS, n=6)
    X = torch.randn(6, 4, dtype=torch.float64)
    config = Config(hidden=5, heads=2, output_heads=3, directed=directed, output_elu=output_elu)
    net = model(config, 4)
    mask = torch.eye(6, dtype=torch.bool)
    for u, v in ARCS.T:
        mask[u, v] = True
        mask[v, u] |= not directed
    first, second = net.stack.convolutions
    wanted = attention(second, elu(attention(first, X, mask, True)), mask, False)
    found = net(GAT.prepare(graph, X, config, arcs=ARCS))
    assert_close(found, elu(wanted) if output_elu else wanted)


def test_a_node_without_neighbours_hears_itself(graph, X):
    net = model(Config(layers=1, output_heads=2), 20)
    found = net(GAT.prepare(graph, X, net.config))
    alone = np.flatnonzero(graph.degrees == 0)
    conv = net.stack.convolutions[0]
    wanted = (X @ conv.lin.weight.T).reshape(-1, 2, 3).mean(1) + conv.bias
    assert_close(found[alone], wanted[alone])


def test_attention_is_dropped_in_training():
    graph = Graph.from_edges(ARCS, n=6)
    X = torch.randn(6, 4, dtype=torch.float64)
    config = Config(dropout=0.0, input_dropout=0.0, attention_dropout=0.9)
    net, inputs = model(config, 4), GAT.prepare(graph, X, config)
    assert not torch.equal(net.train()(inputs), net(inputs))


@pytest.mark.parametrize("concat", [True, False])
def test_a_layer_is_that_of_pytorch_geometric_with_the_same_parameters(concat):
    from torch_geometric.nn import GATConv

    theirs = GATConv(4, 5, 3, concat=concat, add_self_loops=False).double()
    ours = Attention(4, 5, 3, concat=concat, bias=True, dropout=0.0).double()
    for name, drawn in theirs.state_dict().items():  # by the same rule
        bound = (6 / sum(drawn.shape[-2:])) ** 0.5 if name != "bias" else 0
        assert bound / 2 <= ours.state_dict()[name].abs().max() <= bound
    ours.load_state_dict(theirs.state_dict())
    j, i = edge_index(Graph.from_edges(ARCS, n=6), torch.empty(0), ARCS, directed=True)
    X = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    found, wanted = ours(X, Pattern.of(i.numpy(), j.numpy(), 6)), theirs(X, torch.stack([j, i]))
    assert_close(found, wanted)
    of_ours, of_theirs = (torch.autograd.grad(out.square().sum(), X)[0] for out in (found, wanted))
    assert_close(of_ours, of_theirs)

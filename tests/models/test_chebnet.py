import numpy as np
import pytest
import torch
from torch.testing import assert_close
from torch_geometric.nn import ChebConv

from helpers import Counting
from unifilter.models._layers import dropout
from unifilter.models.chebnet import ChebNet, Config, mixing, side_by_side


def as_pyg(layer, d, K):
    """The same layer of PyTorch Geometric, which runs on -P: odd matrices change sign."""
    conv = ChebConv(d, layer.out_features, K + 1).double()
    for k, block in enumerate(layer.weight.detach().split(d, dim=1)):
        conv.lins[k].weight.data = (-1) ** k * block
    conv.bias.data = layer.bias.detach()
    return conv


@pytest.mark.parametrize("K", [0, 1, 3])
def test_logits_are_those_of_pyg_s_layers(graph, X, K):
    torch.manual_seed(0)
    model = ChebNet(Config(K=K, hidden=6), 20, 3).double().eval()
    torch.nn.init.normal_(model.first.bias)
    rows = graph.rows()
    edges = torch.from_numpy(np.stack([rows, graph.indices]).astype(np.int64))
    weight = None if graph.weights is None else torch.from_numpy(np.array(graph.weights))
    first, second = as_pyg(model.first, 20, K), as_pyg(model.second, 6, K)
    wanted = second(torch.relu(first(X, edges, weight)), edges, weight)
    assert_close(model(ChebNet.prepare(graph, X, model.config)), wanted)


def test_a_step_propagates_only_the_hidden_layer(graph, X):
    model = ChebNet(Config(K=3, hidden=6), 20, 4).double()
    inputs = ChebNet.prepare(graph, X, model.config)
    inputs.operators["P"] = counted = Counting(inputs["P"])
    model(inputs)
    assert counted.columns == [6, 6, 6]


def test_dropout_acts_between_the_layers_only(graph, X):
    torch.manual_seed(0)
    model = ChebNet(Config(K=1, hidden=6, dropout=0.5), 20, 4).double().train()
    inputs = ChebNet.prepare(graph, X, model.config)
    torch.manual_seed(5)
    ours = model(inputs)
    torch.manual_seed(5)
    H = dropout(torch.relu(model.first(inputs.X)), 0.5, training=True)
    assert_close(ours, model.second(side_by_side(inputs["P"], H, 1)))


def test_every_matrix_starts_by_glorot_s_rule_for_itself():
    torch.manual_seed(0)
    layer = mixing(300, 50, terms=4)
    bound = (6 / 350) ** 0.5
    assert 0.98 * bound < layer.weight.abs().max() <= bound
    assert_close(layer.weight.var(), torch.tensor(bound**2 / 3), rtol=0.02, atol=0)
    assert (layer.bias == 0).all()

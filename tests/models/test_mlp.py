import torch
from torch.testing import assert_close

from unifilter import Graph
from unifilter.models.mlp import MLP, Config


def test_logits_are_two_linear_layers_with_relu_between():
    torch.manual_seed(0)
    model = MLP(Config(hidden=7), 5, 3).eval()
    first, second = model.mlp.layers
    X = torch.randn(11, 5)
    H = torch.relu(X @ first.weight.T + first.bias)
    inputs = MLP.prepare(Graph.from_edges([[0], [1]], n=11), X, model.config)
    assert_close(model(inputs), H @ second.weight.T + second.bias)


def test_the_graph_does_not_matter():
    torch.manual_seed(0)
    X, model = torch.randn(6, 5), MLP(Config(), 5, 3).eval()
    chain, pair = Graph.from_edges([[0, 1, 2], [1, 2, 3]], n=6), Graph.from_edges([[4], [5]])
    logits = [model(MLP.prepare(graph, X, model.config)) for graph in (chain, pair)]
    assert torch.equal(*logits)


def test_one_layer_is_a_linear_model():
    model = MLP(Config(layers=1, dropout=0.0), 5, 3)
    X, Y = torch.randn(4, 5), torch.randn(4, 5)
    middle = model.mlp((X + Y) / 2)
    assert_close(middle, (model.mlp(X) + model.mlp(Y)) / 2)


def test_dropout_acts_in_training_only():
    model = MLP(Config(dropout=0.5), 5, 3)
    X = torch.randn(9, 5)
    assert not torch.equal(model.mlp(X), model.mlp(X))
    model.eval()
    assert torch.equal(model.mlp(X), model.mlp(X))


def test_batch_norm_follows_every_layer_but_the_last():
    model = MLP(Config(layers=3, batch_norm=True), 5, 3)
    assert len(model.mlp.layers) == 3
    assert len(model.mlp.norms) == 2

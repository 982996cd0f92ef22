from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.models.correctandsmooth import Config, CorrectAndSmooth


def build(graph, X, **options):
    config = Config(**({"hidden": 8, "K": 7} | options))
    labels = torch.where(torch.arange(graph.n) % 3 == 0, torch.arange(graph.n) % 4, -1)
    torch.manual_seed(0)
    model = CorrectAndSmooth(config, X.shape[1], 4, labels).double()
    return model, CorrectAndSmooth.prepare(graph, X, config)


def theirs(graph, model, X, weights, **options):
    from torch_geometric.nn import CorrectAndSmooth as Layer

    config = model.config
    A = graph.to_scipy().tocoo()
    edges = torch.from_numpy(np.stack([A.row, A.col])).long()
    known = model.labels >= 0
    layer = Layer(config.K, config.correct, config.K, config.smooth, **options)
    p = torch.softmax(model.mlp(X), dim=1).detach()
    first, second = (w[edges[0], edges[1]] for w in weights)
    # PyTorch Geometric sends along (source, target): entry (i, j) of the matrix belongs to the edge j -> i.
    corrected = layer.correct(p, model.labels[known], known, edges.flip(0), first)
    return layer.smooth(corrected, model.labels[known], known, edges.flip(0), second)


def matrices(graph):
    A = torch.from_numpy(graph.to_scipy().toarray())
    s = torch.where(A.sum(dim=1) > 0, A.sum(dim=1).clamp_min(1e-300) ** -0.5, 0)
    return {
        "symmetric": s[:, None] * A * s,
        "row": (s**2)[:, None] * A,
        "column": A * s**2,
    }


@pytest.mark.parametrize("scale", ["auto", 1.5])
@pytest.mark.parametrize("by", [("symmetric", "symmetric"), ("row", "column")])
def test_it_agrees_with_pytorch_geometric(graph, X, scale, by):
    model, inputs = build(graph, X, scale=scale, correct_by=by[0], smooth_by=by[1])
    model.eval()
    options = {"autoscale": True} if scale == "auto" else {"autoscale": False, "scale": scale}
    wanted = theirs(graph, model, X, [matrices(graph)[name] for name in by], **options)
    assert_close(torch.exp(model(inputs)).detach(), wanted.clamp_min(1e-9), rtol=1e-9, atol=1e-12)


def test_in_training_it_is_the_mlp(graph, X):
    model, inputs = build(graph, X, dropout=0.0)
    model.train()
    first, second = model.mlp.layers
    assert_close(model(inputs), second(torch.relu(first(X))))


def test_an_isolated_training_node_keeps_its_label(X, graph):
    model, inputs = build(graph, X)
    model.eval()
    alone = torch.from_numpy(graph.degrees == 0) & (model.labels >= 0)
    assert (model(inputs).argmax(dim=1)[alone] == model.labels[alone]).all()


def test_only_training_labels_enter(graph, X):
    """Erasing one changes the answer; there is no other label that could."""
    model, inputs = build(graph, X)
    model.eval()
    before = model(inputs)
    model.labels[0] = -1
    assert not torch.allclose(model(inputs), before)


@pytest.mark.parametrize("bad", [{"correct": -0.1}, {"smooth": 2.0}, {"correct_by": "rows"}])
def test_bad_options_are_refused(bad):
    with pytest.raises(ValueError, match="must"):
        Config(**bad)

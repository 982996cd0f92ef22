"""Features that are mostly 0 give what the same features with their zeros give."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from unifilter.data import load, splits
from unifilter.models import model_class, names
from unifilter.models._bag import Bag, bag_of
from unifilter.models._registry import create
from unifilter.train import Training
from unifilter.train.beside import Job, lanes_of
from unifilter.train.prepared import Prepared
from unifilter.train.run import prepare, run

CPU = torch.device("cpu")
TAKERS = [name for name in names() if getattr(model_class(name), "takes_bags", False)]


@pytest.fixture(scope="module")
def data():
    """A block model whose features are bags: a tenth of them is there, and one node has none."""
    dense = load("sbm:n=120,h=0.8,d=40,classes=3,seed=4")
    kept = np.random.default_rng(0).random(dense.X.shape) < 0.1
    kept[5] = False
    return replace(dense, X=np.where(kept, dense.X, 0).astype(np.float32))


@pytest.fixture
def X(data):
    return torch.from_numpy(data.X).double()


@pytest.mark.parametrize("name", TAKERS)
def test_logits_and_gradients_are_those_of_the_dense_features(name, data):
    net = create(name, d=data.d, classes=3, nodes=data.n, homophily=0.5).eval()
    inputs, found = prepare(data, name, net.config, CPU), []
    X = inputs.X.dense() if isinstance(inputs.X, Bag) else inputs.X  # of ChebNet propagated ones are full
    for features in (Bag.of(X), X):
        net.zero_grad()
        logits = net(replace(inputs, X=features))
        logits.square().sum().backward()
        found.append([logits.detach(), *(p.grad for p in net.parameters() if p.grad is not None)])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4 * float(theirs.abs().max() + 1))


@pytest.mark.parametrize("name", ["gcn", "gprgnn", "mixhop"])
def test_a_training_without_dropout_is_the_same(name, data, monkeypatch):
    import sys

    options = {
        o: 0.0 for o in ("dropout", "input_dropout", "filter_dropout") if hasattr(model_class(name).Config, o)
    }
    split = splits.stratified(data.y)
    trained = [run(data, split, name, options, Training(epochs=8), device="cpu").history]
    monkeypatch.setattr(sys.modules["unifilter.train.run"], "bag_of", lambda X: X)
    trained.append(run(data, split, name, options, Training(epochs=8), device="cpu").history)
    losses = [[epoch["train_loss"] for epoch in history] for history in trained]
    np.testing.assert_allclose(*losses, rtol=1e-3)


def test_models_that_take_bags_are_given_them(data):
    config = model_class("gcn").Config()
    assert isinstance(prepare(data, "gcn", config, CPU).X, Bag)
    assert isinstance(prepare(load("sbm:n=60,d=4"), "gcn", config, CPU).X, torch.Tensor)
    assert isinstance(prepare(data, "gat", model_class("gat").Config(), CPU).X, torch.Tensor)


def test_many_members_share_one_bag(data):
    jobs = [Job(splits.stratified(data.y, seed=s), {"dropout": 0.5}, Training(seed=s)) for s in (0, 1)]
    starts, lanes = lanes_of(Prepared(data, CPU), "gcn", jobs)
    (lane,) = lanes
    lane.bundle.train(False)
    together = lane.bundle(lane.train.inputs)
    for start, logits in zip(starts, together, strict=True):
        torch.testing.assert_close(start.net.eval()(lane.train.inputs), logits, rtol=1e-4, atol=1e-5)


def test_dropout_keeps_zeros_scales_the_rest_and_has_one_mask_for_both_ways(X):
    bag = Bag.of(X)
    torch.manual_seed(0)
    dropped = functional.dropout(bag, 0.25)
    left = dropped.dense() != 0
    torch.testing.assert_close(dropped.dense()[left], X[left] / 0.75)
    assert 0.6 < float(left.sum() / (X != 0).sum()) < 0.9
    W = torch.randn(X.shape[1], 3, dtype=X.dtype, requires_grad=True)
    G = torch.randn(X.shape[0], 3, dtype=X.dtype)
    (dropped @ W * G).sum().backward()
    torch.testing.assert_close(W.grad, dropped.dense().T @ G)
    assert functional.dropout(bag, 0.25, training=False) is bag
    assert functional.dropout(bag, 0.0) is bag


def test_rows_are_normalised_and_empty_ones_stay_empty(X):
    found = functional.normalize(Bag.of(X), dim=1)
    assert isinstance(found, Bag)
    torch.testing.assert_close(found.dense(), functional.normalize(X, dim=1))
    torch.testing.assert_close(functional.normalize(Bag.of(X), dim=0), functional.normalize(X, dim=0))


def test_what_else_torch_does_sees_the_zeros(X):
    bag = Bag.of(X)
    torch.testing.assert_close(torch.cat([bag, X], dim=1), torch.cat([X, X], dim=1))
    torch.testing.assert_close(X + bag, 2 * X)
    assert (bag.shape, bag.dtype, bag.device) == (X.shape, X.dtype, X.device)
    torch.testing.assert_close(bag.to("cpu").dense(), X)


def test_only_matrices_with_few_entries_on_a_cpu_become_bags(X):
    assert isinstance(bag_of(X), Bag)
    full = torch.ones(4, 3)
    assert bag_of(full) is full
    cube = torch.zeros(2, 3, 4)
    assert bag_of(cube) is cube
    elsewhere = torch.zeros(3, 3, device="meta")
    assert bag_of(elsewhere) is elsewhere


def test_tiny_rows_are_normalised_as_torch_does():
    X = torch.zeros(3, 4)
    X[0, 1], X[1, 2] = 1e-5, 1e-20
    torch.testing.assert_close(functional.normalize(Bag.of(X)).dense(), functional.normalize(X))

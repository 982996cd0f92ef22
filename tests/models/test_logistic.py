from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from unifilter.models._rows import Features
from unifilter.models.logistic import Config, Logistic
from unifilter.train.loop import Part


def rows(n: int, classes: int, seed: int, sparse: bool = False) -> Part:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, 6)) + np.eye(6)[y]
    if sparse:
        X = X * (rng.random((n, 6)) < 0.05)
    return Part(Features(torch.from_numpy(X)), torch.from_numpy(y))


def solved(train: Part, val: Part, classes: int, **options) -> Logistic:
    model = Logistic(Config(**options), 6, classes).double()
    model.solve(train, val)
    return model


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_probabilities_are_those_of_scikit_learn(classes, sparse):
    train, val = rows(200, classes, 0, sparse), rows(80, classes, 1, sparse)
    model = solved(train, val, classes, C=(0.5,))
    theirs = LogisticRegression(C=0.5, max_iter=1000).fit(train.inputs.X, train.y).predict_proba(val.inputs.X)
    ours = torch.softmax(model(val.inputs), dim=1).detach()
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_the_penalised_loss_is_at_its_minimum():
    """The gradient of sum CE + ||W||^2 / (2C) is 0 where the solver stopped."""
    train = rows(150, 3, 0)
    model = solved(train, train, 3, C=(0.7,))
    loss = torch.nn.functional.cross_entropy(model(train.inputs), train.y, reduction="sum")
    (loss + model.head.weight.square().sum() / (2 * 0.7)).backward()
    assert model.head.weight.grad.abs().max() < 0.05
    assert model.head.bias.grad.abs().max() < 0.05


def test_validation_rows_choose_C():
    train, val = rows(30, 3, 0), rows(400, 3, 1)
    model = solved(train, val, 3, C=(1e-4, 0.1, 1e4))
    accuracy = {}
    for C in (1e-4, 0.1, 1e4):
        fit = LogisticRegression(C=C, max_iter=1000).fit(train.inputs.X, train.y)
        accuracy[C] = fit.score(val.inputs.X, val.y)
    assert accuracy[model.learned()["C"]] == pytest.approx(max(accuracy.values()), abs=0.01)
    assert model.learned()["C"] != 1e4  # 30 rows, 6 columns: too weak a penalty overfits


def test_a_class_without_training_rows_is_not_predicted():
    train = rows(60, 2, 0)
    model = solved(train, train, 4)
    logits = model(train.inputs)
    assert torch.isfinite(logits).all()
    assert set(logits.argmax(dim=1).tolist()) == {0, 1}


def test_many_classes_of_one_node_each_are_no_reason_for_a_warning():
    one_each = Part(rows(30, 6, 0).inputs, torch.arange(30))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solved(one_each, one_each, 30, C=(1.0,), max_iter=5)


def test_one_class_alone_is_predicted_everywhere():
    part = rows(20, 1, 0)
    model = solved(part, part, 3)
    assert (model(part.inputs).argmax(dim=1) == 0).all()


def test_without_validation_rows_the_strongest_penalty_is_kept():
    empty = Part(Features(torch.zeros(0, 6, dtype=torch.float64)), torch.zeros(0, dtype=torch.int64))
    assert solved(rows(40, 3, 0), empty, 3).learned()["C"] == pytest.approx(0.01)


def test_no_C_and_a_negative_one_are_refused():
    for C in ((), (-1.0, 1.0)):
        with pytest.raises(ValueError, match="C must hold positive numbers"):
            Config(C=C)

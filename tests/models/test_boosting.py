from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from torch.testing import assert_close

from unifilter import lanczos, propagation
from unifilter.data import load
from unifilter.models.boosting import Boosting, Config, Forest, leading
from unifilter.train.loop import Part


def fitted(classes: int, rounds: int = 12, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = np.arange(400) % classes
    X = rng.standard_normal((400, 7)) + np.eye(7)[y]
    grower = HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False, max_leaf_nodes=9).fit(X, y)
    return grower, rng.standard_normal((300, 7))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_walk_through_the_arrays_gives_the_scores_of_scikit_learn(classes):
    grower, X = fitted(classes)
    forest = Forest()
    forest.take(grower)
    ours = forest(torch.from_numpy(X))
    theirs = grower.decision_function(X).reshape(300, -1)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    for stage, wanted in zip(
        forest.stages(torch.from_numpy(X)), grower.staged_decision_function(X), strict=True
    ):
        np.testing.assert_allclose(stage, wanted.reshape(300, -1), rtol=1e-12, atol=1e-12)


def test_a_value_on_a_threshold_goes_left():
    grower, X = fitted(3, rounds=1)
    forest = Forest()
    forest.take(grower)
    inner = torch.nonzero(forest.left != torch.arange(forest.left.numel())).flatten()
    root = int(forest.roots[0, 0])
    assert root in inner
    X[:, forest.feature[root]] = forest.threshold[root].item()
    np.testing.assert_allclose(forest(torch.from_numpy(X)), grower.decision_function(X), atol=1e-12)


def test_blocks_of_rows_give_the_same_as_all_at_once(monkeypatch):
    grower, X = fitted(3)
    forest = Forest()
    forest.take(grower)
    whole = forest(torch.from_numpy(X))
    monkeypatch.setattr("unifilter.models.boosting.ENTRIES", 7 * forest.roots.numel())
    assert torch.equal(forest(torch.from_numpy(X)), whole)


def test_a_forest_cut_short_is_that_of_fewer_rounds():
    grower, X = fitted(3, rounds=12)
    short, _ = fitted(3, rounds=5)
    forest, wanted = Forest(), Forest()
    forest.take(grower)
    wanted.take(short)
    forest.cut(5)
    assert forest.value.shape == wanted.value.shape
    assert torch.equal(forest(torch.from_numpy(X)), wanted(torch.from_numpy(X)))


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=300,h=0.3,classes=3,degree=8,d=10,seed=2")


def solved(data, train, val, y=None, **options):
    config = Config(**({"rounds": 15, "K": 2} | options))
    inputs = Boosting.prepare(data.graph, data.features().double(), config)
    y = torch.from_numpy(np.array(data.y, np.int64)) if y is None else y
    model = Boosting(config, data.d, 3, h=0.3)
    model.solve(Part(inputs.rows(train), y[train]), Part(inputs.rows(val), y[val]))
    return model, inputs, y


def test_the_model_is_scikit_learn_on_the_columns_of_unibasis(data):
    """The columns are written out from P, and the number of rounds is chosen by the validation loss."""
    train, val = torch.arange(0, 200), torch.arange(200, 300)
    model, inputs, y = solved(data, train, val)
    X = data.features().double()
    P = propagation(data.graph, dtype=torch.float64)
    V, _, norm = lanczos(P, X, 2)
    c = np.cos(np.pi / 2 * 0.7)
    u1 = c * V[0] + np.sqrt(1 - c**2) * V[1]
    u2 = c / (1 + c) * (V[0] + u1) + np.sqrt((1 - c) * (1 + 2 * c) / (1 + c)) * V[2]
    columns = torch.cat([X, P @ X, P @ (P @ X), norm * u1, norm * u2], dim=1)
    assert_close(model.features(inputs), columns, rtol=1e-6, atol=1e-6)  # h is kept in float32

    F = model.features(inputs).numpy()
    theirs = HistGradientBoostingClassifier(
        max_iter=15, max_leaf_nodes=7, early_stopping=False, random_state=0
    ).fit(F[train], y[train])
    losses = [-np.log(p[np.arange(100), y[val]]).mean() for p in theirs.staged_predict_proba(F[val])]
    best = int(np.argmin(losses))
    assert model.learned() == {"rounds": best + 1}
    p = list(theirs.staged_predict_proba(F))[best]
    np.testing.assert_allclose(torch.softmax(model(inputs), dim=1), p, rtol=1e-9, atol=1e-12)


def test_a_fresh_model_takes_the_state_of_a_fitted_one(data):
    train, val = torch.arange(0, 200), torch.arange(200, 300)
    model, inputs, _ = solved(data, train, val, components=4)
    fresh = Boosting(model.config, data.d, 3)
    fresh.load_state_dict(model.state_dict())
    assert torch.equal(fresh(inputs), model(inputs))
    assert all(isinstance(value, torch.Tensor) for value in model.state_dict().values())


def test_many_columns_are_projected_to_leading_directions(data):
    train, val = torch.arange(0, 200), torch.arange(200, 300)
    model, inputs, _ = solved(data, train, val, components=4)
    assert model.features(inputs).shape == (300, 4 * 5)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_leading_directions_are_singular_vectors(shape):
    X = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    _, _, Vt = torch.linalg.svd(X, full_matrices=False)
    W = leading(X, 3)
    assert_close((W.T @ Vt[:3].T).abs(), torch.eye(3, dtype=torch.float64), rtol=1e-9, atol=1e-9)


def test_classes_that_training_rows_lack_are_never_predicted(data):
    rows = torch.arange(300)
    for kept in (1, 2):
        y = torch.from_numpy(np.array(data.y, np.int64)) % kept
        model, inputs, _ = solved(data, rows, rows, y=y)
        logits = model(inputs)
        assert logits.shape == (300, 3)
        assert torch.isfinite(logits).all()
        assert int(logits.argmax(dim=1).max()) < kept


def test_before_it_was_fitted_it_prefers_nothing(data):
    config = Config(K=1)
    inputs = Boosting.prepare(data.graph, data.features(), config)
    assert (Boosting(config, data.d, 3)(inputs) == 0).all()


def test_tau_outside_0_and_1_is_refused():
    for taus in ((), (0.5, 1.5)):
        with pytest.raises(ValueError, match="taus must hold numbers"):
            Config(taus=taus)

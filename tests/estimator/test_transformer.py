"""UniBasis as features."""

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers import algorithm_1
from helpers import dense as written_out
from unifilter import UniBasisTransformer, edge_homophily
from unifilter.data.embedded import build


@parametrize_with_checks([UniBasisTransformer(K=2)])
def test_scikit_learn_agrees(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return build("sbm:n=120,h=0.4,d=5")


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0])
def test_columns_are_the_paper_s_basis(data, tau):
    """Row i holds tau P^k x + (1 - tau) |x| u_k, k = 0 .. K, u_k as Algorithm 1 writes it."""
    K, h = 3, 0.4
    U = UniBasisTransformer(K=K, tau=tau, h=h).fit_transform(data.X, graph=data.graph)
    P = written_out(data.graph)
    for i, x in enumerate(data.features().double().T):
        u = algorithm_1(P, x, K, h)
        power = x
        for k in range(K + 1):
            wanted = tau * power + (1 - tau) * torch.linalg.vector_norm(x) * u[k]
            assert_allclose(U[:, k * data.d + i], wanted, atol=1e-9)
            power = P @ power


def test_homophily_is_given_or_estimated_or_one_half(data):
    y = np.where(np.arange(data.n) % 3 == 0, -1, data.y)
    assert UniBasisTransformer(h=0.2).fit(data.X, y, graph=data.graph).h_ == 0.2
    assert UniBasisTransformer().fit(data.X, graph=data.graph).h_ == 0.5
    found = UniBasisTransformer().fit(data.X, y, graph=data.graph).h_
    assert found == edge_homophily(data.graph, data.y, y >= 0)


def test_a_list_of_text_has_no_class_of_what_is_missing(data):
    hidden = np.arange(data.n) % 3 == 0
    y = [np.nan if no else f"class {c}" for no, c in zip(hidden, data.y, strict=True)]
    found = UniBasisTransformer().fit(data.X, y, graph=data.graph).h_
    assert found == edge_homophily(data.graph, data.y, ~hidden)


def test_labels_that_join_no_edge_leave_one_half(data):
    y = np.full(data.n, np.nan)
    y[0] = data.y[0]
    assert UniBasisTransformer().fit(data.X, y, graph=data.graph).h_ == 0.5


def test_new_rows_are_transformed_one_by_one_where_the_graph_was_built_from_x(data):
    made = UniBasisTransformer(K=3).fit(data.X)
    new = np.random.default_rng(0).normal(size=(4, data.d))
    together = made.transform(np.concatenate([data.X[:3], new]))
    assert_allclose(together[:3], made.transform(data.X)[:3], atol=1e-12)
    for row, alone in zip(together[3:], new, strict=True):
        assert_allclose(row, made.transform(alone[None])[0], atol=1e-10)


def test_new_rows_on_a_graph_of_the_user_s_are_refused(data):
    made = UniBasisTransformer(K=2).fit(data.X, graph=data.graph)
    with pytest.raises(ValueError, match="call fit_transform on the grown one"):
        made.transform(data.X[:5])


def test_a_second_fit_with_a_graph_forgets_the_neighbours_of_the_first(data):
    made = UniBasisTransformer(K=2).fit(data.X).fit(data.X, graph=data.graph)
    with pytest.raises(ValueError, match="grown"):
        made.transform(data.X[:5])


def test_any_model_sits_on_top():
    data = build("sbm:n=400,h=0.05,d=8,classes=3,degree=20")
    train = np.arange(400) % 2 == 0
    y = np.where(train, data.y, -1)
    U = UniBasisTransformer(K=4).fit_transform(data.X, y, graph=data.graph)
    score = {}
    for name, features in (("raw", data.X), ("basis", U)):
        model = LogisticRegression(max_iter=3000).fit(features[train], data.y[train])
        score[name] = model.score(features[~train], data.y[~train])
    assert score["basis"] > score["raw"] + 0.2


def test_it_is_cloned_and_stands_in_a_pipeline(data):
    pipe = make_pipeline(UniBasisTransformer(K=2), LogisticRegression(max_iter=2000))
    again = clone(pipe).set_params(unibasistransformer__K=3)
    assert again.get_params()["unibasistransformer__K"] == 3
    assert_array_equal(pipe.fit(data.X, data.y).predict(data.X[:7]).shape, (7,))


@pytest.mark.parametrize(
    ("options", "said"),
    [({"K": -1}, "K"), ({"tau": 1.5}, "tau"), ({"h": -0.5}, "h"), ({"neighbors": 0}, "neighbors")],
)
def test_a_wrong_option_is_named(data, options, said):
    with pytest.raises(ValueError, match=said):
        UniBasisTransformer(**options).fit(data.X)


def test_columns_are_named_by_hop_and_feature_and_pandas_may_come_out():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["age", "height"])
    transformer = UniBasisTransformer(K=2, neighbors=3).set_output(transform="pandas")
    found = transformer.fit_transform(table)
    assert list(found.columns) == [f"u{k}_{name}" for k in range(3) for name in ("age", "height")]
    plain = UniBasisTransformer(K=2, neighbors=3).fit_transform(table)
    assert_array_equal(found.to_numpy(), plain)

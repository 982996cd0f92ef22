"""Classifiers in scikit-learn's hands, with a graph and without."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from unifilter import GraphClassifier, Trained, Training, UniFilterClassifier
from unifilter.data.embedded import build

QUICK = {"budget": None, "epochs": 15, "K": 3}


@parametrize_with_checks([UniFilterClassifier(**(QUICK | {"epochs": 5}))])
def test_scikit_learn_agrees(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return build("sbm:n=240,h=0.85,d=8,classes=3")


@pytest.fixture(scope="module")
def hidden(data):
    return np.arange(data.n) % 3 == 0


@pytest.fixture(scope="module")
def fitted(data, hidden):
    return UniFilterClassifier(**QUICK).fit(data.X, np.where(hidden, -1, data.y), graph=data.graph)


def test_hidden_labels_are_found(data, hidden, fitted):
    assert (fitted.transduction_[hidden] == data.y[hidden]).mean() > 0.6
    assert fitted.label_distributions_.shape == (data.n, 3)
    assert_allclose(fitted.label_distributions_.sum(axis=1), 1)
    assert_array_equal(fitted.transduction_, fitted.classes_[fitted.label_distributions_.argmax(axis=1)])


def test_predict_of_the_training_matrix_is_the_transduction(data, fitted):
    assert_array_equal(fitted.predict(data.X), fitted.transduction_)
    assert_array_equal(fitted.predict_proba(data.X), fitted.label_distributions_)


@pytest.mark.parametrize("unknown", ["minus one", "NaN", "None", "strings", "a list of text and NaN"])
def test_however_a_label_is_missing_the_model_is_the_same(data, hidden, fitted, unknown):
    names = np.array(["ape", "bee", "cat"])
    y = {
        "minus one": np.where(hidden, -1, data.y),
        "NaN": np.where(hidden, np.nan, data.y),
        "None": np.where(hidden, None, data.y),
        "strings": np.where(hidden, None, names[data.y]),
        "a list of text and NaN": [
            np.nan if no else str(name) for no, name in zip(hidden, names[data.y], strict=True)
        ],
    }[unknown]
    found = UniFilterClassifier(**QUICK).fit(data.X, y, graph=data.graph)
    assert_array_equal(found.label_distributions_, fitted.label_distributions_)
    text = unknown in ("strings", "a list of text and NaN")
    assert found.classes_.tolist() == (names.tolist() if text else [0, 1, 2])
    assert found.score(data.X, y) == (found.transduction_ == found.classes_[data.y])[~hidden].mean()


def test_the_seed_alone_decides(data, hidden, fitted):
    y = np.where(hidden, -1, data.y)
    again, other, none = (
        UniFilterClassifier(**QUICK, random_state=seed).fit(data.X, y, graph=data.graph)
        for seed in (5, 5, None)
    )
    assert_array_equal(again.label_distributions_, other.label_distributions_)
    assert_array_equal(none.label_distributions_, fitted.label_distributions_)
    assert (again.label_distributions_ != none.label_distributions_).any()


def test_new_nodes_with_edges_are_predicted_as_the_trained_model_does(data, fitted):
    new = data.X[:2] + 0.1
    edges = np.array([[data.n, data.n, data.n + 1], [0, 5, data.n]])
    p = fitted.predict_proba(new, edges)
    assert_array_equal(p, fitted.trained_.predict_new(new, edges))
    assert_array_equal(fitted.predict(new, edges), fitted.classes_[p.argmax(axis=1)])


def test_new_nodes_without_edges_come_alone_where_the_graph_was_given(data, fitted):
    new = data.X[:2] + 0.1
    alone = fitted.trained_.predict_new(new, np.empty((2, 0), int))
    with pytest.warns(UserWarning, match="without edges"):
        assert_array_equal(fitted.predict_proba(new), alone)


def test_the_training_matrix_with_edges_is_a_set_of_newcomers(data, fitted):
    edges = np.array([[data.n], [0]])
    p = fitted.predict_proba(data.X, edges)
    assert_array_equal(p, fitted.trained_.predict_new(data.X, edges))


def test_edges_come_as_a_matrix_or_as_lists_as_well(data, hidden, fitted):
    y = np.where(hidden, -1, data.y)
    for graph in (data.graph.to_scipy(), np.stack(data.graph.edges())):
        found = UniFilterClassifier(**QUICK).fit(data.X, y, graph=graph)
        assert_allclose(found.label_distributions_, fitted.label_distributions_, atol=1e-5)


def test_sparse_features_give_what_dense_ones_give(data, hidden, fitted):
    found = UniFilterClassifier(**QUICK).fit(
        csr_array(data.X.astype(np.float64)), np.where(hidden, -1, data.y), graph=data.graph
    )
    assert_array_equal(found.label_distributions_, fitted.label_distributions_)


def test_class_weights_reach_the_candidates(data):
    found = UniFilterClassifier(**(QUICK | {"epochs": 3}), class_weights=True).fit(
        data.X, data.y, graph=data.graph
    )
    assert found.record_.training["class_weights"]


def test_parameters_are_read_written_and_cloned():
    made = UniFilterClassifier(K=4, budget="3s")
    assert made.get_params()["K"] == 4
    assert clone(made.set_params(K=7)).K == 7
    with pytest.raises(ValueError, match="Invalid parameter 'hops'"):
        made.set_params(hops=3)


@pytest.fixture(scope="module")
def clouds():
    """Two clouds of points, with names for classes: what most users of scikit-learn have."""
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 40)
    return rng.normal(size=(80, 3)) + 4 * (y == "right")[:, None], y


def test_a_grid_is_searched_without_a_graph(clouds):
    X, y = clouds
    search = GridSearchCV(UniFilterClassifier(**QUICK), {"K": [1, 2], "neighbors": [3]}, cv=2).fit(X, y)
    assert search.best_params_["K"] in (1, 2)
    assert search.best_score_ > 0.9


def test_it_stands_at_the_end_of_a_pipeline(clouds):
    X, y = clouds
    pipe = make_pipeline(StandardScaler(), UniFilterClassifier(**QUICK))
    assert cross_val_score(pipe, X * [1, 100, 10000], y, cv=2).min() > 0.9
    assert set(pipe.fit(X, y).predict(X[:5] + 0.01)) <= {"left", "right"}


def test_without_a_graph_a_row_s_answer_does_not_depend_on_its_company(clouds):
    X, y = clouds
    made = UniFilterClassifier(**QUICK).fit(X, y)
    new = np.random.default_rng(1).normal(size=(5, 3)) + 2
    together = made.predict_proba(new)
    for row, p in zip(new, together, strict=True):
        assert_allclose(made.predict_proba(row[None])[0], p, atol=1e-7)
    assert_allclose(made.predict_proba(X[:7]), made.label_distributions_[:7], atol=1e-7)
    assert_allclose(made.label_distributions_, made.trained_.predict_proba(), atol=1e-5)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("sgc", {"K": 2}),
        ("gcn", {"hidden": 16}),
        ("bernnet", {"K": 3, "hidden": 16}),
        ("labelpropagation", {}),
        ("mlp", {"hidden": 16}),
    ],
)
def test_every_model_stands_behind_the_same_door(data, hidden, model, options):
    y = np.where(hidden, -1, data.y)
    made = GraphClassifier(model, options, Training(epochs=60), preprocessing="standard").fit(
        data.X, y, graph=data.graph
    )
    assert made.record_.model == model
    assert made.record_.dataset["preprocessing"] == "standard"
    floor = 0.35 if model == "mlp" else 0.5
    assert (made.transduction_[hidden] == data.y[hidden]).mean() > floor
    edges = np.array([[data.n, data.n], [0, 1]])
    p = made.predict_proba(data.X[:1], edges)
    assert_array_equal(p, made.trained_.predict_new(data.X[:1], edges))
    assert_allclose(p.sum(), 1)


def test_a_model_without_a_basis_predicts_new_rows_from_their_neighbours(clouds):
    X, y = clouds
    made = GraphClassifier("gcn", {"hidden": 8}, Training(epochs=60)).fit(X, y)
    assert (made.predict(X + 0.05) == y).mean() > 0.9


def test_what_was_fitted_can_be_saved_and_loaded(data, fitted, tmp_path):
    fitted.trained_.save(tmp_path)
    assert_allclose(Trained.load(tmp_path).predict_proba(), fitted.label_distributions_, atol=1e-5)


def test_the_training_given_is_not_changed(data):
    training = Training(epochs=3, seed=11)
    made = GraphClassifier("sgc", training=training, random_state=1).fit(data.X, data.y, graph=data.graph)
    assert training.seed == 11
    assert made.record_.epochs <= 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"budget": "soon"}, "a budget is a time"),
        ({"K": -1}, "K must not be negative"),
        ({"K": "a"}, "K must be a whole number, but is 'a'"),
        ({"K": None}, "K must be a whole number, but is None"),
        ({"epochs": "many"}, "epochs must be at least 1, and whole, but is 'many'"),
        ({"validation": "some"}, "validation must be a share in .0, 1., but is 'some'"),
        ({"neighbors": 0}, "neighbors"),
        ({"validation": 1.0}, "share in"),
    ],
)
def test_a_wrong_option_is_named(data, options, said):
    with pytest.raises(ValueError, match=said):
        UniFilterClassifier(**QUICK | options).fit(data.X, data.y)


def test_a_wrong_model_is_answered_with_a_near_one(data):
    with pytest.raises(ValueError, match="Did you mean bernnet"):
        GraphClassifier("bernet").fit(data.X, data.y, graph=data.graph)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (None, "requires y"),
        (np.zeros(240), "1 class"),
        (np.arange(3), "one label a node"),
        (np.linspace(0, 1, 240), "continuous"),
        (np.full(240, np.nan), "0 class"),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(data, y, said):
    with pytest.raises(ValueError, match=said):
        UniFilterClassifier(**QUICK).fit(data.X, y, graph=data.graph)


def test_a_graph_of_another_size_and_columns_of_another_number_are_refused(data, fitted):
    with pytest.raises(ValueError, match="the graph has 240 nodes, but X has 100 rows"):
        UniFilterClassifier(**QUICK).fit(data.X[:100], data.y[:100], graph=data.graph)
    with pytest.raises(ValueError, match="7 features"):
        fitted.predict(data.X[:, :7])


def test_values_that_float32_cannot_tell_apart_are_warned_of(data):
    """Beside 1e9 nothing is left of values around 0."""
    X = data.X[:, :2].astype(np.float64)
    few = {"training": Training(epochs=2)}
    with pytest.warns(UserWarning, match=r"apart in 1 of its columns \(first: column 1, from 99999999"):
        GraphClassifier("sgc", **few).fit(X + np.array([0, 1e9]), data.y, graph=data.graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GraphClassifier("sgc", **few).fit(1e9 * X + np.array([0, 1.7e9]), data.y, graph=data.graph)


def test_nothing_is_predicted_before_fitting(data):
    with pytest.raises(NotFittedError):
        UniFilterClassifier().predict(data.X)


@pytest.mark.parametrize("unknown", [-1, None, np.nan])
def test_unlabelled_rows_do_not_count_in_a_score(data, hidden, fitted, unknown):
    y = data.y.astype(object if unknown is None else float)
    y[hidden] = unknown
    right = fitted.transduction_ == data.y
    assert fitted.score(data.X, y) == pytest.approx(right[~hidden].mean())
    weight = np.arange(data.n) + 1.0
    assert fitted.score(data.X, y, weight) == pytest.approx(
        np.average(right[~hidden], weights=weight[~hidden])
    )
    with pytest.raises(ValueError, match="every row of y is unlabelled"):
        fitted.score(data.X, np.full(data.n, -1))


def test_measured_columns_are_standardised_and_counts_left_alone(data):
    units = np.array([1e4] + [1e-3] * (data.d - 1))
    wild = GraphClassifier("sgc", training=Training(epochs=30)).fit(data.X * units, data.y, graph=data.graph)
    tame = GraphClassifier("sgc", training=Training(epochs=30)).fit(data.X, data.y, graph=data.graph)
    assert wild.record_.dataset["preprocessing"] == "standard"
    assert_allclose(wild.label_distributions_, tame.label_distributions_, atol=1e-3)
    counts = (data.X > 1).astype(float)
    found = GraphClassifier("sgc", training=Training(epochs=3)).fit(counts, data.y, graph=data.graph)
    assert found.record_.dataset["preprocessing"] == "none"

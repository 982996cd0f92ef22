import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.models._rows import Features
from unifilter.models.asgc import ASGC, Config, logistic
from unifilter.train.loop import Part


def by_hand(S, X, K, R):
    """The authors' least squares with n + 1 rows, column by column."""
    n, columns = len(X), []
    for x in X.T:
        T = np.stack([np.linalg.matrix_power(S, k) @ x for k in range(K + 1)], axis=1)
        row = np.zeros((1, K + 1))
        row[0, 0] = np.sqrt(n * R)
        theta = np.linalg.lstsq(np.concatenate([T, row]), np.append(x, 0), rcond=None)[0]
        columns.append(T @ theta)
    return np.stack(columns, axis=1)


def adjacency(graph):
    """S with a unit loop where there is no edge."""
    S = dense(graph).numpy()
    return S + np.diag(graph.degrees == 0)


@pytest.mark.parametrize(("K", "R"), [(1, 0.1), (2, 1.0), (4, 0.01), (8, 1e-4)])
def test_every_column_is_the_authors_least_squares(graph, X, K, R):
    """A ring, a path and a star exhaust some Krylov spaces; column 7 is 0."""
    found = ASGC.prepare(graph, X, Config(K=K, R=R)).X
    # The powers of S are nearly dependent: both solutions carry an error of their condition number.
    assert_close(found, torch.from_numpy(by_hand(adjacency(graph), X.numpy(), K, R)), rtol=1e-7, atol=1e-7)


def test_without_penalty_nothing_changes_and_with_a_huge_one_the_column_itself_is_not_used(graph, X):
    assert_close(ASGC.prepare(graph, X, Config(R=0.0)).X, X)
    one_hop = ASGC.prepare(graph, X, Config(K=1, R=1e12)).X
    PX = torch.from_numpy(adjacency(graph)) @ X
    share = (X * PX).sum(dim=0) / (PX * PX).sum(dim=0).clamp_min(1e-300)
    assert_close(one_hop, share * PX, rtol=1e-5, atol=1e-5)


def test_loops_stay_where_the_data_has_them():
    arcs = np.array([[0, 0, 1], [0, 1, 2]])
    graph = Graph.from_edges(arcs, n=4)
    A = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    s = A.sum(axis=1) ** -0.5
    X = torch.from_numpy(np.random.default_rng(0).standard_normal((4, 3)))
    found = ASGC.prepare(graph, X, Config(K=2, R=0.1, data_loops=True), arcs).X
    assert_close(found, torch.from_numpy(by_hand(s[:, None] * A * s, X.numpy(), 2, 0.1)))
    assert not np.allclose(found, ASGC.prepare(graph, X, Config(K=2, R=0.1), arcs).X)


@pytest.mark.parametrize("penalty", [1.0, 0.1])
def test_the_classifier_is_scikit_learn_s(penalty):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 5)), rng.integers(0, 4, 120)
    wanted = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=1000).fit(X, y)
    W, b = logistic(torch.from_numpy(X), torch.from_numpy(y), 4, penalty)
    np.testing.assert_allclose(W, wanted.coef_, atol=1e-5)
    np.testing.assert_allclose(b - b.mean(), wanted.intercept_ - wanted.intercept_.mean(), atol=1e-5)


def test_a_class_without_training_nodes_is_not_predicted():
    X = torch.randn(30, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    W, b = logistic(X, (X[:, 0] > 0).long() * 2, 3, 1.0)
    assert torch.isfinite(b).all()
    assert (torch.softmax(X @ W.T + b, dim=1)[:, 1] < 1e-3).all()


def test_validation_nodes_are_learned_from_only_when_asked_for():
    torch.manual_seed(0)
    X, y = torch.randn(40, 3), torch.randint(0, 2, (40,))
    train, val = Part(Features(X[:20]), y[:20]), Part(Features(X[20:]), y[20:])
    heads = {}
    for refit in (False, True):
        model = ASGC(Config(refit=refit), 3, 2)
        model.solve(train, val)
        heads[refit] = model.head.weight.detach()
    assert_close(heads[False].double(), logistic(X[:20].double(), y[:20], 2, 1.0)[0], rtol=1e-5, atol=1e-6)
    assert_close(heads[True].double(), logistic(X.double(), y, 2, 1.0)[0], rtol=1e-5, atol=1e-6)
    assert not torch.allclose(heads[False], heads[True], atol=1e-3)

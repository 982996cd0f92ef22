from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.graph import Graph
from unifilter.models import _unified as unified
from unifilter.models import model_class

# alpha, and the model's own number; the iteration contracts by `factor` a step.
MODELS = {"gnnlf": {"alpha": 0.3, "mu": 0.7}, "gnnhf": {"alpha": 0.3, "beta": 0.8}}


@pytest.fixture(params=MODELS)
def name(request) -> str:
    return request.param


def model_of(name, graph, X, **options):
    cls = model_class(name)
    config = cls.Config(**(MODELS[name] | {"hidden": 8, "dropout": 0.0} | options))
    torch.manual_seed(0)
    return cls(config, X.shape[1], 3).double().eval(), cls.prepare(graph, X, config)


def test_the_iteration_ends_in_the_closed_form(name, graph, X):
    model, inputs = model_of(name, graph, X, K=400)
    exact, with_inverse = model_of(name, graph, X, closed=True)
    assert_close(model(inputs), exact(with_inverse), rtol=1e-10, atol=1e-12)


def test_K_iterations_differ_from_the_limit_by_less_than_a_geometric_series(name, graph, X):
    cls = model_class(name)
    c = cls.coefficients(cls.Config(**MODELS[name]))
    P = dense(graph, self_loops=True)
    limit = unified.inverse(graph, c, True, X) @ unified.started(P, X, c)
    for K in (1, 5, 20):
        error = torch.linalg.norm(unified.iterated(P, X, K, c) - limit)
        assert error <= abs(c.factor) ** K * (torch.linalg.norm(limit) + torch.linalg.norm(X) * 4)


def test_the_response_is_what_the_filter_does_to_an_eigenvector(name, graph, X):
    lam, U = torch.linalg.eigh(torch.eye(graph.n, dtype=torch.float64) - dense(graph, self_loops=True))
    for options in ({"K": 4}, {"closed": True}):
        model, inputs = model_of(name, graph, X, **options)
        with torch.no_grad():
            H = model.mlp(inputs.X)
            assert_close(model(inputs), U @ (model.response(lam)[:, None] * (U.T @ H)), rtol=1e-9, atol=1e-11)


def test_the_encoder_is_two_linear_maps_without_bias(name, graph, X):
    model, _ = model_of(name, graph, X)
    first, second = (layer.weight for layer in model.mlp.layers)
    assert_close(model.mlp(X), torch.relu(X @ first.T) @ second.T)
    assert [p.shape for p in model.parameters()] == [first.shape, second.shape]
    assert {k: len(v) for k, v in model.groups().items()} == {"first": 1, "second": 1}


def test_a_graph_too_large_for_the_closed_form_is_refused_with_the_way_out(name, monkeypatch):
    monkeypatch.setattr(unified, "CLOSED_FORM_NODES", 3)
    graph = Graph.from_edges(np.array([[0, 1, 2], [1, 2, 3]]))
    cls = model_class(name)
    with pytest.raises(ValueError, match="up to 3 nodes. closed=False iterates"):
        cls.prepare(graph, torch.zeros(4, 1), cls.Config(closed=True))

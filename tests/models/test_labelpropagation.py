from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from conftest import block
from helpers import dense
from unifilter.models.labelpropagation import Config, LabelPropagation, operator


@pytest.fixture
def labels(graph):
    y = torch.arange(graph.n) % 3
    return torch.where(torch.arange(graph.n) % 4 == 0, y, -1)


def probabilities(graph, X, labels, **options):
    config = Config(**options)
    model = LabelPropagation(config, X.shape[1], 3, labels)
    return torch.softmax(model(LabelPropagation.prepare(graph, X, config)), dim=1)


def normalised(F):
    return F / F.sum(dim=1, keepdim=True)


def test_many_steps_end_in_the_closed_form_of_zhou(graph, X, labels):
    Y = torch.eye(4, dtype=torch.float64)[labels][:, :3]
    eye = torch.eye(graph.n, dtype=torch.float64)
    F = 0.2 * torch.linalg.solve(eye - 0.8 * dense(graph), Y)
    found = probabilities(graph, X, labels, alpha=0.8, K=400)
    reached = F.sum(dim=1) > 1e-4
    assert reached.sum() > graph.n / 3
    assert_close(found[reached], normalised(F[reached]), rtol=1e-4, atol=1e-4)


def test_clamped_it_is_the_harmonic_function():
    """Zhu and Ghahramani: every unlabelled node is the mean of its neighbours."""
    graph = block()
    X = torch.zeros(graph.n, 1, dtype=torch.float64)
    labels = torch.where(torch.arange(graph.n) % 4 == 0, torch.arange(graph.n) % 3, -1)
    F = probabilities(graph, X, labels, alpha=1.0, clamp=True, normalization="row", K=3000)
    A = torch.from_numpy(graph.to_scipy().toarray())
    mean = A @ F / A.sum(dim=1, keepdim=True).clamp_min(1)
    free = (labels < 0) & (A.sum(dim=1) > 0)
    assert_close(F[free], mean[free], rtol=1e-6, atol=1e-6)
    assert (F[labels >= 0].argmax(dim=1) == labels[labels >= 0]).all()


def test_it_agrees_with_pytorch_geometric_where_nothing_is_cut(X, graph, labels):
    from torch_geometric.nn import LabelPropagation as Theirs

    A = graph.to_scipy().tocoo()
    edges, weights = torch.from_numpy(np.stack([A.row, A.col])).long(), torch.from_numpy(A.data)
    Y = torch.eye(4, dtype=torch.float64)[labels][:, :3]
    P = dense(graph)[edges[0], edges[1]]
    assert weights.shape == P.shape
    F = Theirs(6, 0.5)(Y, edges, edge_weight=P, post_step=lambda F: F)
    reached = F.sum(dim=1) > 1e-4
    assert_close(
        probabilities(graph, X, labels, alpha=0.5, K=6)[reached],
        normalised(F[reached]),
        rtol=1e-4,
        atol=1e-4,
    )


def test_the_three_normalisations(graph, X):
    A = torch.from_numpy(graph.to_scipy().toarray())
    d = A.sum(dim=1)
    inverse = torch.where(d > 0, 1 / d.clamp_min(1e-300), 0)
    assert_close(operator(graph, X, "symmetric") @ X, dense(graph) @ X)
    assert_close(operator(graph, X, "row") @ X, inverse[:, None] * (A @ X))
    assert_close(operator(graph, X, "column") @ X, A @ (inverse[:, None] * X))


def test_a_node_that_no_label_reaches_gets_the_classes_shares(X, graph):
    labels = torch.full((graph.n,), -1)
    labels[:4] = torch.tensor([2, 2, 2, 0])
    p = probabilities(graph, X, labels, K=0)
    assert_close(
        p[4:], torch.tensor([0.25, 0.0, 0.75], dtype=p.dtype).expand(graph.n - 4, 3), rtol=0, atol=2e-3
    )


def test_it_does_not_look_at_features(graph, X, labels):
    assert torch.equal(probabilities(graph, X, labels), probabilities(graph, 0 * X, labels))


def test_the_labels_of_another_graph_are_refused(graph, X):
    model = LabelPropagation(Config(), 2, 3)
    with pytest.raises(ValueError, match=f"labels of 0 nodes, but the graph has {graph.n}"):
        model(LabelPropagation.prepare(graph, X, model.config))


@pytest.mark.parametrize("bad", [{"alpha": 1.1}, {"normalization": "both"}])
def test_bad_options_are_refused(bad):
    with pytest.raises(ValueError, match="must"):
        Config(**bad)

"""A trained model on disk, and nodes that arrive later."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from helpers import dense
from unifilter import Dataset, Graph, Trained, Training, bases, load, run, splits
from unifilter.models._basis import Basis
from unifilter.train.run import training_labels
from unifilter.trained import cls_uses, grow

N, D = 150, 6
MODELS = {
    "unifilter": {"K": 4, "hidden": 16},
    "sgc": {"K": 2},
    "gcn": {"hidden": 16},
    "dirgnn": {"hidden": 16},
    "labelpropagation": {"K": 10},
    "boosting": {"K": 2, "rounds": 5},
    "linkx": {"hidden": 8},
    "orderedgnn": {"hidden": 8, "chunks": 4},
}
NO_EDGES = np.empty((2, 0), np.int64)


def sample(weighted=False, arcs=False, sparse=False):
    data = load(f"sbm:n={N},h=0.7,d={D},classes=3")
    rng = np.random.default_rng(0)
    edges = np.stack(data.graph.edges())
    flip = rng.random(edges.shape[1]) < 0.5
    edges = np.where(flip, edges[::-1], edges)
    weights = rng.uniform(0.2, 3, edges.shape[1]) if weighted else None
    return replace(
        data,
        graph=Graph.from_edges(edges, n=N, weights=weights),
        arcs=edges if arcs else None,
        X=csr_array(np.abs(data.X).astype(np.float32)) if sparse else 5 * data.X + 2,
    )


def train(data, model="unifilter", preprocessing="none", options=None, epochs=20):
    split = splits.stratified(data.y)
    scaled = data if preprocessing == "none" else data.preprocess(preprocessing)
    options = MODELS.get(model, {}) if options is None else options
    result = run(scaled, split, model, options, Training(epochs=epochs))
    labels = training_labels(data, split) if cls_uses(result.model, "labels") else None
    return Trained.of(result, data, labels), result


def newcomers(q=3):
    """Features and edges of q nodes, to old ones and to each other."""
    rng = np.random.default_rng(1)
    to_old = np.stack([np.repeat(np.arange(N, N + q), 3), rng.integers(0, N, 3 * q)])
    return rng.normal(size=(q, D)) * 5 + 2, np.concatenate([to_old, [[N], [N + 1]]], axis=1)


def grown_by_hand(graph, q, edges, weights=None):
    """The adjacency matrix, written out."""
    A = np.zeros((N + q, N + q))
    A[:N, :N] = graph.to_scipy().toarray()
    for e, (u, v) in enumerate(edges.T):
        A[u, v] = A[v, u] = 1 if weights is None else weights[e]
    return A


def probabilities(net, inputs, temperature):
    with torch.no_grad():
        return torch.softmax(net.eval()(inputs).double() / temperature, dim=1).numpy()


@pytest.mark.parametrize("model", MODELS)
def test_what_is_loaded_predicts_what_was_saved(model, tmp_path):
    data = sample(arcs=True)
    trained, result = train(data, model, "standard")
    trained.save(tmp_path / "model")
    again = Trained.load(tmp_path / "model")
    assert_allclose(trained.predict_proba(), result.p, atol=1e-12)
    assert_allclose(again.predict_proba(), result.p, atol=1e-6)
    assert again.net.config == trained.net.config
    if model != "linkx":
        X, edges = newcomers()
        assert_allclose(again.predict_new(X, edges), trained.predict_new(X, edges), atol=1e-6)


@pytest.mark.parametrize("model", ["unifilter", "sgc", "linkx"])
def test_the_folder_holds_no_pickle(model, tmp_path):
    train(sample(), model)[0].save(tmp_path)
    kinds = {file.suffix for file in tmp_path.rglob("*") if file.is_file()}
    assert kinds <= {".json", ".safetensors", ".npy", ".arrow"}
    for file in tmp_path.rglob("*.npy"):
        np.load(file, allow_pickle=False)


@pytest.mark.parametrize("preprocessing", ["none", "standard"])
@pytest.mark.parametrize("weighted", [False, True])
def test_newcomers_see_the_frozen_filter_of_the_whole_grown_graph(weighted, preprocessing):
    """q_k(P) of the grown graph, written out in float64, through the trained network."""
    data = sample(weighted)
    trained, _ = train(data, "unifilter", preprocessing)
    X, edges = newcomers()
    weights = np.linspace(0.5, 2, edges.shape[1]) if weighted else None
    found = trained.predict_new(X, edges, weights)

    scaled = np.concatenate([data.X, X.astype(np.float32)])
    if preprocessing == "standard":
        scaled = (scaled - data.X.mean(axis=0)) / data.X.std(axis=0)
    A = grown_by_hand(data.graph, 3, edges, weights)
    P = dense(Graph.from_scipy(csr_array(A)))
    T, norm = trained.inputs.T.to(dtype=torch.float64), trained.inputs.norm.double()
    V = bases.orthonormal(T, norm)(P, torch.from_numpy(scaled).double(), 4)
    inputs = replace(trained.inputs, V=V.float()[:, N:])
    assert_allclose(found, probabilities(trained.net, inputs, trained.temperature), atol=2e-4)


def test_an_old_node_that_came_again_is_predicted_as_before():
    """Its twin: same features, same neighbours; their degrees grow by one, so only nearly."""
    data = load("sbm:n=600,h=0.9,d=16,degree=30")
    trained, result = train(data, options={"K": 3, "hidden": 16}, epochs=60)
    rows = data.graph.to_scipy()
    twins = [0, 100, 200]
    edges = np.concatenate(
        [[np.full(len(rows[[i]].indices), 600 + j), rows[[i]].indices] for j, i in enumerate(twins)], axis=1
    )
    assert_allclose(trained.predict_new(data.X[twins], edges), result.p[twins], atol=0.1)


def test_a_newcomer_does_not_change_with_the_rest_of_the_graph_beyond_its_hops():
    """A path: what lies more than K hops away is not seen."""
    graph = Graph.from_edges(np.stack([np.arange(99), np.arange(1, 100)]))
    X = np.random.default_rng(0).normal(size=(100, 4))
    data = Dataset(graph, X, np.arange(100) % 2)
    trained, _ = train(data, options={"K": 3, "hidden": 8})
    near = X.copy()
    near[50:] += 1
    other = Trained(trained.net, trained.inputs, replace(data, X=near), "none", trained.temperature)
    new, edges = np.ones((1, 4)), [[100], [10]]
    assert_array_equal(trained.predict_new(new, edges), other.predict_new(new, edges))


def test_gcn_sees_the_grown_graph():
    data = sample()
    trained, _ = train(data, "gcn")
    X, edges = newcomers()
    graph = Graph.from_scipy(csr_array(grown_by_hand(data.graph, 3, edges)))
    whole = torch.from_numpy(np.concatenate([data.X, X.astype(np.float32)]))
    inputs = type(trained.net).prepare(graph, whole, trained.net.config)
    wanted = probabilities(trained.net, inputs, trained.temperature)[N:]
    assert_allclose(trained.predict_new(X, edges), wanted, atol=1e-6)


def test_labels_reach_newcomers_over_the_grown_graph():
    data = sample()
    trained, result = train(data, "labelpropagation", options={"K": 200, "alpha": 0.8})
    X, edges = newcomers()
    P = dense(Graph.from_scipy(csr_array(grown_by_hand(data.graph, 3, edges)))).numpy()
    Y = np.zeros((N + 3, 3))
    labels = trained.labels.numpy()
    Y[np.flatnonzero(labels >= 0), labels[labels >= 0]] = 1
    F = 0.2 * np.linalg.solve(np.eye(N + 3) - 0.8 * P, Y)
    wanted = F[N:] ** (1 / result.temperature)
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert_allclose(trained.predict_new(X, edges), wanted, atol=1e-4)


@pytest.mark.parametrize("model", ["gcn", "dirgnn"])
def test_directions_of_old_arcs_stay_and_new_ones_are_as_they_came(model):
    data = sample(arcs=True)
    trained, _ = train(data, model, options={"hidden": 8, "directed": True})
    X, edges = newcomers()
    graph = Graph.from_scipy(csr_array(grown_by_hand(data.graph, 3, edges)))
    whole = torch.from_numpy(np.concatenate([data.X, X.astype(np.float32)]))
    arcs = np.concatenate([data.arcs, edges], axis=1)
    inputs = type(trained.net).prepare(graph, whole, trained.net.config, arcs=arcs)
    wanted = probabilities(trained.net, inputs, trained.temperature)[N:]
    assert_allclose(trained.predict_new(X, edges), wanted, atol=1e-6)
    turned = trained.predict_new(X, edges[::-1])
    assert np.abs(turned - wanted).max() > 1e-4


@pytest.mark.parametrize("model", ["unifilter", "sgc", "gcn", "labelpropagation", "boosting"])
def test_a_newcomer_without_edges_is_alone(model):
    """It has no neighbours, whoever else arrives."""
    trained, _ = train(sample(), model)
    X, edges = newcomers()
    alone = trained.predict_new(X[:1], NO_EDGES)
    assert_allclose(alone.sum(axis=1), 1)
    others = edges[:, (edges != N).all(axis=0)]
    assert_allclose(trained.predict_new(X, others)[0], alone[0], atol=1e-6)


def test_nobody_arrives():
    assert train(sample())[0].predict_new(np.empty((0, D)), NO_EDGES).shape == (0, 3)


@pytest.mark.parametrize("model", ["unifilter", "sgc"])
def test_sparse_features_stay_sparse_on_disk_and_predict_the_same(model, tmp_path):
    trained, result = train(sample(sparse=True), model, "row")
    trained.save(tmp_path)
    again = Trained.load(tmp_path)
    assert not isinstance(again.dataset.X, np.ndarray)
    X, edges = newcomers()
    assert_allclose(again.predict_proba(), result.p, atol=1e-6)
    assert_allclose(again.predict_new(np.abs(X), edges), trained.predict_new(np.abs(X), edges), atol=1e-6)


def test_standard_features_are_scaled_by_the_statistics_of_training():
    """All newcomers far away: their own mean would make them look ordinary."""
    data = sample()
    trained, _ = train(data, "mlp", "standard", {"hidden": 16})
    X = data.X[:4] + 100
    scaled = (X - data.X.mean(axis=0)) / data.X.std(axis=0)
    with torch.no_grad():
        inputs = type(trained.net).prepare(data.graph, torch.from_numpy(scaled), trained.net.config)
        wanted = probabilities(trained.net, inputs, trained.temperature)
    assert_allclose(trained.predict_new(X, NO_EDGES), wanted, atol=1e-5)


def test_a_model_with_a_weight_a_node_refuses_newcomers():
    trained, _ = train(sample(), "linkx")
    with pytest.raises(ValueError, match=r"LINKX has a weight for every node .* cannot predict new ones"):
        trained.predict_new(*newcomers())


@pytest.mark.parametrize(
    ("X", "edges", "said"),
    [
        (np.ones((1, D + 1)), NO_EDGES, r"shape \(q, 6\), but came as \(1, 7\)"),
        (np.ones(D), NO_EDGES, r"but came as \(6,\)"),
        (np.full((1, D), np.nan), NO_EDGES, "finite"),
        (np.ones((1, D)), [[3], [4]], "edge 3 - 4 joins two nodes that were there"),
        (np.ones((1, D)), [[N + 1], [0]], f"one names {N + 1}"),
        (np.ones((1, D)), [[-1], [N]], "one names -1"),
        (np.ones((1, D)), [[0, 1, 2]], r"edges must have shape \(2, m\)"),
        (np.ones((1, D)), [[0.5], [N]], "whole numbers"),
    ],
)
def test_wrong_newcomers_are_refused(X, edges, said):
    trained, _ = train(sample(), "unifilter", epochs=2)
    with pytest.raises(ValueError, match=said):
        trained.predict_new(X, edges)


def test_growing_keeps_the_old_graph_and_merges_both_directions():
    graph = sample(weighted=True).graph
    grown = grow(graph, 2, [[N, 0, N + 1], [0, N, N]], [2.0, 2.0, 3.0])
    A = grown.to_scipy().toarray()
    assert_allclose(A[:N, :N], graph.to_scipy().toarray())
    assert (A[N, 0], A[0, N], A[N, N + 1], A[N + 1, N + 1]) == (2.0, 2.0, 3.0, 0.0)
    assert grown.m == graph.m + 2


def test_weights_are_as_many_as_edges():
    with pytest.raises(ValueError, match="weights"):
        grow(sample().graph, 1, [[N, N], [0, 1]], [1.0])


def test_saving_again_leaves_nothing_of_the_model_before(tmp_path):
    """A model on a Krylov basis, then one without: the basis of the first must not be read."""
    train(sample(), "unifilter")[0].save(tmp_path)
    trained, result = train(sample(), "gcn")
    trained.save(tmp_path)
    assert_allclose(Trained.load(tmp_path).predict_proba(), result.p, atol=1e-6)


def test_a_folder_without_a_model_and_one_of_the_future_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no trained model: model.json is missing"):
        Trained.load(tmp_path)
    train(sample(), "sgc")[0].save(tmp_path)
    file = tmp_path / "model.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 99}))
    with pytest.raises(ValueError, match="has format 99"):
        Trained.load(tmp_path)


def test_the_basis_of_a_loaded_model_is_frozen(tmp_path):
    trained, _ = train(sample())
    trained.save(tmp_path)
    again = Trained.load(tmp_path).inputs
    assert isinstance(again, Basis)
    assert_array_equal(again.T.alpha, trained.inputs.T.alpha)
    assert_allclose(again.V, trained.inputs.V, atol=1e-5)


@pytest.mark.parametrize("file", ["weights.safetensors", "model.json"])
def test_a_damaged_file_is_named(file, tmp_path):
    train(sample(), "sgc")[0].save(tmp_path)
    content = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=f"{file} is damaged"):
        Trained.load(tmp_path)


def test_edges_without_weights_are_refused_where_the_trained_ones_have_some():
    graph = Graph.from_edges([[0, 1], [1, 2]], weights=[2.0, 4.0])
    with pytest.raises(ValueError, match="have weights, 3 on average, so new ones need them too"):
        grow(graph, 1, [[3], [0]])
    assert grow(graph, 1, [[3], [0]], [1.0]).m == 3
    assert grow(graph, 1, np.empty((2, 0), int)).n == 4  # nobody's weight is missing


def test_loading_leaves_the_random_numbers_of_the_caller(tmp_path):
    data = load("sbm:n=60,d=4")
    result = run(data, splits.stratified(data.y), "unifilter", {"K": 2, "hidden": 4}, Training(epochs=2))
    Trained.of(result, data).save(tmp_path)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    Trained.load(tmp_path)
    assert torch.equal(torch.get_rng_state(), before)

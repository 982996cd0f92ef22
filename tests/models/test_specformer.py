from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.models.specformer import Config, Specformer, laplacian

SMALL = {"hidden": 8, "heads": 2, "feature_dropout": 0.0, "transformer_dropout": 0.0, "layer_dropout": 0.0}


def build(graph, X, **options):
    config = Config(**(SMALL | options))
    torch.manual_seed(0)
    model = Specformer(config, X.shape[1], 3).double().eval()
    for p in model.parameters():  # away from the start, where all new spectra are near 0
        torch.nn.init.normal_(p, std=0.5)
    return model, Specformer.prepare(graph, X, config)


def test_the_eigenvectors_are_those_of_the_laplacian(graph, X):
    _, inputs = build(graph, X)
    U, lam = inputs["U"], inputs["lam"]
    L = torch.eye(graph.n, dtype=torch.float64) - dense(graph)
    assert_close(U @ torch.diag(lam) @ U.T, L, rtol=1e-12, atol=1e-12)


def test_a_layer_mixes_the_signal_with_its_filtered_versions(graph, X):
    """Written with dense matrices U diag(new) U^T, one channel at a time."""
    model, inputs = build(graph, X, layers=2)
    H = model.second(torch.relu(model.first(X)))
    new, U = model.spectrum(inputs["lam"]), inputs["U"]
    filters = [torch.eye(graph.n, dtype=X.dtype)] + [U @ torch.diag(new[:, m]) @ U.T for m in range(2)]
    for w in model.w:
        H = torch.stack([sum(w[m, c] * filters[m] @ H[:, c] for m in range(3)) for c in range(3)], dim=1)
    assert_close(model(inputs), H, rtol=1e-9, atol=1e-9)


def test_the_response_is_what_the_filter_does_to_an_eigenvector(graph, X):
    model, inputs = build(graph, X)
    U, H = inputs["U"], model.second(torch.relu(model.first(X)))
    g = model.response(inputs["lam"])
    assert_close(model(inputs), U @ (g * (U.T @ H)), rtol=1e-9, atol=1e-9)


def test_the_block_is_attention_then_feed_forward_each_normalised_before(graph, X):
    model, inputs = build(graph, X)
    s = model.spectrum
    E = s.encode(s.waves(inputs["lam"]))
    z, n, half = s.before_attention(E), graph.n, 4
    q, k, v = (z @ s.attention.in_proj_weight.T + s.attention.in_proj_bias).split(8, dim=1)
    heads = []
    for h in (slice(0, half), slice(half, 8)):
        weights = torch.softmax(q[:, h] @ k[:, h].T / math.sqrt(half), dim=1)
        assert weights.shape == (n, n)
        heads.append(weights @ v[:, h])
    E = E + s.attention.out_proj(torch.cat(heads, dim=1))
    E = E + s.feedforward(s.before_feedforward(E))
    assert_close(s(inputs["lam"]), s.decode(E), rtol=1e-10, atol=1e-10)


def test_equal_eigenvalues_get_equal_new_ones(ring_of_twelve):
    """Eigenvectors of a repeated eigenvalue are arbitrary; the filter must not depend on the choice."""
    graph, X = ring_of_twelve
    model, inputs = build(graph, X)
    lam, new = inputs["lam"], model.spectrum(inputs["lam"])
    pairs = torch.nonzero(lam.diff().abs() < 1e-12).flatten()
    assert pairs.numel() == 5
    assert_close(new[pairs], new[pairs + 1], rtol=1e-9, atol=1e-9)


@pytest.fixture
def ring_of_twelve():
    from conftest import ring

    return ring(12), torch.randn(12, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_it_starts_near_the_identity(graph, X):
    torch.manual_seed(0)
    model = Specformer(Config(**SMALL), X.shape[1], 3).double().eval()
    new = model.spectrum(Specformer.prepare(graph, X, model.config)["lam"])
    assert new.abs().max() < 0.02
    assert (model.w == 1).all()


def test_waves_have_the_authors_frequencies():
    model = Specformer(Config(**SMALL), 2, 3).double()
    wave = model.spectrum.waves(torch.tensor([0.3], dtype=torch.float64))[0]
    f = [10_000 ** (-2 * t / 8) for t in range(4)]
    wanted = [0.3] + [math.sin(30 * a) for a in f] + [math.cos(30 * a) for a in f]
    np.testing.assert_allclose(wave.detach(), wanted, rtol=1e-12)


def test_raw_self_loops_count_once_and_only_if_asked():
    arcs = np.array([[0, 1, 1, 1], [1, 2, 1, 1]])
    graph = Graph.from_edges(arcs)
    A = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], float)
    s = np.diag(A.sum(axis=1) ** -0.5)
    np.testing.assert_allclose(laplacian(graph, arcs), np.eye(3) - s @ A @ s)
    X, kept = torch.zeros(3, 2, dtype=torch.float64), Config(data_loops=True)
    wanted = torch.from_numpy(np.linalg.eigvalsh(laplacian(graph, arcs)))
    assert_close(Specformer.prepare(graph, X, kept, arcs)["lam"], wanted)
    without = Specformer.prepare(graph, X, Config(), arcs)["lam"]
    assert_close(without, torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64))


def test_a_graph_too_large_is_refused_with_the_cost_and_the_way_out(graph, X):
    with pytest.raises(ValueError, match=r"operations, so it stops at 5. Take a polynomial"):
        Specformer.prepare(graph, X, Config(max_nodes=5))


def test_a_gpu_may_have_twice_as_many_nodes(graph, X):
    elsewhere = X.to("meta")
    assert Specformer.prepare(graph, elsewhere, Config(max_nodes=-(-graph.n // 2)))["U"].is_meta
    few = graph.n // 2 - 1
    with pytest.raises(ValueError, match=f"so it stops at {2 * few}"):
        Specformer.prepare(graph, elsewhere, Config(max_nodes=few))


@pytest.mark.parametrize("heads", [3, 0])
def test_a_width_that_the_heads_do_not_share_is_refused(heads):
    with pytest.raises(ValueError, match=f"a multiple of heads, but is 32 with {heads}"):
        Config(heads=heads)

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.models.dirgnn import Config, DirGNN


@pytest.fixture
def arcs():
    """20 nodes; some have no arc that leaves, some none that arrives; two have loops."""
    rng = np.random.default_rng(0)
    pairs = np.unique(rng.integers(0, 20, (60, 2)), axis=0).T
    return np.concatenate([pairs[:, pairs[0] % 5 != 0], [[3, 4], [3, 4]]], axis=1)


@pytest.fixture
def X20():
    return torch.randn(20, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def written_out(arcs, n):
    A = torch.zeros(n, n, dtype=torch.float64)
    A[arcs[0], arcs[1]] = 1
    out, into = (A.sum(dim=dim).clamp_min(1) ** -0.5 for dim in (1, 0))
    return out[:, None] * A * into


def build(arcs, X, **options):
    config = Config(**({"layers": 2, "hidden": 4} | options))
    torch.manual_seed(0)
    model = DirGNN(config, X.shape[1], 3).double().eval()
    return model, DirGNN.prepare(Graph.from_edges(arcs, n=len(X)), X, config, arcs)


def test_the_operators_are_normalised_by_the_degrees_at_both_ends(arcs, X20):
    _, inputs = build(arcs, X20)
    A = written_out(arcs, 20)
    assert not torch.allclose(A, A.T)
    assert_close(inputs["out"] @ X20, A @ X20)
    assert_close(inputs["in"] @ X20, A.T @ X20)


@pytest.mark.parametrize("jump", ["max", "cat", "none"])
@pytest.mark.parametrize("unit", [True, False])
def test_two_layers_written_out(arcs, X20, jump, unit):
    model, inputs = build(arcs, X20, jump=jump, normalize=unit, alpha=0.3)
    A, H, seen = written_out(arcs, 20), X20, []
    for i, layer in enumerate(model.layers):
        H = 0.3 * layer.out(A @ H) + 0.7 * layer.into(A.T @ H)
        if jump == "none" and i == 1:
            break
        H = torch.relu(H)
        H = H / H.norm(dim=1, keepdim=True).clamp_min(1e-12) if unit else H
        seen.append(H)
    if jump == "max":
        H = model.head(torch.maximum(*seen))
    elif jump == "cat":
        H = model.head(torch.cat(seen, dim=1))
    assert_close(model(inputs), H, rtol=1e-6, atol=1e-7)  # alpha is kept in float32 until .double()


def test_without_directions_both_operators_are_P(graph, X):
    inputs = DirGNN.prepare(graph, X, Config(), None)
    for name in ("out", "in"):
        assert_close(inputs[name] @ X, dense(graph) @ X)


def test_directions_are_left_out_when_asked(arcs, X20):
    _, inputs = build(arcs, X20, directed=False)
    assert_close(inputs["out"] @ X20, inputs["in"] @ X20)


def test_added_self_loops_are_not_doubled(arcs, X20):
    _, inputs = build(arcs, X20, self_loops=True)
    every = np.unique(np.concatenate([arcs, [np.arange(20)] * 2], axis=1), axis=1)
    assert_close(inputs["out"] @ X20, written_out(every, 20) @ X20)


def test_turning_all_arcs_round_is_exchanging_the_weights_and_alpha(arcs, X20):
    model, inputs = build(arcs, X20, alpha=0.25)
    turned, backwards = build(arcs[::-1], X20, alpha=0.75)
    state = model.state_dict()
    swap = {k: state[k.replace("out", "x").replace("into", "out").replace("x", "into")] for k in state}
    turned.load_state_dict(swap | {"alpha": turned.alpha})
    assert_close(turned(backwards), model(inputs))


def test_alpha_can_be_learned(arcs, X20):
    model, inputs = build(arcs, X20, learn_alpha=True)
    model(inputs).square().sum().backward()
    assert model.alpha.grad.abs() > 0
    assert model.learned() == {"alpha": 0.5}


def test_an_unknown_jump_is_refused():
    with pytest.raises(ValueError, match='jump must be "max", "cat" or "none"'):
        Config(jump="lstm")

"""Laws for every registered name: whoever adds a file in models/ is tested here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from unifilter.data import load, splits
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph
from unifilter.models import model_class, names
from unifilter.train import Training, fit, run
from unifilter.train.loop import Part, evaluate

# Small enough that every model trains in a second or so; a model's own needs go into SMALL.
SMALL: dict[str, dict] = {}
SMALL["boosting"] = {"rounds": 20}
CLASSES = 3
AS_THEY_CAME = ("directed", "data_loops")  # options that read the arcs instead of the graph


@pytest.fixture(scope="module")
def planted() -> Dataset:
    """A block model; its edges came one way or the other, some both ways, and a few nodes have loops."""
    data = load("sbm:n=240,h=0.75,classes=3,degree=8,d=12,signal=1.5,seed=1")
    edges, rng = np.stack(data.graph.edges()), np.random.default_rng(5)
    turned = np.where(rng.random(edges.shape[1]) < 0.5, edges, edges[::-1])
    loops = np.stack([rng.choice(data.n, 20, replace=False)] * 2)
    return replace(data, arcs=np.concatenate([turned, turned[::-1, ::4], loops], axis=1))


@pytest.fixture(params=names())
def name(request) -> str:
    return request.param


def config_of(name: str, **options):
    return model_class(name).Config(**SMALL.get(name, {}) | options)


def ways_to_read_the_edges() -> list:
    """Every model as it is by default, and with each option that reads the arcs switched."""
    found = [(name, {}) for name in names()]
    for name in names():
        default = config_of(name)
        own = [option for option in AS_THEY_CAME if hasattr(default, option)]
        found += [(name, {option: not getattr(default, option)}) for option in own]
    return [pytest.param(*way, id="-".join([way[0], *way[1]])) for way in found]


def build(name: str, data: Dataset, train=None, seed: int = 0, **options):
    """Inputs and a fresh model, as ``run`` builds them."""
    cls, config = model_class(name), config_of(name, **options)
    arcs = {"arcs": data.arcs} if getattr(cls, "uses_arcs", False) else {}
    inputs = cls.prepare(data.graph, data.features(), config, **arcs)
    extra = {"h": 0.6} if getattr(cls, "uses_homophily", False) else {}
    if getattr(cls, "uses_nodes", False):
        extra["nodes"] = data.n
    if getattr(cls, "uses_labels", False):
        train = np.arange(data.n) % 2 == 0 if train is None else train
        extra["labels"] = torch.from_numpy(np.where(train, data.y, -1))
    torch.manual_seed(seed)
    return inputs, cls(config, data.d, CLASSES, **extra)


def logits(model, inputs) -> torch.Tensor:
    model.eval()
    with torch.no_grad():
        return model(inputs)


def solved(model, inputs, data: Dataset, train=None):
    """Models with a solver know nothing before it ran."""
    if hasattr(model, "solve"):
        index = np.flatnonzero(np.arange(data.n) % 2 == 0 if train is None else train)
        part = Part(inputs.rows(torch.from_numpy(index)), torch.from_numpy(data.y[index]))
        model.solve(part, part)
    return model


def test_its_card_says_what_it_is(name):
    card = model_class(name).card
    assert card.title
    assert card.paper
    assert 1950 <= card.year <= 2030
    assert card.kind
    assert card.propagates
    assert set(card.cost.replace("log", "")) & set("nm"), "what a step costs, in n nodes and m edges"


def test_logits_have_the_shape_of_the_rows_asked_for(name, planted):
    inputs, model = build(name, planted)
    solved(model, inputs, planted)
    whole = logits(model, inputs)
    assert whole.shape == (planted.n, CLASSES)
    assert torch.isfinite(whole).all()
    index = torch.tensor([5, 0, 77])
    torch.testing.assert_close(logits(model, inputs.rows(index)), whole[index], rtol=1e-4, atol=1e-5)


def test_gradients_reach_every_parameter(name, planted):
    inputs, model = build(name, planted)
    if hasattr(model, "solve"):
        return
    model.train()
    y = torch.from_numpy(planted.y.copy())
    total = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
    for _ in range(3):  # dropout and a dead ReLU may hide a parameter once
        model.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs), y).backward()
        for n, p in model.named_parameters():
            assert p.grad is not None, n
            total[n] += p.grad.abs()
    for n, value in total.items():
        assert value.sum() > 0, f"{n} is never reached"
    listed = {id(p) for group in getattr(model, "groups", dict)().values() for p in group}
    assert not listed or listed == {id(p) for p in model.parameters()}


@pytest.mark.parametrize(("name", "options"), ways_to_read_the_edges())
def test_relabelled_nodes_give_relabelled_logits(name, options, planted):
    order = np.random.default_rng(3).permutation(planted.n)
    place = np.argsort(order)
    edges = np.stack(planted.graph.edges())
    moved = Dataset(
        Graph.from_edges(place[edges], n=planted.n),
        planted.features().numpy()[order],
        planted.y[order],
        arcs=place[planted.arcs],
    )
    train = np.arange(planted.n) % 2 == 0
    inputs, model = build(name, planted, train, **options)
    inputs_moved, model_moved = build(name, moved, train[order], **options)
    model_moved.load_state_dict(relabelled(model, model_moved, order))
    solved(model, inputs, planted, train)
    solved(model_moved, inputs_moved, moved, train[order])
    found, wanted = logits(model_moved, inputs_moved), logits(model, inputs)[order]
    size = min(1.0, float(wanted.abs().max()))  # Specformer's logits are small before it is trained
    torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-4 * size)


@pytest.mark.parametrize(("name", "options"), [way for way in ways_to_read_the_edges() if way.values[1]])
def test_reading_the_arcs_makes_a_difference(name, options, planted):
    inputs, model = build(name, planted)
    inputs_read, model_read = build(name, planted, **options)
    solved(model, inputs, planted)
    solved(model_read, inputs_read, planted)
    found, other = logits(model, inputs), logits(model_read, inputs_read)
    assert (found - other).abs().max() > 1e-3 * found.abs().max()


def relabelled(model, target, order) -> dict:
    """Parameters that have a row a node (LINKX's and GloGNN's A W) move with the nodes."""
    state = dict(model.state_dict())
    for n in getattr(model, "node_parameters", ()):
        state[n] = state[n][..., torch.from_numpy(order)] if state[n].dim() > 1 else state[n]
    own = target.state_dict()
    return {n: own[n] if n in getattr(model, "node_buffers", ()) else v for n, v in state.items()}


def test_the_same_seed_gives_the_same_training(name, planted):
    split = splits.stratified(planted.y, seed=0)
    training = Training(epochs=5, patience=5, seed=4)
    first, second = (run(planted, split, name, SMALL.get(name), training, device="cpu") for _ in range(2))
    np.testing.assert_array_equal(first.p, second.p)


def test_isolated_nodes_and_empty_rows_give_finite_logits(name, planted):
    edges = np.stack(planted.graph.edges())
    keep = (edges >= 20).all(axis=0)
    X = planted.features().numpy().copy()
    X[10:30] = 0
    lonely = Dataset(Graph.from_edges(edges[:, keep], n=planted.n), X, planted.y, arcs=edges[:, keep])
    inputs, model = build(name, lonely)
    solved(model, inputs, lonely)
    assert torch.isfinite(logits(model, inputs)).all()


def test_a_few_steps_lower_the_loss(name, planted):
    inputs, model = build(name, planted)
    if hasattr(model, "solve"):
        return
    part = Part(inputs, torch.from_numpy(planted.y.copy()))
    before = evaluate(model, part)["val_loss"]
    outcome = fit(model, part, part, Training(epochs=20, lr=0.01, monitor="loss"))
    assert outcome.loss < before


def test_it_learns_a_planted_block_model(name, planted):
    split, training = splits.stratified(planted.y, seed=0), Training(epochs=150, patience=60, lr=0.02)
    majority = np.bincount(planted.y).max() / planted.n

    def learned(scores, state) -> bool:
        return scores["val_accuracy"] > majority + 0.4  # well above what is asked of the test nodes: enough

    result = run(planted, split, name, SMALL.get(name), training, on_epoch=learned, device="cpu")
    assert result.record.scores["test"]["accuracy"] > majority + 0.15


def test_saved_weights_predict_the_same(name, planted):
    inputs, model = build(name, planted)
    solved(model, inputs, planted)
    state = {k: v.clone() for k, v in model.state_dict().items()}
    _, again = build(name, planted, seed=1)
    again.load_state_dict(state)
    torch.testing.assert_close(logits(again, inputs), logits(model, inputs))

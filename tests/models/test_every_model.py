"""Laws for every registered name: whoever adds a file in models/ is tested here."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from unifilter import Trained
from unifilter.data import load, splits
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph
from unifilter.models import model_class, names
from unifilter.train import Training, run
from unifilter.train.loop import Part

# Small enough that every model trains in a second or so; a model's own needs go into SMALL.
SMALL: dict[str, dict] = {}
SMALL["boosting"] = {"rounds": 20}
CLASSES = 3
# What chance a model has in training beside its options named dropout, and how it is switched off.
STILL: dict[str, dict] = {}
STILL["committee"] = {"members": ({"dropout": 0.0},) * 3}
STILL["optbasis"] = {"noise": 0.0}
# Parameters with rows whose gradient is 0 by mathematics, each with the reason; those rows of them.
NORMED = "batch normalisation takes the mean away, and with it every constant that was added before"
UNREACHED: dict[str, dict[str, tuple[str, range]]] = {}
UNREACHED["sign"] = {n: (NORMED, range(256)) for n in ("net.1.bias", "net.5.bias")}
UNREACHED["specformer"] = {
    # of queries, keys, values, 32 rows each
    "spectrum.attention.in_proj_bias": ("q . b is the same for all keys: softmax forgets it", range(32, 64))
}
ROUNDING = 1e3 * torch.finfo(torch.float64).eps  # beside the length of the whole gradient
DRAWS = 10  # Dir-GNN's maximum over layers leaves out 2 of 5 units of the last one in every draw
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


def trained_names() -> list[str]:
    """Models that gradients train; the others have a solver, or nothing to learn."""
    return [name for name in names() if not hasattr(model_class(name), "solve")]


def build(name: str, data: Dataset, train=None, seed: int = 0, dtype=torch.float32, **options):
    """Inputs and a fresh model, as ``run`` builds them."""
    cls, config = model_class(name), config_of(name, **options)
    arcs = {"arcs": data.arcs} if getattr(cls, "uses_arcs", False) else {}
    inputs = cls.prepare(data.graph, data.features().to(dtype), config, **arcs)
    extra = {"h": 0.6} if getattr(cls, "uses_homophily", False) else {}
    if getattr(cls, "uses_nodes", False):
        extra["nodes"] = data.n
    if getattr(cls, "uses_labels", False):
        train = np.arange(data.n) % 2 == 0 if train is None else train
        extra["labels"] = torch.from_numpy(np.where(train, data.y, -1))
    torch.manual_seed(seed)
    return inputs, cls(config, data.d, CLASSES, **extra)


def build_still(name: str, data: Dataset, seed: int = 0):
    """In float64 and without chance in training, so that the loss is a function of the parameters."""
    rates = {f.name: 0.0 for f in fields(model_class(name).Config) if "dropout" in f.name}
    inputs, model = build(name, data, seed=seed, dtype=torch.float64, **rates | STILL.get(name, {}))
    return inputs, model.double().train()


def loss_and_slope(model, inputs, y) -> tuple[float, float]:
    """The training loss, with its gradient left at the parameters, and the length of that."""
    model.zero_grad()
    loss = cross_entropy(model(inputs), y)
    loss.backward()
    assert [n for n, p in model.named_parameters() if p.grad is None] == [], "parameters without a gradient"
    return loss.item(), torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()


def descend(model, length: float, slope: float) -> None:
    """A step of plain gradient descent of a given length."""
    with torch.no_grad():
        for p in model.parameters():
            p -= length / slope * p.grad


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


@pytest.mark.parametrize("name", trained_names())
def test_gradients_reach_every_row_of_every_parameter(name, planted):
    """A row (of a weight: what makes one unit) whose gradient is never more than rounding is never trained.

    Whether a ReLU is dead, or which layer a maximum takes, depends on the inputs and on the first weights, so
    several are drawn. Filters begin with coefficients of 0, behind which nothing is reached before a step.
    """
    y = torch.from_numpy(planted.y.copy())
    reached: dict[str, torch.Tensor] = {}
    known = {n: list(rows) for n, (_, rows) in UNREACHED.get(name, {}).items()}
    for draw in range(DRAWS):
        X = np.random.default_rng(draw).standard_normal((planted.n, planted.d))
        inputs, model = build_still(name, replace(planted, X=X) if draw else planted, seed=draw)
        for _ in range(2):
            _, slope = loss_and_slope(model, inputs, y)
            for n, p in model.named_parameters():
                largest = p.grad.reshape(p.shape[0] if p.dim() else 1, -1).abs().amax(dim=1)
                reached[n] = reached.get(n, False) | (largest > ROUNDING * slope)
            descend(model, 0.1, slope)
        left = {n: (~rows).nonzero().flatten().tolist() for n, rows in reached.items() if not rows.all()}
        if left == known:
            break
    assert left == known
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


@pytest.mark.parametrize("name", trained_names())
def test_one_gradient_step_lowers_the_loss_by_as_much_as_the_gradient_says(name, planted):
    """L(theta - s g/|g|) = L - s |g| + O(s^2); a gradient of which a part is lost promises another loss."""
    inputs, model = build_still(name, planted)
    y, length = torch.from_numpy(planted.y.copy()), 1e-3
    before, slope = loss_and_slope(model, inputs, y)
    assert loss_and_slope(model, inputs, y)[0] == before, "chance in training: see STILL"
    descend(model, length, slope)
    after, _ = loss_and_slope(model, inputs, y)
    assert after < before
    assert before - after == pytest.approx(length * slope, rel=10 * length)


def test_it_learns_a_planted_block_model(name, planted):
    split, training = splits.stratified(planted.y, seed=0), Training(epochs=150, patience=60, lr=0.02)
    majority = np.bincount(planted.y).max() / planted.n

    def learned(scores, state) -> bool:
        return scores["val_accuracy"] > majority + 0.4  # well above what is asked of the test nodes: enough

    result = run(planted, split, name, SMALL.get(name), training, on_epoch=learned, device="cpu")
    assert result.record.scores["test"]["accuracy"] > majority + 0.15


def test_a_saved_model_predicts_the_same_when_it_is_loaded(name, planted, tmp_path):
    """From a folder into a model with other weights, as `unifilter predict` does in another process."""
    inputs, model = build(name, planted)
    if hasattr(model, "solve"):
        solved(model, inputs, planted)
    else:  # running means of batch normalisation that a fresh model does not have
        model.train()(inputs)
    labels = getattr(model, "labels", None)
    saved = Trained(model.eval(), inputs, planted, "none", 1.3, labels)
    saved.save(tmp_path)
    again = Trained.load(tmp_path)
    assert again.net is not model
    assert again.net.config == model.config
    eps = np.finfo(np.float32).eps
    np.testing.assert_allclose(again.predict_proba(), saved.predict_proba(), atol=100 * eps)

from dataclasses import replace

import numpy as np
import pytest
import torch

from unifilter.data import Dataset, load, splits
from unifilter.graph import Graph
from unifilter.models import create
from unifilter.models._basis import Basis
from unifilter.models.unifilter import UniFilter
from unifilter.train import Training, loop, run
from unifilter.train.auto import choose
from unifilter.train.loop import predict_logits
from unifilter.train.run import (
    class_weights,
    pick_device,
    training_homophily,
    training_labels,
)
from unifilter.train.samplers import Space
from unifilter.train.search import search

SMALL = {"K": 4, "hidden": 16}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("sbm:n=400,h=0.85,d=8,signal=2")


def test_prepared_inputs_serve_every_split(data):
    split = splits.stratified(data.y)
    first = run(data, split, "unifilter", SMALL, Training(epochs=10), device="cpu")
    again = run(data, split, "unifilter", SMALL, Training(epochs=10), inputs=first.inputs, device="cpu")
    np.testing.assert_array_equal(first.p, again.p)


def test_ctrl_c_still_gives_a_result(data):
    def stop(scores, state):
        if state.epoch == 8:
            raise KeyboardInterrupt

    result = run(data, splits.stratified(data.y), "unifilter", SMALL, Training(), on_epoch=stop, device="cpu")
    assert result.interrupted
    assert "interrupted" in result.record.notes
    assert result.record.scores["test"]["accuracy"] > 0.2


def test_homophily_comes_from_training_labels_only(data):
    split, notes = splits.stratified(data.y), []
    hidden = Dataset(data.graph, data.X, np.where(split.train, data.y, -1))
    assert training_homophily(data, split, notes) == training_homophily(hidden, split, notes)
    lonely = np.zeros(data.n, bool)
    lonely[0] = True
    few = splits.Split(lonely, ~lonely, ~lonely, "few")
    assert training_homophily(data, few, notes) == 0.5
    assert "no edge joins" in notes[0]


def test_labels_outside_training_are_hidden(data):
    split = splits.stratified(data.y)
    labels = training_labels(data, split).numpy()
    assert (labels[~split.train] == -1).all()
    np.testing.assert_array_equal(labels[split.train], data.y[split.train])


def test_class_weights_have_mean_one_over_the_nodes():
    y = torch.tensor([0, 0, 0, 1])
    weights = class_weights(y, 3)
    assert weights[2] == 1  # nobody has it in training; on validation nodes it counts as any
    assert float(weights[y].mean()) == pytest.approx(1.0)
    assert float(weights[1] / weights[0]) == pytest.approx(3.0)


def test_a_model_without_a_loss_takes_no_class_weights(data):
    with pytest.raises(ValueError, match="logistic is not trained by one: leave them out"):
        run(data, splits.stratified(data.y), "logistic", training=Training(class_weights=True))


def test_v_in_half_precision_trains_as_well(data, monkeypatch):
    """Steps and validation see bfloat16; predictions are those of the float32 V, as a loaded model's are."""
    seen, forward = {True: set(), False: set()}, UniFilter.forward

    def watched(self, inputs):
        seen[inputs.n < data.n].add(inputs.V.dtype)
        return forward(self, inputs)

    monkeypatch.setattr(UniFilter, "forward", watched)
    split, options = splits.stratified(data.y), SMALL | {"basis_dropout": 0.2}
    full, half = (
        run(data, split, "unifilter", options, Training(epochs=40), half=h, device="cpu")
        for h in (False, True)
    )
    assert seen == {True: {torch.float32, torch.bfloat16}, False: {torch.float32}}
    assert half.record.notes == ["trained on V in bfloat16"]
    accuracy = [r.record.scores["test"]["accuracy"] for r in (full, half)]
    assert abs(accuracy[0] - accuracy[1]) < 0.05
    assert 0 < np.abs(full.p - half.p).max() < 0.2


def test_only_what_trains_on_v_can_have_it_in_half_precision(data):
    with pytest.raises(ValueError, match="which gcn does not"):
        run(data, splits.stratified(data.y), "gcn", half=True, device="cpu")


def test_prediction_in_batches_is_prediction(data):
    inputs = Basis.of(data.graph, data.features(), 4)
    net = create("unifilter", 8, 5, **SMALL)
    torch.testing.assert_close(predict_logits(net, inputs, batch=37), predict_logits(net, inputs))


def test_batches_that_nobody_asked_for_are_noted(data, monkeypatch):
    monkeypatch.setattr(loop, "rows_that_fit", lambda *of: 64)
    result = run(data, splits.stratified(data.y), "unifilter", SMALL, Training(epochs=3), device="cpu")
    assert result.record.notes == ["batches of 64 training rows: memory was short for all at once"]
    assert result.record.training["batch"] is None


def test_auto_picks_a_device_that_exists():
    assert pick_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert pick_device("cpu").type == "cpu"


def test_nothing_to_filter_is_refused_but_by_models_that_need_no_features():
    data = load("sbm:n=120,h=0.9")
    bare = replace(data, X=np.empty((data.n, 0), np.float32))
    split = splits.stratified(data.y)
    for model in ("gcn", "mlp", "unifilter"):
        with pytest.raises(ValueError, match="have no features to filter"):
            run(bare, split, model, training=Training(epochs=2))
    for model in ("labelpropagation", "linkx"):
        found = run(bare, split, model, training=Training(epochs=30)).record.scores["test"]["accuracy"]
        assert found > 0.4  # of five classes


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("dirgnn", {}, ["arcs have no weights: with directed those of the edges are not used"]),
        (
            "sgc",
            {"data_loops": True},
            ["arcs have no weights: with data_loops those of the edges are not used"],
        ),
        ("sgc", {}, []),
    ],
)
def test_weights_that_are_not_used_are_noted(data, model, options, said):
    edges = np.stack(data.graph.edges())
    graph = Graph.from_edges(edges, data.n, weights=1 + np.arange(edges.shape[1]) % 3)
    split, training = splits.stratified(data.y), Training(epochs=2)
    weighted = replace(data, graph=graph, arcs=edges)
    records = [run(d, split, model, options, training).record for d in (weighted, replace(data, arcs=edges))]
    notes = [[note for note in record.notes if note.startswith("arcs")] for record in records]
    assert notes == [said, []]


WAYS = pytest.mark.parametrize(
    "train",
    [
        lambda data, split: run(data, split, "gcn"),
        lambda data, split: run(data, split, "labelpropagation"),
        lambda data, split: choose(data, split, budget=None),
        lambda data, split: search(data, [split], Space({"options.K": [2]}), settings=1),
    ],
    ids=["steps", "solver", "auto", "search"],
)


@WAYS
def test_nodes_that_train_and_test_are_refused(data, train):
    split = splits.stratified(data.y)
    with pytest.raises(ValueError, match=r"no node in common, but those of 'stratified 0.6/0.2' share 80"):
        train(data, split._replace(train=split.train | split.test))


@WAYS
def test_nobody_to_learn_from_is_refused(data, train):
    split = splits.stratified(data.y)
    unlabelled = replace(data, y=np.where(split.train, -1, data.y), classes=data.classes)
    with pytest.raises(ValueError, match="training needs a node with a label at least, but none of"):
        train(unlabelled, split)


def test_a_group_that_the_model_does_not_have_is_named(data):
    wrong = Training(groups={"fitler": {"lr": 0.1}})
    with pytest.raises(ValueError, match="'fitler' of parameters, but unifilter has mlp, filter, shares"):
        run(data, splits.stratified(data.y), "unifilter", SMALL, wrong)

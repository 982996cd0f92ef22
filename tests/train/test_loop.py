from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from unifilter.data import load
from unifilter.models import create, model_class
from unifilter.models._rows import Features
from unifilter.models.unifilter import UniFilter
from unifilter.train import loop
from unifilter.train.config import Training
from unifilter.train.loop import Interrupted, Part, evaluate, fit


@pytest.fixture(scope="module")
def parts():
    data = load("sbm:n=300,h=0.8,d=8,signal=2")
    config = model_class("unifilter").Config(K=4)
    inputs = model_class("unifilter").prepare(data.graph, data.features(), config)
    y = torch.from_numpy(data.y.copy())
    halves = torch.arange(0, 300, 2), torch.arange(1, 300, 2)
    return [Part(inputs.rows(i), y[i]) for i in halves]


@pytest.fixture(scope="module")
def whole(parts):
    """The same nodes, as rows of inputs that hold both parts."""
    V = torch.stack([p.inputs.V for p in parts], dim=2).flatten(1, 2)
    inputs = replace(parts[0].inputs, V=V)
    return [Part(inputs, p.y, torch.arange(i, 300, 2)) for i, p in enumerate(parts)]


def fresh(seed: int = 0, **options):
    torch.manual_seed(seed)
    return create("unifilter", 8, 5, K=4, hidden=16, **options)


def test_the_best_weights_are_restored(parts):
    outcome = fit(fresh(), *parts, Training(epochs=40, lr=0.05))
    assert evaluate(outcome.model, parts[1])["val_accuracy"] == outcome.accuracy
    accuracies = [e["val_accuracy"] for e in outcome.history]
    assert outcome.accuracy == max(accuracies)
    ties = [e["val_loss"] for e in outcome.history if e["val_accuracy"] == outcome.accuracy]
    assert outcome.loss == min(ties)


def test_they_are_restored_although_training_went_on_to_worse(parts):
    outcome = fit(fresh(), *parts, Training(epochs=60, lr=0.5))
    assert outcome.history[-1]["val_accuracy"] < outcome.accuracy
    assert evaluate(outcome.model, parts[1])["val_accuracy"] == outcome.accuracy


def test_plain_descent_is_a_step_against_gradient_and_decay(parts):
    training = Training(epochs=1, lr=0.3, weight_decay=0.1, optimizer="sgd", keep="last")
    model, still = fresh(dropout=0.0, basis_dropout=0.0), fresh(dropout=0.0, basis_dropout=0.0)
    cross_entropy(still(parts[0].inputs), parts[0].y).backward()
    fit(model, *parts, training)
    for old, new in zip(still.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(new, old - 0.3 * (old.grad + 0.1 * old))


def test_it_stops_when_patience_has_run_out(parts):
    outcome = fit(fresh(), *parts, Training(epochs=500, patience=7, lr=0.0))
    assert outcome.best_epoch == 0
    assert len(outcome.history) == 8


def test_of_equal_accuracies_the_latest_may_be_the_best_and_renews_patience(parts):
    assert fit(fresh(), *parts, Training(epochs=9, patience=3, lr=0.0)).best_epoch == 0
    latest = fit(fresh(), *parts, Training(epochs=9, patience=3, lr=0.0, ties="latest"))
    assert (latest.best_epoch, len(latest.history)) == (8, 9)


def test_a_window_stops_once_the_loss_is_above_the_mean_of_those_before_it(parts):
    outcome = fit(fresh(), *parts, Training(epochs=500, patience=5, lr=0.3, stop="window"))
    losses = [epoch["val_loss"] for epoch in outcome.history]
    over = [e for e in range(6, len(losses)) if losses[e] > sum(losses[e - 5 : e]) / 5]
    assert over == [len(losses) - 1]
    assert len(losses) < 500


def test_a_window_is_full_before_it_stops_anything():
    state, model, training = loop.State(), fresh(), Training(patience=5, stop="window")
    waited = []
    for epoch in range(7):  # every loss is above those before it
        loop._note(state, {"val_accuracy": 0.5, "val_loss": float(epoch)}, model, training)
        waited.append(state.waited)
    assert waited == [0] * 6 + [5]


def test_the_last_weights_may_be_kept(parts):
    model = fresh()
    outcome = fit(model, *parts, Training(epochs=60, patience=20, lr=0.3, keep="last"))
    last = outcome.history[-1]
    assert outcome.best_epoch == last["epoch"] == len(outcome.history) - 1
    assert (outcome.accuracy, outcome.loss) == (last["val_accuracy"], last["val_loss"])
    assert evaluate(model, parts[1]) == pytest.approx({n: last[n] for n in ("val_loss", "val_accuracy")})
    assert last["val_loss"] > min(epoch["val_loss"] for epoch in outcome.history)


def test_the_caller_may_end_it(parts):
    outcome = fit(fresh(), *parts, Training(epochs=50), on_epoch=lambda scores, state: state.epoch == 5)
    assert len(outcome.history) == 5


def test_ctrl_c_keeps_the_best_so_far(parts):
    with pytest.raises(Interrupted) as caught:
        fit(fresh(), *parts, Training(epochs=50), on_epoch=_stop_at(6))
    assert len(caught.value.outcome.history) == 6
    assert not caught.value.outcome.finished


def test_batches_see_every_row_once(parts):
    torch.manual_seed(0)
    sizes = [b.y.numel() for b in parts[0].batches(40)]
    assert sizes == [38, 38, 37, 37]  # 40 at most
    assert sorted(torch.cat([b.y for b in parts[0].batches(40)]).tolist()) == sorted(parts[0].y.tolist())


def test_training_in_batches_learns(parts):
    outcome = fit(fresh(), *parts, Training(epochs=40, batch=32, lr=0.02))
    assert outcome.accuracy > 0.6
    assert outcome.batch == 32


@pytest.fixture
def asked(monkeypatch):
    """Numbers of rows that the model was asked for, in training and not."""
    seen, forward = {True: [], False: []}, UniFilter.forward

    def watched(self, inputs):
        seen[self.training].append(inputs.n)
        return forward(self, inputs)

    monkeypatch.setattr(UniFilter, "forward", watched)
    return seen


def test_where_memory_is_short_training_goes_by_batches(parts, asked, monkeypatch):
    given = fit(fresh(), *parts, Training(epochs=3, batch=32))
    monkeypatch.setattr(loop, "rows_that_fit", lambda *of: 32)
    chosen = fit(fresh(), *parts, Training(epochs=3))
    assert chosen.batch == 32
    assert max(asked[True]) == 30  # 150 rows in five even batches
    assert_same_weights(given.model, chosen.model)
    assert fit(fresh(), *parts, Training(epochs=1, batch=64)).batch == 64  # what was asked for counts


def test_where_memory_suffices_it_does_not(parts, asked):
    assert fit(fresh(), *parts, Training(epochs=3)).batch is None
    assert asked == {True: [150] * 3, False: [150] * 3}


@pytest.mark.parametrize("batch", [None, 32])
def test_rows_are_the_same_whether_they_are_copied_first_or_not(parts, whole, batch):
    training = Training(epochs=4, batch=batch)
    copied, picked = (fit(fresh(), *of, training) for of in (parts, whole))
    assert [e["val_loss"] for e in copied.history] == [e["val_loss"] for e in picked.history]
    assert_same_weights(copied.model, picked.model)


def test_validation_nodes_go_by_batches_too(parts, whole, asked, monkeypatch):
    wanted = evaluate(fresh(), parts[1])
    monkeypatch.setattr(loop, "ROWS", 40)
    for val in (parts[1], whole[1]):
        asked[False].clear()
        found = evaluate(fresh(), val)
        assert asked[False] == [40, 40, 40, 30]
        assert found["val_accuracy"] == wanted["val_accuracy"]
        assert found["val_loss"] == pytest.approx(wanted["val_loss"], rel=1e-6)


def test_a_resumed_run_keeps_its_batches(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", -1)
    monkeypatch.setattr(loop, "rows_that_fit", lambda *of: 32)
    with pytest.raises(Interrupted):
        fit(fresh(), *parts, Training(epochs=6), on_epoch=_stop_at(3), folder=tmp_path)
    monkeypatch.setattr(loop, "rows_that_fit", lambda *of: None)  # others have left
    resumed = fit(fresh(), *parts, Training(epochs=6), folder=tmp_path)
    assert resumed.batch == 32
    assert_same_weights(resumed.model, fit(fresh(), *parts, Training(epochs=6, batch=32)).model)


@pytest.mark.parametrize("saving", [-1, 1000])
def test_ctrl_c_amid_an_epoch_leaves_a_run_that_goes_on_to_the_same_end(parts, tmp_path, monkeypatch, saving):
    """Between the step and the note of it: the weights have moved on, the count of epochs has not."""
    training, note, left = Training(epochs=8, lr=0.05), loop._note, [5]
    whole = fit(fresh(dropout=0.5), *parts, training)

    def interrupted(*of):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        note(*of)

    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", saving)
    monkeypatch.setattr(loop, "_note", interrupted)
    with pytest.raises(Interrupted):
        fit(fresh(dropout=0.5), *parts, training, folder=tmp_path)
    assert left == [0]
    resumed = fit(fresh(dropout=0.5), *parts, training, folder=tmp_path)
    assert [e["val_loss"] for e in resumed.history] == [e["val_loss"] for e in whole.history]
    assert_same_weights(resumed.model, whole.model)


def test_weights_that_are_no_numbers_are_not_the_best(parts):
    """They name the first class for every node, which is right for many where that class is large."""
    first = [Part(p.inputs, torch.where(torch.arange(p.y.numel()) % 4 == 0, p.y, 0)) for p in parts]
    outcome = fit(fresh(), *first, Training(epochs=6, lr=1e30))
    assert not np.isfinite(outcome.history[-1]["val_loss"])
    assert outcome.best_epoch < 1
    assert np.isfinite(outcome.loss) == (outcome.best_epoch == 0)


def test_training_without_a_finite_loss_ends_where_it_began(parts):
    train, val = parts
    V = torch.full_like(val.inputs.V, torch.nan)
    outcome = fit(fresh(), train, Part(replace(val.inputs, V=V), val.y), Training(epochs=3))
    assert outcome.best_epoch == -1
    assert_same_weights(outcome.model, fresh())


def _stop_at(epoch):
    def stop(scores, state):
        if state.epoch == epoch:
            raise KeyboardInterrupt

    return stop


def assert_same_weights(one, other):
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_groups_get_their_own_rates(parts):
    model = fresh()
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    fit(model, *parts, Training(epochs=3, groups={"filter": {"lr": 0.0, "weight_decay": 0.0}}))
    assert torch.equal(model.w, before["w"])
    assert not torch.equal(model.mlp.layers[0].weight, before["mlp.layers.0.weight"])


def test_without_validation_nodes_the_last_epoch_is_kept(parts):
    empty = Part(parts[1].inputs.rows(torch.zeros(0, dtype=torch.long)), torch.zeros(0, dtype=torch.long))
    outcome = fit(fresh(), parts[0], empty, Training(epochs=12))
    assert outcome.best_epoch == 11
    assert np.isnan(outcome.accuracy)


def test_class_weights_move_the_loss_towards_rare_classes(parts):
    weights = torch.tensor([10.0, 1, 1, 1, 1])
    torch.manual_seed(0)
    heavy = fit(fresh(), *parts, Training(epochs=30), weights=weights).model
    torch.manual_seed(0)
    light = fit(fresh(), *parts, Training(epochs=30)).model
    share = [float((m(parts[1].inputs).argmax(1) == 0).double().mean()) for m in (heavy, light)]
    assert share[0] > share[1]


def test_class_weights_weigh_validation_nodes_too(parts):
    model, (_, val) = fresh().eval(), parts
    weights = torch.tensor([10.0, 1, 1, 1, 1])
    logits = model(val.inputs).detach()
    share = weights[val.y].double()
    found = loop.evaluate(model, val, weights)
    assert found["val_accuracy"] == pytest.approx(
        float((share * (logits.argmax(1) == val.y)).sum() / share.sum())
    )
    assert found["val_accuracy"] != loop.evaluate(model, val)["val_accuracy"]
    assert found["val_loss"] == pytest.approx(float(cross_entropy(logits, val.y, weights)))


@pytest.mark.parametrize("gains", [False, True])
def test_half_precision_learns_too(parts, monkeypatch, gains):
    monkeypatch.setattr(loop, "gains_by_half", lambda device: gains)
    outcome = fit(fresh(), *parts, Training(epochs=40, lr=0.02, mixed_precision=True))
    assert outcome.accuracy > 0.6


class Solver(nn.Module):
    """Predicts the class that was most frequent."""

    def solve(self, train: Part, val: Part) -> None:
        self.most = int(torch.bincount(train.y).argmax())

    def forward(self, inputs: Features) -> torch.Tensor:
        return torch.eye(5)[self.most].expand(inputs.n, 5)


def test_a_model_may_bring_its_own_solver(parts):
    outcome = fit(Solver(), *parts, Training())
    most = int(torch.bincount(parts[0].y).argmax())
    assert outcome.accuracy == pytest.approx(float((parts[1].y == most).double().mean()))


@pytest.mark.parametrize("size", [1, 7, 60, 61, 122, 200])
def test_batches_are_even_so_that_none_is_left_with_a_single_row(size):
    part = Part(Features(torch.randn(123, 2)), torch.zeros(123, dtype=torch.long))
    sizes = [some.y.numel() for some in part.batches(size)]
    assert sum(sizes) == 123
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1

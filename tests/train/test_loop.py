import numpy as np
import pytest
import torch
from torch import nn

from unifilter.data import load
from unifilter.models import create, model_class
from unifilter.models._rows import Features
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


def test_it_stops_when_patience_has_run_out(parts):
    outcome = fit(fresh(), *parts, Training(epochs=500, patience=7, lr=0.0))
    assert outcome.best_epoch == 0
    assert len(outcome.history) == 8


def test_the_caller_may_end_it(parts):
    outcome = fit(fresh(), *parts, Training(epochs=50), on_epoch=lambda scores, state: state.epoch == 5)
    assert len(outcome.history) == 5


def test_ctrl_c_keeps_the_best_so_far(parts):
    def stop(scores, state):
        if state.epoch == 6:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        fit(fresh(), *parts, Training(epochs=50), on_epoch=stop)
    assert len(caught.value.outcome.history) == 6
    assert not caught.value.outcome.finished


def test_batches_see_every_row_once(parts):
    torch.manual_seed(0)
    sizes = [b.y.numel() for b in parts[0].batches(40)]
    assert sizes == [40, 40, 40, 30]
    assert sorted(torch.cat([b.y for b in parts[0].batches(40)]).tolist()) == sorted(parts[0].y.tolist())


def test_training_in_batches_learns(parts):
    outcome = fit(fresh(), *parts, Training(epochs=40, batch=32, lr=0.02))
    assert outcome.accuracy > 0.6


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

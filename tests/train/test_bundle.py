"""In a bundle, every member is trained as it would be alone, dropout aside."""

from dataclasses import fields, replace

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from unifilter.data import load, splits
from unifilter.models import model_class, names
from unifilter.train import Training, run
from unifilter.train.beside import Job, lanes_of
from unifilter.train.bundle import Bundle, Target
from unifilter.train.crowd import Crowd
from unifilter.train.loop import Part
from unifilter.train.prepared import Prepared

SMALL = Training(epochs=6, patience=4, lr=0.05)
TRAINED = [n for n in names() if not hasattr(model_class(n), "solve")]
SLOW = {"wrgat"}  # to prepare; it is bundled by the same rules as GAT


@pytest.fixture(scope="module")
def prepared():
    return Prepared(load("sbm:n=120,h=0.8,d=8,seed=3"), torch.device("cpu"))


def jobs(data, count=2, **options):
    return [Job(splits.stratified(data.y, seed=s), options, replace(SMALL, seed=s)) for s in range(count)]


@pytest.mark.parametrize("launches_count", [False, True])
@pytest.mark.parametrize("model", [m for m in TRAINED if m not in SLOW])
def test_members_are_trained_as_they_would_be_alone(model, launches_count, prepared):
    data, config = prepared.dataset, model_class(model).Config
    plain = {f.name: 0.0 for f in fields(config) if "dropout" in f.name}
    rows = prepared(model, "none", config(**plain)).independent_rows
    if launches_count and not rows:
        pytest.skip("goes over all nodes anyway")
    some = jobs(data, **plain)
    _, lanes = lanes_of(prepared, model, some, launches_count)
    apart = getattr(config(), "batch_norm", False) or not launches_count if rows else False
    assert len(lanes) == (2 if apart or hasattr(model_class(model), "unbundled") else 1)
    Crowd(lanes).advance(SMALL.epochs)
    outcomes = [o for lane in lanes for o in lane.outcomes(0.0)]
    for job, outcome in zip(some, outcomes, strict=True):
        alone = run(data, job.split, model, plain, job.training, device="cpu")
        assert len(outcome.history) == len(alone.history)
        for ours, theirs in zip(outcome.history, alone.history, strict=True):
            assert_close(ours["train_loss"], theirs["train_loss"], rtol=1e-3, atol=1e-4)
        assert outcome.best_epoch == alone.record.best_epoch


def test_members_drop_different_entries(prepared):
    _, (lane,) = lanes_of(prepared, "gprgnn", jobs(prepared.dataset, count=2, dropout=0.5))
    state = lane.bundle.state
    for value in state.values():
        value.data[1] = value.data[0]  # the same parameters, so that only the masks differ
    lane.bundle.train(True)
    one, other = lane.bundle(lane.train.inputs)
    assert not torch.allclose(one, other)
    lane.bundle.train(False)
    assert_close(*lane.bundle(lane.train.inputs))


@pytest.mark.parametrize("model", ["jacobiconv", "gprgnn"])  # torch's dropout, and ours
def test_features_are_dropped_once_for_all(model, prepared):
    (lane,) = lanes_of(prepared, model, jobs(prepared.dataset, dropout=0.5, filter_dropout=0.0))[1]
    bundle, seen = lane.bundle, []
    layer = bundle.nets[0].linear if model == "jacobiconv" else bundle.nets[0].mlp.layers[0]
    layer.register_forward_pre_hook(
        lambda _, args: seen.append(torch._C._functorch.is_batchedtensor(args[0]))
    )
    bundle.train(True)
    bundle(lane.train.inputs)
    assert seen == [False]


def test_without_validation_nodes_the_last_epoch_is_the_best(prepared):
    some = jobs(prepared.dataset)
    blind = [job._replace(split=job.split._replace(val=job.split.val & False)) for job in some[:1]] + some[1:]
    _, (lane,) = lanes_of(prepared, "gcn", blind)
    Crowd([lane]).advance(SMALL.epochs)
    first, second = lane.outcomes(0.0)
    assert first.best_epoch == SMALL.epochs - 1
    assert second.accuracy > 0


def test_lone_jobs_on_one_split_keep_to_their_own_inputs(prepared):
    data, split = prepared.dataset, splits.stratified(prepared.dataset.y)
    some = [Job(split, {"K": K}, SMALL) for K in (1, 3)]
    _, lanes = lanes_of(prepared, "sgc", some)
    Crowd(lanes).advance(SMALL.epochs)
    for job, lane in zip(some, lanes, strict=True):
        alone = run(data, split, "sgc", job.options, SMALL, device="cpu")
        assert_close(lane.outcomes(0.0)[0].history[-1]["train_loss"], alone.history[-1]["train_loss"])


def test_those_bundled_with_one_who_stays_stay_too(prepared):
    _, lanes = lanes_of(prepared, "gcn", jobs(prepared.dataset) + jobs(prepared.dataset, hidden=8))
    crowd = Crowd(lanes)
    crowd.advance(2)
    crowd.keep([1])
    crowd.advance(2)
    assert [score.epochs for score in crowd.scores()] == [4, 4, 2, 2]


def test_other_settings_are_other_bundles(prepared):
    some = jobs(prepared.dataset, hidden=8) + jobs(prepared.dataset, hidden=16)
    assert [len(lane.bundle.nets) for lane in lanes_of(prepared, "gcn", some)[1]] == [2, 2]


def test_scores_are_weighted_means_over_each_members_nodes():
    y, logits = torch.tensor([0, 1, 1, 2]), torch.randn(2, 4, 3)
    inputs = type("All", (), {"n": 4})()
    parts = [Part(inputs, y[i], i) for i in (torch.tensor([0, 2]), torch.tensor([1, 2, 3]))]
    weights = torch.tensor([1.0, 3.0, 0.5])
    target = Target.of(parts, [weights, None])
    for member, (part, w) in enumerate(zip(parts, (weights, None), strict=True)):
        expected = nn.functional.cross_entropy(logits[member, part.index], part.y, w)
        assert_close(target.loss(logits)[member], expected)
        share = torch.ones_like(part.y, dtype=torch.float32) if w is None else w[part.y]
        right = logits[member, part.index].argmax(dim=1) == part.y
        assert_close(target.accuracy(logits)[member], (right * share).sum() / share.sum())


def test_a_member_gets_its_own_weights_back():
    nets = [nn.Linear(2, 2) for _ in range(3)]
    bundle = Bundle(nets)
    kept = {n: v.detach() + 1 for n, v in bundle.state.items()}
    before = nets[1].weight.detach().clone()
    assert_close(bundle.restore(1, kept).weight.detach(), before + 1)

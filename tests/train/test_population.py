"""A member of a population is trained as it would be alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from unifilter.data import load, splits
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config, UniFilter
from unifilter.train.config import Training
from unifilter.train.loop import Part, fit
from unifilter.train.population import Member, Population
from unifilter.train.run import class_weights

K = 4


@pytest.fixture(scope="module")
def problem():
    data = load("sbm:n=400,h=0.3,d=12,signal=2")
    inputs = Basis.of(data.graph, data.features(), K)
    y = torch.from_numpy(data.y.copy())
    draws = [splits.stratified(data.y, 0.5, 0.25, seed=0), splits.stratified(data.y, 0.3, 0.3, seed=1)]
    masks = [tuple(torch.from_numpy(np.flatnonzero(m)) for m in s[:2]) for s in draws]
    return inputs, y, masks


def alone(problem, member):
    inputs, y, masks = problem
    train, val = (Part(inputs.rows(i), y[i]) for i in masks[member.split])
    torch.manual_seed(member.training.seed)
    net = UniFilter(member.config, inputs.norm.shape[0], 5, member.h)
    weights = class_weights(train.y, 5) if member.training.class_weights else None
    return fit(net, train, val, member.training, weights=weights)


SHAPES = [
    {},
    {"batch_norm": True},
    {"layers": 3, "residual": True, "bias": True},
    {"per_column": True, "scale": "paper"},
    {"basis": "released", "tau": 0.7, "h": 0.3},
    {"basis": "released", "per_column": True},
    {"basis": "orthonormal", "tau": 0.0, "h": 0.0},
    {"tau": 0.4, "h": "estimate", "layers": 1},
    {"ego": True, "residual": True},
    {"row_norm": True, "ego": True, "batch_norm": True},
    {"start": "identity", "per_column": True},
    {"K": 2},
    {"hidden": 12, "residual": True},  # as wide as the features, which are padded
    {"hidden": 24, "residual": True, "ego": True},
    {"layers": 1, "residual": True, "hidden": 16},
]


@pytest.mark.parametrize("option", ["row_norm", "ego", "bias", "batch_norm", "residual", "per_column"])
def test_every_option_of_the_forward_pass_is_a_shape_of_its_own(option):
    default = getattr(Config(), option)
    one, other = (Member(Config(**{option: on}), Training(), 0) for on in (default, not default))
    assert one.shape != other.shape


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_members_train_together_as_they_would_alone(problem, shape):
    """Without dropout the same losses to rounding: rates, decays, splits, seeds and h all differ."""
    members = [
        Member(
            Config(**({"K": K, "hidden": 16, "dropout": 0.0} | shape)),
            Training(
                epochs=25, patience=100, lr=lr, weight_decay=wd, seed=seed, groups={"filter": {"lr": 2 * lr}}
            ),
            split,
            h,
        )
        for lr, wd, seed, split, h in [
            (0.01, 0.0, 0, 1, 0.3),
            (0.02, 1e-2, 1, 0, 0.5),
            (0.005, 1e-3, 2, 1, 0.8),
        ]
    ]
    population = Population(*problem, members, classes=5)
    population.advance(25)
    for member, score, i in zip(members, population.scores(), range(3), strict=True):
        outcome = alone(problem, member)
        assert score.epochs == 25
        assert score.loss == pytest.approx(outcome.loss, rel=1e-3)
        assert score.accuracy == pytest.approx(outcome.accuracy, abs=0.011)
        state = outcome.model.state_dict()
        for name, value in population.state(i).items():
            assert_close(value, state[name], rtol=2e-2, atol=2e-3)


def test_whether_classes_are_weighed_is_a_member_s_own_affair(problem):
    """With the frequencies of its own split; the validation loss is never weighed."""
    inputs, y, masks = problem
    rare = [(torch.cat([m[y[m] > 1], m[y[m] < 2][:9]]).sort().values, val) for m, val in masks]
    config = Config(K=K, hidden=16, dropout=0.0)
    members = [
        Member(config, Training(epochs=25, patience=100, class_weights=weighed), split, 0.3)
        for weighed, split in [(True, 0), (False, 0), (True, 1), (False, 1)]
    ]
    population = Population(inputs, y, rare, members, 5)
    population.advance(25)
    losses = []
    for member, score, place in zip(members, population.scores(), range(4), strict=True):
        outcome = alone((inputs, y, rare), member)
        assert score.loss == pytest.approx(outcome.loss, rel=1e-3)
        wanted = outcome.model.state_dict()["mlp.layers.0.weight"]
        assert_close(population.state(place)["mlp.layers.0.weight"], wanted, rtol=2e-2, atol=2e-3)
        losses.append(score.loss)
    assert losses[0] != pytest.approx(losses[1], rel=1e-2)
    assert losses[2] != pytest.approx(losses[3], rel=1e-2)


def test_members_stop_when_they_would_alone(problem):
    members = [
        Member(Config(K=K, hidden=16, dropout=0.0), Training(epochs=400, patience=patience, lr=lr), 0, 0.3)
        for patience, lr in [(5, 0.01), (30, 0.01), (20, 0.05)]
    ]
    population = Population(*problem, members, classes=5)
    population.advance(400)
    for member, score in zip(members, population.scores(), strict=True):
        outcome = alone(problem, member)
        assert score.epochs == len(outcome.history)
        assert score.best_epoch == outcome.best_epoch
    assert population.epoch < 400


@pytest.mark.parametrize("dropout", [{"dropout": 0.5}, {"basis_dropout": 0.5, "dropout": 0.0}])
def test_dropout_gives_the_same_distribution_of_accuracies(problem, dropout):
    """24 seeds together against 24 alone: means within three standard errors."""
    config = Config(K=K, hidden=16, **dropout)
    members = [Member(config, Training(epochs=30, patience=100, seed=s), 0, 0.3) for s in range(24)]
    population = Population(*problem, members, classes=5)
    torch.manual_seed(0)
    population.advance(30)
    together = np.array([s.accuracy for s in population.scores()])
    each = np.array([alone(problem, m).accuracy for m in members])
    error = np.sqrt(together.var() / 24 + each.var() / 24)
    assert abs(together.mean() - each.mean()) < 3 * error + 1e-6


def test_every_member_drops_at_its_own_rate(problem):
    """Beside one that drops nearly all, and when that has left, who drops nothing has its lone losses."""
    members = [
        Member(Config(K=K, hidden=16, dropout=rate), Training(epochs=10, patience=100), 0, 0.3)
        for rate in (0.9, 0.0)
    ]
    population = Population(*problem, members, classes=5, traces=True)
    population.advance(5)
    population.keep([1])
    population.advance(5)
    lone = alone(problem, members[1]).history
    for name in ("train_loss", "val_loss"):
        dropped, whole = ([epoch[name] for epoch in population.history(i)] for i in range(2))
        assert whole == pytest.approx([epoch[name] for epoch in lone], rel=1e-5)
        assert dropped != pytest.approx(whole[:5], rel=1e-2)


def test_inputs_are_spared_for_the_members_that_ask_for_it(problem):
    """A linear model has no other dropout: spared, it has the losses of one that drops nothing."""
    members = [
        Member(Config(K=K, layers=1, dropout=rate, drop_inputs=drops), Training(epochs=5), 0, 0.3)
        for rate, drops in ((0.9, True), (0.9, False), (0.0, True))
    ]
    population = Population(*problem, members, classes=5, traces=True)
    population.advance(5)
    dropped, spared, whole = ([e["train_loss"] for e in population.history(i)] for i in range(3))
    assert spared == pytest.approx(whole, rel=1e-6)
    assert dropped != pytest.approx(whole, rel=1e-2)
    lone = [e["train_loss"] for e in alone(problem, members[1]).history]
    assert spared == pytest.approx(lone, rel=1e-5)


def test_predictions_are_those_of_the_best_weights(problem):
    inputs, _, _ = problem
    members = [
        Member(Config(K=K, hidden=16, batch_norm=True), Training(seed=s), s % 2, 0.3) for s in range(4)
    ]
    population = Population(*problem, members, classes=5)
    population.advance(45)
    states = [population.state(i) for i in range(4)]
    index = [torch.arange(50), torch.arange(70, 100)]
    for i, logits in enumerate(population.predict(index)):
        net = UniFilter(members[i].config, inputs.norm.shape[0], 5)
        net.load_state_dict(states[i], strict=False)
        wanted = net.eval()(inputs.rows(index[members[i].split]))
        assert_close(logits, wanted, rtol=1e-3, atol=1e-4)
    population.advance(5)  # to look is not to end
    assert [score.epochs for score in population.scores()] == [50] * 4


def test_members_that_are_not_kept_stay_where_they_are(problem):
    members = [Member(Config(K=K, hidden=16), Training(seed=s), 0) for s in range(4)]
    population = Population(*problem, members, classes=5)
    population.advance(10)
    population.keep([1, 3])
    population.advance(10)
    assert [s.epochs for s in population.scores()] == [10, 20, 10, 20]


def test_members_that_left_are_as_they_would_be_alone(problem):
    """Whether others were kept or their patience ended: their best weights are from before that."""
    base = Training(epochs=30, lr=0.03, groups={"filter": {"lr": 0.02}})
    trainings = [replace(base, seed=s, patience=3 if s < 2 else 100) for s in range(4)]
    members = [Member(Config(K=K, hidden=16, dropout=0.0), t, 0, 0.3) for t in trainings]
    population = Population(*problem, members, classes=5)
    population.advance(10)
    population.keep([0, 1, 3])
    for _ in range(4):
        population.advance(5)
    scores = population.scores()
    left = [i for i in range(4) if scores[i].epochs < 30]
    assert 2 in left
    assert len(left) > 1
    for i, member in enumerate(members):
        cut = replace(member, training=replace(member.training, epochs=scores[i].epochs))
        wanted = alone(problem, cut)
        assert scores[i].best_epoch == wanted.best_epoch
        for name, value in population.state(i).items():
            assert_close(value, wanted.model.state_dict()[name], rtol=2e-2, atol=2e-3)


def test_weights_that_are_no_numbers_are_not_the_best(problem):
    inputs, y, masks = problem
    first = torch.where(torch.arange(y.numel()) % 4 == 0, y, 0)
    member = Member(Config(K=K, hidden=16), Training(lr=1e30), 0, 0.3)
    population = Population(inputs, first, masks, [member], classes=5)
    population.advance(6)
    score = population.scores()[0]
    assert score.best_epoch < 1
    assert np.isfinite(score.loss) == (score.best_epoch == 0) == (score.accuracy != -1)


def test_no_epoch_is_the_best_of_a_member_whose_loss_was_never_finite(problem):
    inputs, y, masks = problem
    V = inputs.V.clone()
    V[:, masks[0][1]] = torch.nan
    member = Member(Config(K=K, hidden=16), Training(), 0, 0.3)
    population = Population(replace(inputs, V=V), y, masks, [member], classes=5)
    population.advance(3)
    assert population.scores()[0].best_epoch == -1


def test_shapes_do_not_mix(problem):
    members = [Member(Config(K=K, hidden=h), Training(), 0) for h in (8, 16)]
    with pytest.raises(ValueError, match="one shape"):
        Population(*problem, members, classes=5)


def test_a_population_goes_on_from_its_tensors(problem):
    inputs, y, masks = problem
    members = [Member(Config(K=K, hidden=16), Training(seed=s), s % 2, 0.3) for s in range(4)]

    def fresh():
        return Population(inputs, y, masks, members, 5, traces=True)

    whole, first, second = fresh(), fresh(), fresh()
    whole.advance(10)
    whole.keep([0, 3])
    whole.advance(10)
    first.advance(10)
    first.keep([0, 3])
    second.restore({name: value.clone() for name, value in first.tensors().items()}, first.epoch)
    second.advance(10)
    assert second.scores() == whole.scores()
    assert second.history(3) == whole.history(3)
    assert len(second.history(1)) == 10


def test_whoever_is_out_of_patience_changes_no_more(problem):
    """Before they leave the batch, too: alone they would have stopped, and more patience would have paid."""
    config = Config(K=K, hidden=16, dropout=0.0)
    members = [Member(config, Training(seed=s, patience=1, epochs=19, lr=0.05), s % 2, 0.3) for s in range(6)]
    population = Population(*problem, members, 5)
    population.advance(19)  # nobody has left yet
    assert population.alive.numel() == 6
    paid = 0
    for place, (member, score) in enumerate(zip(members, population.scores(), strict=True)):
        lone = alone(problem, member)
        assert (score.best_epoch, score.epochs) == (lone.best_epoch, len(lone.history))
        assert score.accuracy == pytest.approx(lone.accuracy)
        state = lone.model.state_dict()
        for name, value in population.state(place).items():
            assert_close(value, state[name], rtol=2e-2, atol=2e-3)
        patient = alone(problem, replace(member, training=replace(member.training, patience=19)))
        paid += patient.best_epoch > lone.best_epoch
    assert paid >= 3  # else a stop that changes nothing would pass


def test_members_that_differ_in_where_w_begins_begin_apart(problem):
    inputs, y, masks = problem
    starts = ("uniform", "identity")
    members = [Member(Config(K=K, hidden=8, start=start), Training(), 0) for start in starts]
    w = Population(inputs, y, masks, members, 5).parameters["w"]
    assert_close(w[0], torch.full_like(w[0], 1 / (K + 1)))
    assert_close(w[1, :, 0], torch.eye(K + 1)[0])


def test_members_that_differ_in_their_seed_begin_apart(problem):
    members = [Member(Config(K=K, hidden=16), Training(seed=s), 0, 0.3) for s in (0, 1)]
    population = Population(*problem, members, 5)
    for place, member in enumerate(members):
        torch.manual_seed(member.training.seed)
        net = UniFilter(member.config, 12, 5, 0.3)
        assert_close(population.state(place)["mlp.layers.0.weight"], net.mlp.layers[0].weight.detach())


def test_running_statistics_are_torch_s(problem):
    member = Member(Config(K=K, hidden=16, dropout=0.0, batch_norm=True), Training(seed=0, epochs=15), 1, 0.3)
    population = Population(*problem, [member], 5)
    population.advance(15)
    wanted = alone(problem, member).model.state_dict()
    for name in ("mlp.norms.0.running_mean", "mlp.norms.0.running_var"):
        assert_close(population.state(0)[name], wanted[name], rtol=2e-4, atol=1e-6)


def test_without_validation_nodes_the_last_epoch_is_the_best(problem):
    inputs, y, masks = problem
    blind = [(masks[0][0], masks[0][1][:0]), masks[1]]
    members = [Member(Config(K=K, hidden=8), Training(lr=0.02, seed=1), split) for split in (0, 1)]
    population = Population(inputs, y, blind, members, 5)
    population.advance(30)
    first, second = population.scores()
    assert (first.accuracy, first.best_epoch) == (-1.0, 29)
    assert second.accuracy > 0
    other = population.predict([torch.arange(400)] * 2)[0].argmax(dim=1)
    assert (other == y)[masks[0][0]].float().mean() > 0.4  # trained, and not as it began


@pytest.mark.parametrize("change", [{"optimizer": "adamw"}, {"monitor": "loss"}, {"batch": 16}])
def test_what_a_population_cannot_train_is_refused(problem, change):
    with pytest.raises(ValueError, match="Adam"):
        Population(*problem, [Member(Config(K=K), Training(**change), 0)], 5)


def test_a_member_that_diverged_has_its_whole_history(problem):
    member = Member(Config(K=K, hidden=8), Training(lr=1e30), 0)
    population = Population(*problem, [member], 5, traces=True)
    population.advance(12)
    assert len(population.history(0)) == population.scores()[0].epochs == 12


def test_those_who_stay_go_on_as_if_nobody_had_left(problem):
    plain = Config(K=K, hidden=8, dropout=0.0)
    members = [Member(plain, Training(lr=0.02, seed=s, epochs=40), 0) for s in range(3)]
    whole, fewer = Population(*problem, members, 5), Population(*problem, members, 5)
    whole.advance(30)
    fewer.advance(10)
    fewer.keep([1])
    fewer.advance(20)
    assert fewer.scores()[1].loss == pytest.approx(whole.scores()[1].loss, rel=1e-4)

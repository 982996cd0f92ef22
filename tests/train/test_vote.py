"""The best few vote, on one V, and only as many as do better together."""

import numpy as np
import pytest
import torch

from unifilter.data import Dataset, load, splits
from unifilter.models.committee import Committee
from unifilter.train import vote
from unifilter.train.auto import choose
from unifilter.train.portfolio import PORTFOLIO
from unifilter.train.race import Clock, advance
from unifilter.train.race import Saved as NotSaved
from unifilter.train.run import class_weights
from unifilter.train.vote import AGAIN, STARTS, VOTERS, Candidate, Field, _together, elect, encore
from unifilter.trained import Trained


@pytest.fixture(scope="module")
def data() -> Dataset:
    plain = load("sbm:n=300,h=0.7,d=8,signal=1")
    return Dataset(plain.graph, np.abs(plain.X) * (plain.X > 0), plain.y)


SMALL = [
    s | {"options.hidden": 16, "options.K": 3, "training.epochs": 20, "training.patience": 20}
    for s in PORTFOLIO[:4]
]


def field(data, candidates, epochs=12, budget=None):
    clock = Clock(budget, None)
    found = Field(data, [splits.stratified(data.y)], [0.7], 3, torch.device("cpu"), clock)
    found.enter([Candidate(*c) for c in candidates])
    advance(found.groups, epochs, 0, clock, NotSaved(None))
    return found


def test_the_encore_trains_the_best_settings_on_the_winners_features(data):
    race = field(data, [(s, 5) for s in SMALL])
    how = race.scaling(race.ranked()[0][0])
    again = encore(race, 5)
    assert {s["preprocess"] for s, _, _ in again} == {how}
    assert {seed for _, seed, _ in again} == {5 + i for i in range(1, STARTS + 1)}
    assert len(again) == STARTS * min(AGAIN, sum(s["preprocess"] == how for s in SMALL))


def test_a_vote_is_the_mean_of_its_members(data):
    race = field(data, [(SMALL[0], seed) for seed in range(4)])
    elected = elect(race)
    assert isinstance(elected.net, Committee)
    best = race.ranked()
    for member, (number, _) in zip(elected.net.members, best, strict=False):
        group, place = race.place(number)
        for name, value in group.population.state(place).items():
            torch.testing.assert_close(member.state_dict()[name], value)
    val = race.masks[0][1]
    right = (elected.net(elected.inputs.rows(val)).argmax(dim=1) == race.y[val]).float().mean()
    assert float(right) >= best[0][1].accuracy - 1e-6


def test_every_race_has_voters_chosen_on_its_own_validation_nodes(data, monkeypatch):
    some = [splits.stratified(data.y, seed=s) for s in (0, 1)]
    races = Field(data, some, [0.7, 0.2], 3, torch.device("cpu"), Clock(None, None))
    races.enter([Candidate(SMALL[0], seed, race) for race in (0, 1) for seed in (0, 1)])
    advance(races.groups, 4, 0, races.clock, NotSaved(None))
    asked = []
    monkeypatch.setattr(vote, "_together", lambda nets, *given: asked.append((given[0].n, *given[1:])) or 1)
    for race, split in enumerate(some):
        elect(races, race)
        wanted = data.y[split.val]
        assert asked[race][1].tolist() == wanted.tolist()
        assert asked[race][2] is None
        assert sorted(c["seed"] for c in races.account(race)) == [0, 1]
    assert asked[0][1].tolist() != asked[1][1].tolist()


class Fixed:
    """A net whose logits are given."""

    def __init__(self, classes):
        self.logits = 9.0 * torch.eye(3)[torch.tensor(classes)]

    def __call__(self, inputs):
        return self.logits


def test_only_as_many_vote_as_do_best_together():
    y = torch.tensor([0, 1, 2, 0])
    good, other, bad = Fixed([0, 1, 2, 1]), Fixed([0, 1, 1, 0]), Fixed([1, 2, 0, 2])
    assert _together([good], None, y) == 1
    assert _together([good, bad, bad], None, y) == 1
    assert _together([good, good, bad], None, y) == 3  # equal counts: the more voters
    mixed = [good, other, Fixed([0, 0, 2, 0])]
    assert _together(mixed, None, y) == 3
    assert _together([good, other], None, y[:0]) == 2


def test_classes_weigh_in_the_choice_of_voters():
    y = torch.tensor([0, 1, 2, 0])
    usual, rare = Fixed([0, 1, 1, 0]), Fixed([1, 0, 2, 1])
    assert _together([usual, rare, rare], None, y) == 1
    assert _together([usual, rare, rare], None, y, torch.tensor([1.0, 1, 10])) == 3


def test_voters_are_chosen_with_the_weights_that_they_were_trained_with(data, monkeypatch):
    race, asked = field(data, [(SMALL[0] | {"training.class_weights": True}, 0)]), []
    monkeypatch.setattr(vote, "_together", lambda nets, inputs, y, weights: asked.append(weights) or 1)
    elect(race)
    torch.testing.assert_close(asked[0], class_weights(race.y[race.masks[0][0]], len(data.classes)))


def test_no_more_than_a_few_vote(data):
    race = field(data, [(SMALL[0], seed) for seed in range(VOTERS + 3)], epochs=3)
    net = elect(race).net
    assert len(getattr(net, "members", [net])) <= VOTERS


def test_members_of_fewer_hops_take_the_beginning_of_the_same_V(data):
    near = SMALL[0] | {"options.K": 1}
    race = field(data, [(near, 0), (SMALL[0], 1), (near, 2)])
    assert {g.population.inputs.K for g in race.groups} == {1, 3}
    elected = elect(race)
    best = race.ranked()
    hops = [race.candidates[n][0]["options.K"] for n, _ in best]
    found = [m.config.K for m in getattr(elected.net, "members", [elected.net])]
    assert found == hops[: len(found)]
    assert elected.inputs.K == elected.net.config.K


def test_a_lone_winner_of_fewer_hops_keeps_no_more_of_V(data):
    elected = elect(field(data, [(SMALL[0] | {"options.K": 1}, 0)]))
    assert elected.net.config.K == elected.inputs.K == 1


def test_without_time_there_is_no_encore(data):
    split = splits.stratified(data.y)
    result = choose(data, split, K=3, budget=0.001, portfolio=SMALL, device="cpu")
    assert all(c["seed"] == 0 for c in result.record.candidates)
    result = choose(data, split, K=3, budget=None, portfolio=SMALL[:2], device="cpu", epochs=10)
    assert {c["seed"] for c in result.record.candidates} == set(range(STARTS + 1))


def test_a_committee_survives_the_disk_and_meets_newcomers(data, tmp_path):
    result = choose(
        data, splits.stratified(data.y), K=3, budget=None, portfolio=SMALL[:2], device="cpu", epochs=10
    )
    trained = Trained.of(result, data)
    trained.save(tmp_path)
    again = Trained.load(tmp_path)
    np.testing.assert_allclose(again.predict_proba(), trained.predict_proba(), atol=1e-6)
    new = np.zeros((1, 8), np.float32), [[300, 300], [0, 7]]
    np.testing.assert_allclose(again.predict_new(*new), trained.predict_new(*new), atol=1e-6)


def test_an_election_leaves_the_random_numbers_of_the_caller(data):
    race = field(data, [(SMALL[0], seed) for seed in range(4)])
    torch.manual_seed(5)
    before = torch.get_rng_state()
    assert isinstance(elect(race).net, Committee)
    assert torch.equal(torch.get_rng_state(), before)

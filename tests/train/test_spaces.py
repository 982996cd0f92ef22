"""A search space for every model: whatever is drawn from it can be built and run."""

import json
import random
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from unifilter.data import load, preprocess
from unifilter.models import model_class, names
from unifilter.models._registry import configure
from unifilter.train import spaces
from unifilter.train.samplers import PAPER_SPACE, THINNED
from unifilter.train.spaces import space_of
from unifilter.train.trial import options_of, training_of

DRAWS = 20
DATA = load("sbm:n=60,h=0.7,classes=3,degree=6,d=5,seed=2")
every_model = pytest.mark.parametrize("name", names())


def built(name: str, setting: dict):
    """The model of a setting for the small graph, given whatever it asks for."""
    cls = model_class(name)
    extra = {"h": 0.5} if getattr(cls, "uses_homophily", False) else {}
    if getattr(cls, "uses_nodes", False):
        extra["nodes"] = DATA.n
    if getattr(cls, "uses_labels", False):
        extra["labels"] = torch.from_numpy(np.where(np.arange(DATA.n) % 2, DATA.y, -1))
    return cls(configure(name, options_of(setting)), DATA.d, 3, **extra)


def drawn(name: str, count: int = DRAWS) -> list:
    rng = random.Random(7)
    return [space_of(name).draw(rng) for _ in range(count)]


@every_model
def test_every_setting_makes_a_model_and_its_training(name):
    for setting in drawn(name):
        training = training_of(setting, seed=3)
        net = built(name, setting)
        assert training.seed == 3
        assert not hasattr(net, "solve") or not any(n.startswith(("training", "groups")) for n in setting)


@every_model
def test_a_setting_runs(name):
    for setting in drawn(name, 2):
        net, data = built(name, setting).train(), DATA
        if setting.get("preprocess", "none") != "none":
            data = data.preprocess(setting["preprocess"])
        cls = type(net)
        arcs = {"arcs": data.arcs} if getattr(cls, "uses_arcs", False) else {}
        logits = net(cls.prepare(data.graph, data.features(), net.config, **arcs))
        assert logits.shape == (DATA.n, 3)
        assert torch.isfinite(logits).all()


@every_model
def test_groups_are_those_of_the_model(name):
    setting = drawn(name, 1)[0]
    found = getattr(built(name, setting), "groups", dict)()
    for full in setting:
        if full.startswith("groups."):
            _, group, option = full.split(".")
            assert found.get(group), f"{name} has no parameters in a group {group}"
            assert option in ("lr", "weight_decay")


@every_model
def test_a_space_is_neither_a_point_nor_a_desert(name):
    space = space_of(name)
    assert 2 <= space.size <= 200_000
    assert all(len(values) == len(set(values)) > 0 for values in space.values.values())
    assert set(space.values.get("preprocess", [])) <= set(preprocess.NAMES)
    # Journals are lines of JSON, and what is read from one must be the same setting.
    assert json.loads(json.dumps(space.values)) == dict(space.values)


def test_unifilter_is_searched_as_in_its_paper():
    assert space_of("unifilter") is THINNED


def test_ablations_do_not_search_what_they_fix():
    shares = [n for n in THINNED.values if n.startswith("groups.shares")]
    assert shares
    assert set(space_of("hetfilter").values) == set(THINNED.values)  # it learns h
    for name in ("homfilter", "ortfilter"):
        assert set(THINNED.values) - set(space_of(name).values) == set(shares)


def test_a_model_without_ranges_gets_common_ones(monkeypatch):
    @dataclass(frozen=True)
    class Config:
        dropout: float = 0.5

    class Newcomer(torch.nn.Module):
        pass

    Newcomer.Config = Config
    monkeypatch.setattr(
        spaces, "model_class", lambda name: Newcomer if name == "newcomer" else model_class(name)
    )
    found = space_of("newcomer").values
    assert {"preprocess", "training.lr", "training.weight_decay", "options.dropout"} == set(found)


def test_what_is_searched_of_unifilter_is_a_part_of_the_papers_space():
    added = THINNED.values.keys() - PAPER_SPACE.values.keys()
    assert added == {"options.batch_norm"}
    assert all(set(THINNED.values[name]) <= set(values) for name, values in PAPER_SPACE.values.items())

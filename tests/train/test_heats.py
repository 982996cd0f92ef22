"""Heats halve as they go, and train each setting as a lone run would."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from unifilter.data import load, splits
from unifilter.models import model_class, names
from unifilter.models.sgc import SGC
from unifilter.train import heats as room
from unifilter.train import run
from unifilter.train.heats import Heats, Ladder
from unifilter.train.prepared import Prepared
from unifilter.train.trial import options_of, training_of


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=150,h=0.8,d=8,seed=3")


def heats(data, model, rungs=(8, 24), keep=0.5, count=2):
    pair = [splits.stratified(data.y, seed=s) for s in range(count)]
    return pair, Heats(Prepared(data, torch.device("cpu")), pair, model, Ladder(rungs, keep), 100, False)


def test_only_the_better_share_goes_on():
    ladder = Ladder([1, 2], keep=0.5)
    assert ladder.climb(0, [0.1, 0.4, 0.3, 0.2]) == [False, True, True, False]
    assert ladder.climb(0, [0.35, 0.15]) == [True, False]


@pytest.mark.parametrize("model", ["gcn", "unifilter", "logistic", "orderedgnn"])
def test_a_setting_scores_what_its_runs_score(model, data):
    settings = [{"preprocess": "row"}, {"preprocess": "none"}]
    if model != "logistic":
        settings = [s | {"training.lr": lr} for s, lr in zip(settings, (0.05, 1e-5), strict=True)]
        # Stacked or in a bundle it draws other masks.
        rates = [f.name for f in fields(model_class(model).Config) if "dropout" in f.name]
        settings = [s | {f"options.{rate}": 0.0 for rate in rates} for s in settings]
    pair, some = heats(data, model)
    trials = {t.number: t for found in some.run(list(enumerate(settings))) for t in found}
    assert set(trials) == {0, 1}
    for number, setting in enumerate(settings):
        trial = trials[number]
        scaled = data if trial.preprocess == "none" else data.preprocess(trial.preprocess)
        alone = []
        for k, split in enumerate(pair):
            training = training_of(setting, k, trial.epochs or 1, 100)
            alone.append(run(scaled, split, model, options_of(setting), training, device="cpu").record)
        mean = np.mean([r.scores["val"]["accuracy"] for r in alone])
        assert trial.accuracy == pytest.approx(mean, abs=1e-6)
        assert trial.model == model


def test_the_worse_half_ends_at_the_first_rung(data):
    settings = [{"training.lr": lr} for lr in (0.05, 1e-6)]
    _, some = heats(data, "gcn")
    trials = [t for found in some.run(list(enumerate(settings))) for t in found]
    assert [(t.epochs, t.finished) for t in trials] == [(24, True), (8, False)]


def test_settings_of_few_hops_take_v_of_the_longest(data, monkeypatch):
    hops, factorise = [], SGC.factorise

    def counted(graph, X, config, arcs=None):
        hops.append(config.K)
        return factorise(graph, X, config, arcs)

    monkeypatch.setattr(SGC, "factorise", counted)
    _, some = heats(data, "sgc", rungs=(1, 2))
    assert len(list(some.run([(i, {"options.K": K}) for i, K in enumerate((1, 4, 2))]))) > 0
    assert hops == [4]


def test_smaller_heats_where_memory_is_too_small(data, monkeypatch):
    sizes = []

    class Small(room.Crowd):
        def __init__(self, lanes):
            sizes.append(len(lanes))
            if len(lanes) > 2:
                raise torch.cuda.OutOfMemoryError("too many")
            super().__init__(lanes)

    monkeypatch.setattr(room, "Crowd", Small)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(room, "MOST", 8)
    _, some = heats(data, "gcn", rungs=(2, 4))
    found = [
        t.number
        for trials in some.run([(i, {"training.lr": 0.01 + 0.01 * i}) for i in range(4)])
        for t in trials
    ]
    assert found == [0, 1, 2, 3]
    assert sizes == [4, 2, 2]  # bundles, of two splits each


def test_every_model_can_be_searched(data):
    for model in names():
        if model in ("specformer", "wrgat"):
            continue  # their preparation is slow here, and nothing of it is the search's
        _, some = heats(data, model, rungs=(1, 2), count=1)
        (trials,) = some.run([(0, {})])
        assert np.isfinite(trials[0].accuracy), model
        assert trials[0].epochs == (0 if hasattr(model_class(model), "solve") else 2)

"""Published settings name what exists, so that no experiment silently runs on defaults."""

from dataclasses import fields
from pathlib import Path

import pytest
import torch

from unifilter.data import preprocess, splits
from unifilter.models import model_class, names
from unifilter.models._registry import configure
from unifilter.presets import settings_of
from unifilter.train import Training
from unifilter.train.entries import Entry

FOLDER = Path(__file__).parents[2] / "experiments" / "configs"
FILES = sorted(FOLDER.glob("*.toml"))
DATASETS = {"cora", "citeseer", "pubmed", "actor", "chameleon", "squirrel"}
DATASETS |= {"chameleon-filtered", "squirrel-filtered"}
PROTOCOLS = {"quota", "random", "fixed", "public"}
KEYS = {"preprocess", "options", "grid", "training", "printed", "note", "leak", "authors"}


def entries() -> list:
    """(model, dataset, protocol, settings) of every table in every file."""
    found = []
    for file in FILES:
        for dataset, protocols in settings_of(file).items():
            for protocol, settings in protocols.items() if isinstance(protocols, dict) else ():
                name = f"{file.stem}-{dataset}-{protocol}"
                found.append(pytest.param(file.stem, dataset, protocol, settings, id=name))
    return found


every_entry = pytest.mark.parametrize(("model", "dataset", "protocol", "settings"), entries())


def build(model: str, options: dict):
    """A model of some size, given whatever it asks for."""
    cls = model_class(model)
    extra = {"h": 0.5} if getattr(cls, "uses_homophily", False) else {}
    if getattr(cls, "uses_nodes", False):
        extra["nodes"] = 9
    if getattr(cls, "uses_labels", False):
        extra["labels"] = torch.arange(9) % 3
    return cls(configure(model, options), 6, 3, **extra)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_belongs_to_a_model_and_names_its_source(file):
    settings = dict(settings_of(file))
    assert file.stem in names()
    assert settings.pop("choice", "not published") == "not published"
    assert isinstance(settings.pop("source", None), str), "whose settings are these, or why are there none?"
    assert all(isinstance(table, dict) for table in settings.values())


@every_entry
def test_settings_are_for_a_known_graph_and_protocol(model, dataset, protocol, settings):
    assert dataset in DATASETS
    assert protocol in PROTOCOLS
    assert callable(getattr(splits, protocol))
    # Nothing but the citation graphs comes with a public split.
    assert protocol != "public" or dataset in {"cora", "citeseer", "pubmed"}
    assert settings.keys() <= KEYS
    assert settings["preprocess"] in preprocess.NAMES
    assert 0 < settings.get("printed", 50.0) < 100
    assert isinstance(settings.get("note", ""), str)


@every_entry
def test_the_authors_way_says_what_it_sees_too_much(model, dataset, protocol, settings):
    leak, way = settings.get("leak"), settings.get("authors", {})
    assert leak is None or len(leak) > 20, "what is seen that should not be?"
    assert not way or leak, "a way of their own without a leak is an option or a training"
    assert way.keys() <= {"protocol", "options", "ties", "printed"}
    # Their splits are named where the table is for others.
    assert way.get("protocol", "") in PROTOCOLS - {protocol} | {""}
    assert way.get("ties", "test") == "test"
    assert 0 < way.get("printed", 50.0) < 100
    # Whatever is added to the options is not in them, or the clean run would have it too.
    clean, theirs = settings.get("options", {}), way.get("options", {})
    assert not clean.keys() & theirs.keys()
    assert configure(model, clean | theirs) != configure(model, clean) or not theirs


@every_entry
def test_options_are_the_model_s_and_have_its_types(model, dataset, protocol, settings):
    options = settings.get("options", {})
    config = configure(model, options)
    default = configure(model, {})
    for name, value in options.items():
        assert getattr(config, name) == value
        before = getattr(default, name)
        if type(before) in (bool, int, float):
            allowed = (float, int, str) if type(before) is float else type(before)
            assert isinstance(value, allowed), f"{name} = {value!r}"
            assert type(before) is bool or not isinstance(value, bool), f"{name} = {value!r}"
    for point in Entry(model, options=options, grid=settings.get("grid", {})).points():
        assert point.preprocess in preprocess.NAMES
        configure(model, point.options)


@every_entry
def test_training_is_what_the_loop_can_do_with_the_model_s_own_groups(model, dataset, protocol, settings):
    training = Training(**settings.get("training", {}))
    assert {f.name for f in fields(Training)} >= settings.get("training", {}).keys()
    if training.groups:
        known = build(model, settings.get("options", {})).groups()
        assert training.groups.keys() <= known.keys()
    for group in training.groups.values():
        assert group.keys() <= {"lr", "weight_decay"}
        assert all(rate >= 0 for rate in group.values())

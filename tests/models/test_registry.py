import numpy as np
import pytest
import torch

from unifilter.models import _registry, create, model_class, names
from unifilter.models._registry import configure


def test_the_folder_is_the_catalogue():
    assert {"unifilter", "hetfilter", "mlp", "sgc"} <= set(names())
    assert not [n for n in names() if n.startswith("_")]


def test_a_file_registers_its_own_name():
    for name in names():
        assert model_class(name).name == name


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="unifilter"):
        model_class("unifliter")


def test_a_wrong_option_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean dropout"):
        configure("unifilter", {"droput": 0.5})


def test_create_passes_the_options_on():
    assert create("sgc", d=4, classes=2, K=7).config.K == 7


@pytest.mark.parametrize("name", names())
def test_every_model_can_be_created_with_what_its_graph_gives(name):
    given = {"nodes": 9, "homophily": 0.3, "labels": torch.zeros(9, dtype=torch.long)}
    model = create(name, d=4, classes=2, **given)
    assert isinstance(model, torch.nn.Module)


def test_what_a_graph_must_give_is_named():
    with pytest.raises(ValueError, match=r"linkx needs the graph's nodes"):
        create("linkx", d=4, classes=2)


def test_a_model_of_one_s_own_file_is_a_model_like_any_other(monkeypatch):
    monkeypatch.setattr(_registry, "_REGISTERED", dict(_registry._REGISTERED))
    cls = model_class("sgc")
    mine = type("Mine", (cls,), {})
    _registry.register("mine", cls.Config, cls.card)(mine)
    assert model_class("mine") is mine
    assert "mine" in names()
    assert isinstance(create("mine", d=4, classes=2), mine)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("gcn", {"hidden": -3}, "hidden of gcn must be at least 1, but is -3"),
        ("gcn", {"dropout": 1.5}, r"dropout of gcn must be in \[0, 1\)"),
        ("unifilter", {"layers": 0}, "layers of unifilter must be at least 1"),
        ("unifilter", {"basis_dropout": -0.1}, "basis_dropout"),
        ("sgc", {"K": -2}, "K of sgc must be at least 0"),
        ("gat", {"heads": 0}, "heads of gat"),
        ("gat", {"output_heads": 0}, "output_heads of gat must be at least 1"),
        ("linkx", {"A_layers": 0}, "A_layers of linkx must be at least 1"),
        ("orderedgnn", {"input_layers": 0}, "input_layers of orderedgnn must be at least 1"),
        ("gcnii", {"alpha": float("nan")}, "alpha of gcnii must be a finite number, but is nan"),
        ("asgc", {"R": -1.0}, "R and penalty must not be negative, but are -1 and 1"),
    ],
)
def test_rates_and_counts_that_mean_nothing_are_refused(name, options, said):
    with pytest.raises(ValueError, match=said):
        configure(name, options)


def test_a_whole_number_is_a_float_where_one_is_asked_for():
    assert isinstance(configure("gprgnn", {"alpha": 1}).alpha, float)


@pytest.mark.parametrize(
    ("model", "option", "value"),
    [
        ("unifilter", "basis", "foo"),
        ("unifilter", "scale", "sginal"),
        ("unifilter", "bias", "no"),
        ("unifilter", "K", 2.5),
        ("unifilter", "K", True),
        ("unifilter", "tau", None),
        ("acmgcn", "variant", "acn"),
        ("gcn", "layers", "2"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(model, option, value):
    with pytest.raises(ValueError, match=f"option {option} of {model} must be .*, but is {value}"):
        configure(model, {option: value})


def test_values_of_the_right_kind_are_taken_from_wherever_they_come():
    assert configure("unifilter", {"K": np.int64(3), "bias": np.bool_(True)}).K == 3
    assert configure("logistic", {"C": [0.1, 1.0]}).max_iter == 1000
    assert configure("unifilter", {"tau": "learn", "dropout": 0}).dropout == 0.0

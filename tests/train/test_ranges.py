"""The ranges as data: for models that exist, of options that exist."""

from dataclasses import fields

import pytest

from unifilter.models import model_class, names
from unifilter.train.ranges import COMMON, FILTERS, FLOORS, NETWORKS

ALL = FILTERS | NETWORKS | FLOORS
TRAINING = {"preprocess", "lr", "weight_decay", "optimizer"}


def test_no_model_stands_twice():
    assert len(ALL) == len(FILTERS) + len(NETWORKS) + len(FLOORS)


def test_ranges_belong_to_models_that_have_no_space_elsewhere():
    assert set(ALL) <= set(names()) - {"unifilter", "hetfilter", "homfilter", "ortfilter"}


@pytest.mark.parametrize("name", sorted(ALL))
def test_an_option_is_one_of_the_model(name):
    options = {f.name for f in fields(model_class(name).Config)}
    for given in ALL[name]:
        assert given in options | TRAINING or given.rpartition(".")[2] in ("lr", "weight_decay")


@pytest.mark.parametrize("name", sorted(ALL))
def test_what_a_solver_ignores_is_not_searched(name):
    if hasattr(model_class(name), "solve"):
        assert not {n for n in ALL[name] if n in TRAINING - {"preprocess"} or "." in n}


def test_common_ranges_hold_the_usual_defaults():
    assert 0.01 in COMMON["lr"]
    assert 5e-4 in COMMON["weight_decay"]
    assert 0.5 in COMMON["dropout"]

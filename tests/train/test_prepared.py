"""Inputs are shared by the settings they do not depend on, and by no others."""

from dataclasses import fields, replace

import pytest
import torch

from unifilter.data import load
from unifilter.models import model_class, names
from unifilter.train.prepared import Prepared
from unifilter.train.run import prepare

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=80,h=0.7,d=6,seed=1")


def tensors(value):
    """Every tensor inside inputs."""
    if isinstance(value, torch.Tensor):
        return [value.to_dense() if value.layout != torch.strided else value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors(v)]
    if isinstance(value, list | tuple):
        return [t for v in value for t in tensors(v)]
    return tensors(vars(value)) if hasattr(value, "__dict__") else []


@pytest.mark.parametrize("name", names())
def test_what_is_shared_is_what_would_have_been_made(name, data):
    config = model_class(name).Config()
    prepared = Prepared(data, CPU)
    shared = tensors(prepared(name, "none", config))
    alone = tensors(prepare(data, name, config, CPU))
    assert len(shared) == len(alone)
    assert all(
        torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)) for a, b in zip(shared, alone, strict=True)
    )


@pytest.mark.parametrize("name", names())
def test_dropout_and_width_change_no_inputs(name, data):
    config = model_class(name).Config()
    other = replace(config, **{f.name: 0.3 for f in fields(config) if f.name == "dropout"})
    prepared = Prepared(data, CPU)
    assert prepared(name, "none", config) is prepared(name, "none", other)


def test_hops_and_scaling_do(data):
    config = model_class("sgc").Config(K=2)
    prepared = Prepared(data, CPU)
    first = prepared("sgc", "none", config)
    assert prepared("sgc", "none", replace(config, K=3)) is not first
    assert prepared("sgc", "row", config) is not first
    assert prepared("sgc", "none", replace(config, K=2)) is first

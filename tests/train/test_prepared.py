"""Inputs are shared by the settings they do not depend on, and by no others."""

from dataclasses import fields, replace

import pytest
import torch
from torch.testing import assert_close

from unifilter.data import load
from unifilter.graph import Propagation
from unifilter.models import model_class, names
from unifilter.models._operators import Sparse
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


FROM_V = [name for name in names() if hasattr(model_class(name), "factorise")]


@pytest.fixture
def products(monkeypatch):
    """The hops of every factorisation and a 1 for every plain product with P, as they come."""
    done = []

    def watch(owner, name, hops):
        plain = getattr(owner, name)

        def counted(*given, **options):
            done.append(hops(given))
            return plain(*given, **options)

        monkeypatch.setattr(owner, name, counted)

    watch(Propagation, "three_term", lambda given: given[2].shape[0] - 1)
    watch(Propagation, "__matmul__", lambda given: 1)
    watch(Sparse, "__matmul__", lambda given: 1)
    return done


def test_hops_of_fixed_features_come_from_v():
    assert FROM_V == ["asgc", "sgc", "sign"]


@pytest.mark.parametrize("name", FROM_V)
def test_fewer_hops_need_no_further_product(name, data, products):
    prepared, Config = Prepared(data, CPU), model_class(name).Config
    prepared(name, "none", Config(K=5))
    assert products == [5]
    fewer = [prepared(name, "none", Config(K=K)).X for K in (2, 0, 4)]
    assert products == [5]
    for K, found in zip((2, 0, 4), fewer, strict=True):
        assert_close(found, prepare(data, name, Config(K=K), CPU).X)


@pytest.mark.parametrize("name", FROM_V)
def test_more_hops_another_p_and_another_scaling_do(name, data, products):
    prepared, Config = Prepared(data, CPU), model_class(name).Config
    prepared(name, "none", Config(K=2))
    prepared(name, "none", Config(K=3))
    prepared(name, "row", Config(K=1))
    assert products == [2, 3, 1]
    if name != "asgc":
        found = prepared(name, "none", Config(K=1, self_loops=False)).X
        assert products == [2, 3, 1, 1]
        assert_close(found, prepare(data, name, Config(K=1, self_loops=False), CPU).X)


def test_settings_that_are_foreseen_share_one_v(data, products):
    prepared, Config = Prepared(data, CPU), model_class("sgc").Config
    prepared.foresee([Config(K=1), Config(K=4), Config(K=2)])
    for K in (1, 4, 2):
        prepared("sgc", "none", Config(K=K))
    assert products == [4]


def test_models_with_the_same_p_do_not_take_each_other_s_inputs(data):
    """Of SGC and SIGN the same options are read."""
    prepared = Prepared(data, CPU)
    for name in FROM_V:
        config = model_class(name).Config(K=2)
        assert_close(prepared(name, "none", config).X, prepare(data, name, config, CPU).X)


def test_the_strength_of_asgc_changes_no_v(data, products):
    prepared, Config = Prepared(data, CPU), model_class("asgc").Config
    weak, strong = (prepared("asgc", "none", Config(K=3, R=R)) for R in (1e-4, 1.0))
    assert weak is not strong
    assert products == [3]


def test_only_the_longest_v_is_kept_and_its_seconds_count(data):
    prepared, Config = Prepared(data, CPU), model_class("sgc").Config
    for K in (1, 3, 2):
        prepared("sgc", "none", Config(K=K))
    (kept,) = prepared._bases
    assert kept.what.K == 3
    assert prepared.timed("sgc", "none", Config(K=2))[1] > kept.seconds

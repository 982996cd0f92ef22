"""The same seed gives the same bits, in every precision, on a CPU and on a GPU."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from unifilter.data import load, splits
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config
from unifilter.train import Training, run
from unifilter.train.population import Member, Population

CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")
DEVICES = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=CUDA)])
OPTIONS = {"K": 4, "hidden": 32, "dropout": 0.3, "basis_dropout": 0.2}


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=600,h=0.3,d=24,signal=2")


DEEP = OPTIONS | {"batch_norm": True, "layers": 3}
WAYS = [{}, {"mixed_precision": True}, {"batch": 100}]
CASES = [
    (m, o, way, False) for m, o in [("unifilter", OPTIONS), ("unifilter", DEEP), ("gcn", {})] for way in WAYS
]
CASES += [("unifilter", OPTIONS, {}, True)]


@DEVICES
@pytest.mark.parametrize(("model", "options", "way", "half"), CASES)
def test_two_runs_with_one_seed_are_the_same_to_the_last_bit(data, device, model, options, way, half):
    def once(seed):
        training = Training(epochs=8, seed=seed, **way)
        return run(data, splits.stratified(data.y), model, options, training, half=half, device=device)

    first, second, other = once(3), once(3), once(4)
    assert first.history == second.history
    np.testing.assert_array_equal(first.p, second.p)
    for name, value in first.model.state_dict().items():
        assert torch.equal(value, second.model.state_dict()[name]), name
    assert not np.array_equal(first.p, other.p)


@DEVICES
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16], ids=str)
def test_two_populations_with_one_seed_are_the_same_to_the_last_bit(data, device, kind):
    inputs = Basis.of(data.graph, data.features().to(device), 4)
    inputs = replace(inputs, V=inputs.V.to(kind))
    y = torch.from_numpy(data.y.copy()).to(device)
    split = splits.stratified(data.y)
    masks = [tuple(torch.from_numpy(np.flatnonzero(m)).to(device) for m in split[:2])]
    members = [Member(Config(**OPTIONS), Training(seed=s), 0, 0.3) for s in range(3)]

    def once():
        torch.manual_seed(0)
        population = Population(inputs, y, masks, members, 5, traces=True)
        population.advance(8)
        return population

    first, second = once(), once()
    assert first.scores() == second.scores()
    for member in range(3):
        assert first.history(member) == second.history(member)
        for name, value in first.state(member).items():
            assert torch.equal(value, second.state(member)[name]), name

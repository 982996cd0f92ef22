"""The model that the documentation writes out works as it stands."""

import re
import sys
import types
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close
from torch_geometric.nn import APPNP

from helpers import dense
from unifilter.data import load, splits
from unifilter.models import _registry, create, model_class
from unifilter.train import Training, run

DOC = Path(__file__).parents[1] / "docs" / "adding_a_model.md"


@pytest.fixture(autouse=True)
def appnp(monkeypatch):
    (text,) = re.findall(r"```python\n(.*?)```", DOC.read_text(), flags=re.DOTALL)
    module = types.ModuleType("unifilter.models.appnp")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(_registry, "_files", lambda: ("appnp",))
    exec(compile(text, str(DOC), "exec"), module.__dict__)
    yield module
    del _registry._REGISTERED["appnp"]


def test_it_is_trained_as_any_other():
    data = load("sbm:n=200,h=0.9,d=6")
    record = run(data, splits.stratified(data.y), "appnp", {"K": 4}, Training(epochs=60), device="cpu").record
    assert model_class("appnp").card.year == 2019
    assert record.scores["test"]["accuracy"] > 0.7


def test_it_walks_as_pytorch_geometrics_does():
    data = load("sbm:n=150,h=0.7,d=5")
    model = create("appnp", d=5, classes=3, K=6, alpha=0.2).double().eval()
    X = data.features().double()
    a, b = (torch.from_numpy(e.copy()) for e in data.graph.edges()[:2])
    both = torch.stack([torch.cat([a, b]), torch.cat([b, a])])
    wanted = APPNP(6, 0.2)(model.mlp(X), both)
    assert_close(model(model.prepare(data.graph, X, model.config)), wanted)
    P, H = dense(data.graph, True), model.mlp(X)
    walked = H
    for _ in range(6):
        walked = 0.8 * P @ walked + 0.2 * H
    assert_close(walked, wanted)

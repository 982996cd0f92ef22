"""An epoch asks the host for nothing, so that a GPU can record it once and replay it."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from unifilter.data import load, splits
from unifilter.data.dataset import Dataset
from unifilter.kernels import spmm as kernels
from unifilter.models import model_class, names
from unifilter.models._registry import configure
from unifilter.train import Training
from unifilter.train.beside import Job, lanes_of
from unifilter.train.prepared import Prepared
from unifilter.train.run import begin
from unifilter.train.spaces import space_of

PLANTED = load("sbm:n=80,h=0.7,classes=3,degree=6,d=6,seed=2")
DATA = Dataset(PLANTED.graph, PLANTED.features().numpy(), PLANTED.y, arcs=np.stack(PLANTED.graph.edges()))
TRAINED = [n for n in names() if not hasattr(model_class(n), "solve")]
KERNELS = (
    "spmm",
    "mix",
    "correlate",
    "mix_dropped",
    "correlate_dropped",
    "dropout",
    "weighted",
    "sampled",
    "softmax",
)
# Operations whose result the host must wait for: a number, or a shape that depends on the data.
ASKS = {"_local_scalar_dense", "nonzero", "masked_select", "_unique2", "unique_dim", "bincount", "lift_fresh"}
# The gradients of products look for zeros, and solvers whether they succeeded.
ASKS |= {"cumprod", "prod", "_linalg_solve_ex", "linalg_lu_factor_ex", "linalg_inv_ex", "linalg_cholesky_ex"}
# What no search space has.
MORE = [
    ("unifilter", {"basis_dropout": 0.5}),
    ("unifilter", {"tau": 0.3, "h": "estimate", "basis": "released", "per_column": True}),
    ("gnnlf", {"closed": True}),
    ("dirgnn", {"learn_alpha": True, "self_loops": True}),
    ("optbasis", {"eval_noise": True}),
    ("glognn", {"double": True}),
    ("gat", {"output_elu": True}),
    ("gprgnn", {"directed": True}),
    ("gcn", {"directed": True, "data_loops": True, "average": True}),
    ("correctandsmooth", {"scale": 1.5}),
]


class Deaf(TorchDispatchMode):
    """Refuses whatever would make the host wait for a GPU, or copy to it."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run what a recording can hold."""
        name = func.overloadpacket.__name__
        if name in ASKS:
            raise AssertionError(f"{name} asks the host")
        if name in ("index", "index_put", "index_put_"):
            masks = [i for i in args[1] if i is not None and i.dtype in (torch.bool, torch.uint8)]
            assert not masks, f"{name} with a mask asks the host how many there are"
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def recording(monkeypatch):
    """Tensors made without a device would be on the host: here they have no data, and any use fails."""

    def plain(kernel):
        def call(*args):  # the kernels of a CPU are host code; those of a GPU have tests of their own
            with _disable_current_modes(), torch.device("cpu"):
                return kernel(*args)

        return call

    with monkeypatch.context() as patch:
        for name in KERNELS:
            patch.setattr(kernels, name, plain(getattr(kernels, name)))
        given = torch.as_tensor  # it would take the default device although it has a tensor
        patch.setattr(torch, "as_tensor", lambda x, **more: given(x, **{"device": x.device} | more))
        with torch.device("meta"), Deaf():
            yield


def drawn() -> list:
    """The default options of every model, and a point of its search space."""
    found = [pytest.param(name, {}, id=name) for name in TRAINED]
    for name in TRAINED:
        setting = space_of(name).draw(random.Random(5))
        options = {n.removeprefix("options."): v for n, v in setting.items() if n.startswith("options.")}
        found.append(pytest.param(name, options, id=f"{name}-drawn"))
    return found + [pytest.param(*more, id="-".join([more[0], *more[1]])) for more in MORE]


def start(name: str, options: dict):
    """A model and its inputs, as ``run`` builds them."""
    return begin(DATA, splits.stratified(DATA.y), name, options, Training(), device="cpu")


def epoch(model, train, val) -> None:
    """A step without the optimiser, and a look at the validation nodes."""
    model.train()
    cross_entropy(model(train.inputs).float(), train.y).backward()
    model.eval()
    with torch.no_grad():
        model(val.inputs)


@pytest.mark.parametrize(("name", "options"), drawn())
def test_an_epoch_asks_the_host_for_nothing(name, options, monkeypatch):
    configure(name, options)
    one = start(name, options)
    if getattr(one.net, "unrecordable", None):
        assert isinstance(one.net.unrecordable, str), "why not?"
        return
    epoch(one.net, one.train, one.val)  # what is computed once is computed before a recording
    with recording(monkeypatch):
        epoch(one.net, one.train, one.val)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize(("name", "options"), drawn())
def test_a_gpu_records_an_epoch(name, options):
    job = Job(splits.stratified(DATA.y), options, Training())
    (one,), (lane,) = lanes_of(Prepared(DATA, torch.device("cuda")), name, [job])
    with torch.cuda.stream(torch.cuda.Stream()):
        lane.warm_up(3)
        lane.go()
    torch.cuda.synchronize()
    assert lane.unrecorded == getattr(one.net, "unrecordable", None)


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: float(x.sum()),
        lambda x: x[x > 0],
        lambda x: x.nonzero(),
        lambda x: x * torch.tensor([0.5]),
        lambda x: x + torch.arange(3.0).to(x.device),
        lambda x: x * int(torch.randint(9, ())),
        lambda x: x.unique(),
        lambda x: torch.cumprod(x, 0),
        lambda x: torch.linalg.solve(torch.diag(x), x),
    ],
)
def test_this_test_hears_a_question(ask, monkeypatch):
    x = torch.ones(3, requires_grad=True)
    with pytest.raises((AssertionError, RuntimeError, NotImplementedError)), recording(monkeypatch):
        ask(x)

"""Which filters each model can learn: BernNet's experiment, for every model with a response.

On a grid, whose spectrum is symmetric about 1, a signal that holds every frequency in equal measure is
filtered exactly, with the eigenvectors. The model's own parameters are then fitted to the result.
"""

import inspect
import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.models import model_class, names

TARGETS = {
    "low": lambda lam: torch.exp(-10 * lam**2),
    "high": lambda lam: 1 - torch.exp(-10 * lam**2),
    "band": lambda lam: torch.exp(-10 * (lam - 1) ** 2),
    "comb": lambda lam: torch.sin(math.pi * lam).abs(),
}

# What must come of the fit, by target:
#   best   the error of the best polynomial of degree 10, found by least squares
#   0.02   a relative error below this one: the filter is bound to be more than a polynomial, or less free
#   never  more than ten times the best error: filters of this kind do not hold the target
#   fixed  nothing is learned
TABLE = """
             low    high   band   comb
sgc          fixed  fixed  fixed  fixed   P^K and nothing else
gnnlf        fixed  fixed  fixed  fixed   its coefficients are options
gnnhf        fixed  fixed  fixed  fixed
gprgnn       best   best   best   best    free weights
jacobiconv   best   best   best   best
optbasis     best   best   best   best
unifilter    best   best   best   best    free weights, whatever tau and h
homfilter    best   best   best   best
hetfilter    best   best   best   best
ortfilter    best   best   best   best
favard       0.03   0.01   best   best    free too, but the basis moves with the weights
evennet      never  never  best   best    symmetric about lambda = 1
chebnetii    0.02   best   0.06   best    not negative at the nodes
bernnet      0.15   0.02   0.20   0.25    not negative anywhere, and smoothed
specformer   0.10   0.10   0.10   0.20    no polynomial: a value for every eigenvalue
"""
LEARNS = {
    row.split()[0]: dict(zip(TARGETS, row.split()[1:5], strict=True)) for row in TABLE.split("\n")[2:-1]
}
# The layers around the filter, and options that leave one column to it.
AROUND = {"sgc": ["head"], "jacobiconv": ["linear"]} | {
    name: ["first", "second"] for name in ("favard", "optbasis", "specformer")
}
OPTIONS = {"favard": {"hidden": 1}, "optbasis": {"hidden": 1}, "specformer": {"hidden": 16}}
ITERATIONS = {"optbasis": 60, "specformer": 40}  # the slow ones

SPECTRAL = [name for name in names() if hasattr(model_class(name), "response")]


class Bench:
    """A model whose layers pass their input on, so that it is its filter, and the spectrum it filters on."""

    def __init__(self, name: str) -> None:
        assert name in LEARNS, f"{name} has a response: say in TABLE what it can learn."
        self.name, cls = name, model_class(name)
        config = cls.Config(**OPTIONS.get(name, {}))
        graph = grid(8)
        eye = torch.eye(graph.n, dtype=torch.float64)
        self.lam, self.U = torch.linalg.eigh(eye - dense(graph, getattr(config, "self_loops", False)))
        # Not negative, as some models have a ReLU before the filter.
        self.X = torch.rand(graph.n, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        self.inputs = cls.prepare(graph, self.X, config)
        torch.manual_seed(0)
        self.model = cls(config, 1, 1).double().eval()
        for layer in AROUND.get(name, ["mlp"]):
            setattr(self.model, layer, nn.Identity())

    def response(self) -> torch.Tensor:
        """g at every eigenvalue, (n,)."""
        wants_inputs = "inputs" in inspect.signature(self.model.response).parameters
        given = (self.lam, self.inputs) if wants_inputs else (self.lam,)
        return self.model.response(*given).reshape(-1)

    def fit(self, target: str) -> float:
        """The relative error after fitting the exactly filtered signal."""
        x = self.U.sum(dim=1)
        y = self.U @ (TARGETS[target](self.lam) * (self.U.T @ x))
        optimizer = torch.optim.LBFGS(
            self.model.parameters(),
            max_iter=ITERATIONS.get(self.name, 200),
            history_size=50,
            tolerance_grad=1e-12,
            tolerance_change=1e-14,
            line_search_fn="strong_wolfe",
        )

        def loss():
            optimizer.zero_grad()
            error = torch.linalg.vector_norm(self.U @ (self.response() * (self.U.T @ x)) - y) ** 2
            error.backward()
            return error

        optimizer.step(loss)
        return float(loss().detach().sqrt() / torch.linalg.vector_norm(y))

    def best(self, target: str, degree: int = 10) -> float:
        """The relative error of the best polynomial."""
        basis = np.polynomial.chebyshev.chebvander(1 - self.lam.numpy(), degree)
        wanted = TARGETS[target](self.lam).numpy()
        found = basis @ np.linalg.lstsq(basis, wanted, rcond=None)[0]
        return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def grid(side: int) -> Graph:
    ids = np.arange(side * side).reshape(side, side)
    pairs = [(ids[:, :-1], ids[:, 1:]), (ids[:-1], ids[1:])]
    return Graph.from_edges(np.concatenate([np.stack([u.ravel(), v.ravel()]) for u, v in pairs], axis=1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SPECTRAL)
def test_it_learns_what_a_filter_of_its_kind_can(name, target):
    bench = Bench(name)
    verdict, best = LEARNS[name][target], bench.best(target)
    if verdict == "fixed":
        assert not bench.response().requires_grad
        return
    error = bench.fit(target)
    if verdict == "best":
        assert error < 1.1 * best + 1e-3
    elif verdict == "never":
        assert error > 10 * best
    else:
        assert error < float(verdict)
    if bench.model.card.kind == "polynomial filter":  # and no polynomial of this degree can do better
        assert error > best * (1 - 1e-6)
    # What was fitted is what the network does to a signal.
    wanted = bench.U @ (bench.response()[:, None] * (bench.U.T @ bench.X))
    assert_close(bench.model(bench.inputs), wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in LEARNS if "fixed" in LEARNS[name].values()])
def test_a_fixed_filter_is_its_response_too(name):
    bench = Bench(name)
    wanted = bench.U @ (bench.response()[:, None] * (bench.U.T @ bench.X))
    assert_close(bench.model(bench.inputs), wanted)


def test_the_table_lists_every_model_with_a_response():
    assert set(LEARNS) == set(SPECTRAL)

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.models import gnnlf
from unifilter.models.gnnhf import GNNHF, Config


def test_the_closed_form_is_the_formula_of_the_paper(graph, X):
    a, beta = 0.2, 1.3
    config = Config(alpha=a, beta=beta, closed=True, hidden=6)
    model = GNNHF(config, X.shape[1], 3).double().eval()
    P, eye = dense(graph, self_loops=True), torch.eye(graph.n, dtype=torch.float64)
    H = model.mlp(X)
    Z = torch.linalg.solve((beta + 1 / a) * eye + (1 - beta - 1 / a) * P, H + beta * (eye - P) @ H)
    assert_close(model(GNNHF.prepare(graph, X, config)), Z, rtol=1e-10, atol=1e-12)


def test_without_high_frequencies_it_is_appnp(graph, X):
    """beta = 0 here and mu = 1 in GNN-LF are the same filter, that of PyTorch Geometric's APPNP."""
    from torch_geometric.nn import APPNP

    edges = (
        torch.from_numpy(graph.to_scipy().tocoo().coords[0]),
        torch.from_numpy(graph.to_scipy().tocoo().coords[1]),
    )
    weights = torch.from_numpy(graph.to_scipy().tocoo().data)
    wanted = APPNP(K=300, alpha=0.2)(X, torch.stack(edges).long(), weights)
    for c in (
        GNNHF.coefficients(Config(alpha=0.2, beta=0.0)),
        gnnlf.GNNLF.coefficients(gnnlf.Config(alpha=0.2, mu=1.0)),
    ):
        P, eye = dense(graph, self_loops=True), torch.eye(graph.n, dtype=torch.float64)
        Z = c.alpha * torch.linalg.solve(eye - c.factor * P, c.identity * X + c.neighbours * (P @ X))
        assert_close(Z, wanted, rtol=1e-9, atol=1e-11)


def test_it_keeps_more_of_the_high_frequencies_than_the_low_pass_model():
    lam = torch.linspace(0.5, 2, 20, dtype=torch.float64)
    low = gnnlf.GNNLF(gnnlf.Config(closed=True), 4, 2).response(lam)
    assert (GNNHF(Config(closed=True), 4, 2).response(lam) > low).all()


@pytest.mark.parametrize("bad", [{"alpha": 1.1}, {"alpha": 0.0}, {"beta": -0.1}])
def test_numbers_outside_the_paper_are_refused(bad):
    with pytest.raises(ValueError, match="must"):
        Config(**bad)

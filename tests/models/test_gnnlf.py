from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.models.gnnlf import GNNLF, Config


def test_the_closed_form_is_the_formula_of_the_paper(graph, X):
    a, mu = 0.2, 0.6
    config = Config(alpha=a, mu=mu, closed=True, hidden=6)
    model = GNNLF(config, X.shape[1], 3).double().eval()
    P, eye = dense(graph, self_loops=True), torch.eye(graph.n, dtype=torch.float64)
    H = model.mlp(X)
    Z = torch.linalg.solve((mu + 1 / a - 1) * eye + (2 - mu - 1 / a) * P, (mu * eye + (1 - mu) * P) @ H)
    assert_close(model(GNNLF.prepare(graph, X, config)), Z, rtol=1e-10, atol=1e-12)


def test_it_minimises_the_objective_that_it_was_derived_from(graph, X):
    """(mu) ||Z - H||^2 + (1 - mu) <Z - H, P (Z - H)> + (1/alpha - 1) <Z, L Z> has gradient 0 at Z."""
    a, mu = 0.3, 0.8
    c = GNNLF.coefficients(Config(alpha=a, mu=mu))
    P, eye = dense(graph, self_loops=True), torch.eye(graph.n, dtype=torch.float64)
    Z = c.alpha * torch.linalg.solve(eye - c.factor * P, c.identity * X + c.neighbours * (P @ X))
    Z.requires_grad_(True)
    near = mu * (Z - X).square().sum() + (1 - mu) * ((Z - X) * (P @ (Z - X))).sum()
    smooth = (1 / a - 1) * (Z * (Z - P @ Z)).sum()
    (gradient,) = torch.autograd.grad(near + smooth, Z)
    assert_close(gradient, torch.zeros_like(gradient), rtol=0, atol=1e-10)


def test_it_passes_low_frequencies_and_stops_high_ones():
    model = GNNLF(Config(K=50), 4, 2)
    g = model.response(torch.linspace(0, 1.5, 20, dtype=torch.float64))
    assert g[0] == pytest.approx(1, abs=0.05)
    assert (g.diff() < 0).all()


@pytest.mark.parametrize("bad", [{"alpha": 0.7}, {"alpha": 0.0}, {"mu": 0.4}, {"mu": 1.1}])
def test_numbers_outside_the_paper_are_refused(bad):
    with pytest.raises(ValueError, match="must lie in"):
        Config(**bad)

"""What goes into the report, against the model itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from helpers import dense
from unifilter import Training, bases, run, splits
from unifilter.cli.report import basis_frequencies, filter_response, fit_report
from unifilter.data.embedded import build
from unifilter.krylov import mix

OPTIONS = {"K": 4, "hidden": 8}


@pytest.fixture(scope="module")
def data():
    return build("sbm:n=120,h=0.3,d=5")


@pytest.fixture(scope="module")
def split(data):
    return splits.stratified(data.y)


@pytest.fixture(scope="module")
def result(data, split):
    return run(data, split, "unifilter", OPTIONS, Training(epochs=15))


def test_the_report_holds_what_came_out(data, split, result):
    found = fit_report(data, split, result)
    assert found.record is result.record
    assert_array_equal(found.p, result.p)
    assert_array_equal(found.masks["test"], split.test)
    assert found.weights.shape == (5,)
    assert found.ids is None
    assert found.analysis.n == 120


def test_of_a_committee_the_first_member_is_shown_however_few_its_hops(data, split):
    members = ({"K": 2, "hidden": 8}, {"hidden": 4})
    result = run(data, split, "committee", {"K": 4, "members": members}, Training(epochs=5))
    found = fit_report(data, split, result)
    alone = result.inputs.first(2)
    assert_allclose(found.frequencies, basis_frequencies(data, result.model.members[0], alone))
    assert found.weights.shape == found.frequencies.shape == (3,)
    assert_allclose(found.response.g, filter_response(result.model.members[0], alone).g)


def test_the_analysis_is_of_the_scaled_features(data, split, result):
    scaled = replace(data, X=data.X * np.array([100, 1, 1, 1, 1], np.float32))
    found = fit_report(data, split, result, scaled).analysis
    assert abs(found.features.mean - fit_report(data, split, result).analysis.features.mean) > 1e-3


def test_the_spectrum_is_that_of_the_basis_vectors(data, result):
    """f(u) = u^T L u / (2 u^T u) of every vector of the basis written out, weighed by energy."""
    U = mix(result.inputs.V.double(), result.model.basis(result.inputs).detach().double())
    L = torch.eye(data.n, dtype=torch.float64) - dense(data.graph)
    energy = (U * U).sum(dim=1)
    f = torch.einsum("knd,nm,kmd->kd", U, L, U) / (2 * energy)
    wanted = (f * energy).sum(dim=1) / energy.sum(dim=1)
    assert_allclose(basis_frequencies(data, result.model, result.inputs), wanted, atol=1e-4)


def test_the_response_filters_as_the_model_does(data, result):
    """g(L) x, by the eigenvectors, is the signal that the MLP sees."""
    lam, vectors = np.linalg.eigh(np.eye(data.n) - dense(data.graph).numpy())
    inputs = result.inputs
    with torch.no_grad():
        c = result.model.coefficients(inputs).sum(dim=0).double()
        Z = mix(inputs.V.double(), c).numpy()
    g = bases.response(c, torch.from_numpy(lam), bases.orthonormal(inputs.T, inputs.norm.double())).numpy()
    X = data.features().double().numpy()
    assert_allclose(
        np.stack([vectors @ (g[:, i] * (vectors.T @ X[:, i])) for i in range(5)], 1), Z, atol=1e-3
    )
    shown = filter_response(result.model, inputs, points=11)
    at = bases.response(
        c, torch.linspace(0, 2, 11, dtype=torch.float64), bases.orthonormal(inputs.T, inputs.norm.double())
    )
    assert_allclose(shown.g, np.median(at.numpy(), axis=1), rtol=1e-5)
    assert (shown.low <= shown.high).all()


def test_zero_columns_have_no_response_and_break_nothing(data, split):
    flat = replace(data, X=np.zeros_like(data.X))
    result = run(flat, split, "unifilter", OPTIONS, Training(epochs=2))
    assert_array_equal(filter_response(result.model, result.inputs).g, 0)
    assert np.isfinite(basis_frequencies(flat, result.model, result.inputs)).all()


@pytest.mark.parametrize("model", ["sgc", "gcn", "labelpropagation", "boosting"])
def test_models_without_a_basis_of_their_own_show_none(data, split, model):
    found = fit_report(data, split, run(data, split, model, {}, Training(epochs=2)))
    assert found.response is None
    assert found.weights is None
    assert found.frequencies is None

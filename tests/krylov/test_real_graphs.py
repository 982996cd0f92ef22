"""The promises of Lanczos on the paper's graphs, all columns."""

import pytest
import torch
from torch.testing import assert_close

from helpers import gram_error
from unifilter import lanczos, mix, propagation
from unifilter.bases import monomial
from unifilter.data.benchmarks import load

BOUND = {torch.float32: 1e-4, torch.float64: 1e-12}


@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed", "actor", "chameleon", "squirrel"])
@pytest.mark.parametrize(("dtype", "preprocessing"), list(zip(BOUND, ["row", "none"], strict=True)))
def test_every_column_is_orthonormal_up_to_its_end(name, preprocessing, dtype, mirror):
    dataset = load(name, preprocessing)
    P = propagation(dataset.graph, dtype=dtype)
    worst = 0.0
    for at in range(0, dataset.d, 512):
        V = lanczos(P, dataset.features(slice(at, at + 512)).to(dtype), 10).V
        worst = max(worst, float(gram_error(V).max()))
    assert worst <= BOUND[dtype]


@pytest.mark.parametrize("name", ["cora", "chameleon", "squirrel", "actor"])
def test_powers_of_p_are_read_from_t(name, mirror):
    dataset = load(name)
    P, X = propagation(dataset.graph), dataset.features(slice(0, 300))
    V, T, norm = lanczos(P, X, 10)
    exact = monomial(P.to(dtype=torch.float64), X.double(), 10)
    size = torch.linalg.vector_norm(exact, dim=1, keepdim=True).clamp_min(1e-12)
    assert_close(mix(V, monomial(T, norm * T.e1, 10)) / size, exact / size, rtol=0, atol=5e-6)

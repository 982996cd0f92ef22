import math

import pytest
import torch

from helpers import algorithm_1 as written_out
from reproduce.measured import SMALL, measured
from unifilter import propagation
from unifilter.data import load
from unifilter.reproduce.angles import BASES, PART, algorithm_1, angle, exact, homophily, kept, released, take

H = 0.22


@pytest.fixture(scope="module")
def block():
    data = load("sbm:n=300,h=0.3,d=3")
    return propagation(data.graph, dtype=torch.float64), data.features().double()


def test_angles_of_known_vectors():
    a, b = torch.tensor([[1.0, 1.0], [0.0, 0.0]]), torch.tensor([[1.0, 5.0], [1.0, 5e-9]])
    assert angle(a, b)[0] == pytest.approx(45)
    assert angle(a, b)[1] == pytest.approx(math.degrees(1e-9), rel=1e-4)
    assert angle(a, -a) == pytest.approx([180, 180])


def test_exact_vectors_are_those_of_algorithm_1(block):
    P, X = block
    ours, theirs = list(exact(P, X, 12, H)), list(algorithm_1(P, X, 12, H))
    for i in range(X.shape[1]):
        wanted = written_out(P, X[:, i], 12, H)
        for k in range(13):
            torch.testing.assert_close(ours[k][:, i], wanted[k], atol=1e-10, rtol=0)
            torch.testing.assert_close(theirs[k][:, i], wanted[k], atol=1e-10, rtol=0)


def test_the_released_steps_are_the_released_basis_at_tau_0(block):
    from unifilter import lanczos, mix
    from unifilter.bases import released as coefficients

    P, X = block
    V, T, norm = lanczos(P, X, 8)
    wanted = mix(V, coefficients(T, norm, 0.0, H))
    for k, found in enumerate(released(P, X, 8, H)):
        torch.testing.assert_close(found, wanted[k], atol=1e-8, rtol=0)


def test_the_homophily_basis_has_the_angles_of_powers(block):
    P, X = block
    powers = [X]
    for _ in range(5):
        powers.append(P @ powers[-1])
    for a, b, c, d in zip(
        powers, powers[1:], *(list(homophily(P, X, 5, H))[i:] for i in (0, 1)), strict=False
    ):
        torch.testing.assert_close(angle(a, b), angle(c, d), atol=1e-9, rtol=0)


def test_both_ends_are_recorded():
    assert {*range(10), *range(995, 1000)} <= set(kept(1000))
    assert max(kept(1000)) == 999
    assert len(kept(1000)) < 90


def test_a_column_of_zeros_has_no_angle():
    data = load("sbm:n=100,d=4")
    X = data.X.copy()
    X[:, 1] = 0
    from dataclasses import replace

    found = take(replace(data, X=X), {"basis": "homophily", "K": 3, "columns": 4, "h": H}, "cpu")
    assert found["size"]["columns"] == 3
    assert not math.isnan(found["degrees"]["0"])


def test_exact_vectors_keep_the_angle_that_single_precision_loses(tmp_path):
    results = measured(PART, SMALL, tmp_path)
    assert all(claim.holds for claim in PART.check(results, SMALL))
    *plots, table = PART.show(results, SMALL)
    assert {s.name for p in plots for s in p.series if not s.reference} == set(BASES.values())
    assert len(table.columns) == 8
    kept_angle = [c.ours.mean for c in table.rows[BASES["exact"]].values()]
    assert kept_angle == pytest.approx([70.2] * 8, abs=1e-8)
    assert set(table.beyond) == set(table.rows) - {BASES["homophily"], BASES["released"]}


def test_the_released_steps_print_the_papers_first_angles(mirror):
    """69.72, 70.03, 70.01, 70.05 on Squirrel, where Theorem 4 has 70.2."""
    what = {"basis": "released", "K": 5, "columns": 128, "h": H}
    found = take(load("squirrel"), what, "cpu")["degrees"]
    assert [found[str(k)] for k in (1, 2, 3, 4)] == pytest.approx([69.72, 70.03, 70.01, 70.05], abs=0.05)

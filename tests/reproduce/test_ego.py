import pytest

from unifilter.reproduce import ego
from unifilter.reproduce.part import Scale


def test_the_forms_differ_in_nothing_but_the_features():
    plain, other = (ego.entry(e) for e in (False, True))
    assert plain.options | {"ego": True} == other.options
    assert (plain.training, plain.preprocess) == (other.training, other.preprocess)
    assert len(ego.jobs(Scale())) == 12


@pytest.mark.parametrize(("gains", "holds"), [([0.01, 0.011, 0.012], True), ([0.05, -0.05, 0.01], False)])
def test_a_gain_is_paired_and_claimed_only_beyond_its_interval(results_of, scale, gains, holds):
    plain, other = (ego.job(form, "cora", scale) for form in (ego.PLAIN, ego.EGO))
    base = [0.5, 0.8, 0.6]
    results = results_of([(plain, base), (other, [b + g for b, g in zip(base, gains, strict=True)])])
    (table,) = ego.show(results, scale)
    assert table.rows["gain"]["cora"].ours.mean == pytest.approx(100 * sum(gains) / 3)
    (claim,) = ego.check(results, scale)
    assert claim.holds is holds

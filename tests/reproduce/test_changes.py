from dataclasses import replace

import pytest

from unifilter.reproduce import changes
from unifilter.reproduce.part import Scale


def test_a_change_differs_in_nothing_else():
    plain = changes.entry(changes.PLAIN, 0.5)
    for name in changes.ALL:
        other = changes.entry(name, 0.5)
        assert plain.options | changes.CHANGES.get(name, {}) == other.options
        assert replace(plain.training, **changes.TRAINED.get(name, {})) == other.training
        assert (plain.preprocess, name == changes.PLAIN) == (other.preprocess, plain == other)
    assert len(changes.jobs(Scale())) == 6 * len(changes.ALL) * len(changes.DROPOUTS)


@pytest.mark.parametrize(("gains", "holds"), [([0.01, 0.011, 0.012], True), ([0.05, -0.05, 0.01], False)])
def test_a_gain_is_paired_and_claimed_only_beyond_its_interval(results_of, scale, gains, holds):
    plain, other = (changes.job(form, 0.5, "cora", scale) for form in (changes.PLAIN, "2 hops"))
    base = [0.5, 0.8, 0.6]
    results = results_of([(plain, base), (other, [b + g for b, g in zip(base, gains, strict=True)])])
    table = changes.show(results, scale)[0]
    assert table.rows["its gain: 2 hops"]["cora"].ours.mean == pytest.approx(100 * sum(gains) / 3)
    (claim,) = changes.check(results, scale)
    assert claim.holds is holds


def test_a_gain_over_some_of_the_splits_is_none(results_of, scale):
    plain, two = (changes.job(form, 0.5, "cora", scale) for form in (changes.PLAIN, "2 hops"))
    results = results_of([(plain, [0.5, 0.8, 0.6]), (two, [0.6, 0.9])])
    assert changes.gain("2 hops", 0.5, "cora", results, scale) is None
    assert changes.show(results, scale)[0].rows["its gain: 2 hops"]["cora"].ours is None

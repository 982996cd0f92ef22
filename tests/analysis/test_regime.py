"""Words follow the numbers."""

from math import nan

import numpy as np
import pytest

from unifilter.analysis import analyze
from unifilter.analysis.regime import REGIMES, regime, score, word
from unifilter.data import load
from unifilter.graph.homophily import Estimate


@pytest.mark.parametrize(
    ("h", "name", "filter_word"),
    [
        (0.9, "strong homophily", "low-pass"),
        (0.5, "homophily", "low-pass"),
        (0.2, "mixed", "Learn the filter"),
        (0.12, "heterophily", "high frequencies"),
        (0.05, "strong heterophily", "high frequencies"),
    ],
)
def test_a_block_model_of_five_classes_is_in_the_regime_of_its_h(h, name, filter_word):
    found = analyze(load(f"sbm:n=600,h={h}"), K=10).regime
    assert found.name == name
    assert filter_word in str(found)
    assert found.score == pytest.approx((h - 0.2) / (0.8 if h >= 0.2 else 0.2), abs=0.02)


def test_the_score_is_monotone_from_minus_1_over_0_to_1():
    values = [score(h, 0.3) for h in np.linspace(0, 1, 101)]
    assert values[0] == -1
    assert score(0.3, 0.3) == 0
    assert values[-1] == 1
    assert np.all(np.diff(values) > 0)


def test_every_score_has_a_word():
    assert {word(s) for s in np.linspace(-1, 1, 201)} == {name for _, name in REGIMES}


def test_few_labels_name_the_regimes_that_they_cannot_rule_out():
    edge, adjusted = Estimate(0.70, 0.05), Estimate((0.70 - 0.2) / 0.8, 0.06)
    found = regime({"edge": edge, "adjusted": adjusted, "informativeness": Estimate(0.4, 0.1)}, (), nan, 0.1)
    assert found.name == "strong homophily"
    assert any(
        "between 0.60 and 0.80; at an end of that it would be called homophily." in line
        for line in found.reasons
    )


def test_chance_is_not_called_heterophily():
    """h = 0.68 with unequal classes may be what random edges give, and h = 0.22 with five classes too."""
    found = analyze(load("sbm:n=2000,h=0.2"), K=10).regime
    assert any("The literature calls it heterophilous" in line for line in found.reasons)
    assert any("Direct neighbours tell little" in line for line in found.advice)


def test_no_labels_and_one_class_have_words_too():
    assert regime({}, (), 0.5, 0.0).name == "unknown"
    one = {"edge": Estimate(1.0, 0.0), "adjusted": Estimate(nan, 0.0), "informativeness": Estimate(nan, 0.0)}
    assert regime(one, (), 0.5, 1.0).name == "one class"


def test_perfect_homophily_is_strong():
    perfect = {
        "edge": Estimate(1.0, 0.0),
        "adjusted": Estimate(1.0, 0.0),
        "informativeness": Estimate(1.0, 0.0),
    }
    assert regime(perfect, (), nan, 1.0).score == 1

"""Sentences carry the figures that were measured, and are empty where none were."""

import inspect

import pytest

from reproduce.measured import GRAPHS, SMALL, measured, nothing
from unifilter.reproduce import errata, errata_words
from unifilter.reproduce.part import Scale

# What the paper's own figures say, without a measurement.
ALWAYS = {"closed_form", "swapped", "second", "gain", "counted", "wide_range"}
FUNCTIONS = {
    name: f
    for name, f in inspect.getmembers(errata_words, inspect.isfunction)
    if f.__module__ == errata_words.__name__ and not name.startswith("_") and name != "each"
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return measured(errata.PART, SMALL, tmp_path_factory.mktemp("errata"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_measurements_only_the_papers_own_figures_speak(name, tmp_path):
    assert bool(FUNCTIONS[name](nothing(SMALL, tmp_path), SMALL)) == (name in ALWAYS)


@pytest.mark.parametrize(
    "name",
    ["sums_over_edges", "proportional", "lost_angle", "quota", "biased", "not_theorem_4", "two_scales"],
)
def test_a_measurement_on_any_graph_is_told(name, results):
    assert len(FUNCTIONS[name](results, SMALL)) > 60


def test_the_figures_are_those_that_were_measured(results):
    assert "70.20, 70.20, 70.20, 70.20 at last" in errata_words.lost_angle(results, SMALL)
    assert f"{GRAPHS[0]} h = 0.850" in errata_words.biased(results, SMALL)
    assert "cosine of 0.339" in errata_words.not_theorem_4(results, SMALL)


def test_the_papers_own_figures_contradict_its_text(tmp_path):
    empty = nothing(Scale(), tmp_path)
    assert "Specformer 81.49, UniFilter 81.39" in errata_words.second(empty, Scale())
    assert "LINKX with 61.81: a gain of 2.45" in errata_words.gain(empty, Scale())
    assert "11 and 9" in errata_words.counted(empty, Scale())
    assert "0° 0.000 (printed form 0.250, ours 0.000)" in errata_words.closed_form(empty, Scale())


def test_the_estimates_tell_which_splits_were_drawn(mirror, tmp_path):
    from unifilter.reproduce.estimates import by_protocol
    from unifilter.reproduce.executor import results_of, take

    scale = Scale(graphs=("citeseer",))
    for kind in ("quota48", "fixed"):
        take(by_protocol("citeseer", kind, scale), tmp_path, "cpu")
    said = errata_words.reading(results_of(tmp_path, scale), scale)
    assert "citeseer printed 0.69, quota 0.688, public 0.735" in said

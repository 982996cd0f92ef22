"""Sentences carry the figures that were measured, and are empty where none were."""

import inspect

import pytest

from reproduce.measured import GRAPHS, SMALL, measured, nothing
from unifilter.presets import preset
from unifilter.reproduce import datasets, errata, errata_words, theorem1
from unifilter.reproduce.estimates import by_protocol
from unifilter.reproduce.executor import results_of, take
from unifilter.reproduce.part import SIX, Claim, Scale

# What the paper's own figures say, without a measurement.
ALWAYS = {"closed_form", "swapped", "second", "gain", "counted", "wide_range", "unsaid"}
FUNCTIONS = {
    name: f
    for name, f in inspect.getmembers(errata_words, inspect.isfunction)
    if f.__module__ == errata_words.__name__ and not name.startswith("_") and name not in ("each", "joined")
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


def test_theorem_1_is_told_with_what_it_was_tried_on(results):
    said = errata_words.proportional(results, SMALL)
    assert "D^1/2 Y has f = (1 - h)/2 on any graph" in said
    assert "on block models of 2 equal classes the filtered signal's frequency is 1 - h" in said
    assert "a matrix for each hop, not the theorem's one w" in said
    for graph, ratio in theorem1.ratios("labels", results, SMALL).items():
        assert f"{graph} {ratio:.2f}" in said
    assert "NOT" not in said


def test_a_law_that_fails_is_told_as_failing(results, monkeypatch):
    broken = Claim("two is one", False, "2 against 1")
    monkeypatch.setattr(theorem1, "check", lambda results, scale: [broken])
    assert "it does NOT hold that two is one (2 against 1)" in errata_words.proportional(results, SMALL)


def test_labels_of_real_graphs_have_no_common_factor(mirror, tmp_path):
    scale = Scale(graphs=("cora", "chameleon"))
    for graph in scale.graphs:
        take(theorem1.of_graph(graph), tmp_path, "cpu")
    said = errata_words.proportional(results_of(tmp_path, scale), scale)
    assert "cora 0.84; chameleon 0.61. From 0.61 to 0.84 is not one factor." in said


def test_cosines_say_what_they_are_of(results):
    said = errata_words.not_theorem_4(results, SMALL)
    assert "all pairs of u_1 to u_10 and the first 256 feature columns" in said
    assert "x and u_1 have 0.339/||x||" in said


def test_the_code_tells_what_the_paper_does_not(mirror, tmp_path):
    scale = Scale(graphs=("cora", "chameleon"))
    for graph in scale.graphs:
        take(datasets.measure(graph), tmp_path, "cpu")
    said = errata_words.unsaid(results_of(tmp_path, scale), scale)
    assert "Validation accuracy is watched, for at most 1000 epochs." in said
    assert "chameleon 31,371 edges in 36,051 lines" in said
    assert "cora" not in said  # listed both ways
    assert all(preset(graph).training.patience == 200 for graph in SIX)  # as printed


def test_the_papers_own_figures_contradict_its_text(tmp_path):
    empty = nothing(Scale(), tmp_path)
    assert "Specformer 81.49, UniFilter 81.39" in errata_words.second(empty, Scale())
    assert "LINKX with 61.81: a gain of 2.45" in errata_words.gain(empty, Scale())
    assert "11 and 9" in errata_words.counted(empty, Scale())
    assert "0° 0.000 (printed form 0.250, ours 0.000)" in errata_words.closed_form(empty, Scale())


def test_the_estimates_tell_which_splits_were_drawn(mirror, tmp_path):
    scale = Scale(graphs=("citeseer",))
    for kind in ("quota48", "fixed"):
        take(by_protocol("citeseer", kind, scale), tmp_path, "cpu")
    said = errata_words.reading(results_of(tmp_path, scale), scale)
    assert "citeseer printed 0.69, quota 0.688, public 0.735" in said

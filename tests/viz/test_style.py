"""What all figures share."""

import sys

import pytest

from unifilter.viz.style import LONGEST, figure, names, plotly, rows_of


def test_without_plotly_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ImportError, match=r"pip install 'unifilter\[viz\]'"):
        plotly()


def test_names_that_are_cut_alike_stay_apart():
    cut = names(["x" * 40, "x" * 41, "x" * 42])
    assert len(set(cut)) == 3
    assert all(len(name.rstrip("\u200b")) == LONGEST for name in cut)


def test_markup_in_a_name_is_shown_and_not_obeyed():
    assert names(["<b>x</b> & y"]) == ["&lt;b&gt;x&lt;/b&gt; &amp; y"]


def test_a_figure_grows_with_its_rows_to_a_limit():
    assert figure([], rows=3).layout.height == 320
    assert 320 < figure([], rows=20).layout.height < 900
    assert figure([], rows=500).layout.height == 900


def test_a_figure_brings_no_colours_for_text_and_grid():
    """The page's theme gives them; a template of plotly's would fix them."""
    text = figure([plotly().Bar(x=[1], y=[1])], "x", "y").to_json()
    assert "gridcolor" not in text
    assert '"color":"' not in text.replace(" ", "")


def test_few_rows_all_have_their_tick():
    assert rows_of(5)["dtick"] == 1
    assert "dtick" not in rows_of(100)

"""Every dataset that can be analysed has a page."""

import re

import numpy as np
import pytest

from unifilter import Dataset, Graph
from unifilter.analysis import analyze
from unifilter.viz import write_analysis
from unifilter.viz.analysis import details, glance


def charts(html: str) -> list[str]:
    return re.findall(r'<figure class="chart.*?<h3>(.*?)</h3>', html)


def test_the_page_has_every_figure_and_a_caption_under_each(analysis, tmp_path):
    write_analysis(tmp_path / "a.html", analysis)
    text = (tmp_path / "a.html").read_text(encoding="utf-8").split("</head>")[1]
    assert charts(text) == [
        "How often do neighbours agree?",
        "Who is what",
        "How fast do labels change along edges?",
        "Spectral density",
        "Where the features are",
        "Neighbours per node",
    ]
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", text)
    assert len(captions) == 7
    assert all(len(caption) > 60 for caption in captions)


def test_the_glance_says_the_regime_and_its_reasons(analysis):
    text = glance(analysis)
    assert analysis.regime.name in text
    assert text.count("<li>") == len(analysis.regime.reasons)


def test_errors_are_explained_where_there_are_any(analysis):
    assert "two standard errors" in "".join(details(analysis))


@pytest.mark.parametrize(
    ("X", "y", "missing"),
    [
        (
            np.ones((4, 1)),
            np.full(4, -1),
            {"How often do neighbours agree?", "How fast do labels change along edges?"},
        ),
        (np.ones((4, 0)), np.array([0, 1, 0, 1]), {"Where the features are"}),
        (np.ones((4, 1)), np.zeros(4, int), set()),
    ],
)
def test_what_is_not_there_is_not_drawn(analysis, X, y, missing):
    found = analyze(Dataset(Graph.from_edges([[0, 1], [1, 2]], n=4), X, y), K=3)
    everything = set(charts("".join(details(analysis))))
    assert everything - set(charts("".join(details(found)))) == missing

import xml.etree.ElementTree as ET
from dataclasses import replace
from io import BytesIO

import pytest

from unifilter.viz import exhibit_image
from unifilter.viz.exhibit import Plot, Series
from unifilter.viz.exhibit_image import image
from unifilter.viz.exhibit_look import COLOURS
from unifilter.viz.style import GREY
from viz.exhibits import BARS, CROWD, MUTED, PLOT, ROWS, STEMS

PLOTS = [PLOT, BARS, STEMS, MUTED, ROWS]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda p: p.name)
@pytest.mark.parametrize("form", ["png", "svg"])
def test_the_same_plot_gives_the_same_bytes(plot, form):
    assert image(plot, form) == image(plot, form)


@pytest.mark.parametrize("plot", PLOTS, ids=lambda p: p.name)
def test_an_svg_is_well_formed_and_has_the_colours_of_its_series(plot):
    text = image(plot, "svg").decode()
    assert ET.fromstring(text).tag.endswith("svg")
    assert COLOURS[0] in text


def test_a_png_has_the_size_it_is_asked_for():
    from PIL import Image

    small, large = (Image.open(BytesIO(image(PLOT, "png", dpi=dpi))) for dpi in (50, 100))
    assert large.width == 2 * small.width
    assert small.format == "PNG"


def test_a_plot_shows_its_data():
    other = replace(PLOT, series=[replace(PLOT.series[0], y=[1.0, 2.0, 3.0]), *PLOT.series[1:]])
    hollow = replace(PLOT, series=[replace(PLOT.series[0], printed=True), *PLOT.series[1:]])
    assert len({image(p, "svg") for p in (PLOT, other, hollow)}) == 3


def test_a_legend_of_long_names_stays_in_the_picture():
    """All lines lie on each other, so that the colours of all but the last are seen in the legend alone."""
    from PIL import Image

    names = [f"series {i}, a name as long as they come" for i in range(8)]
    plot = Plot("p", "P", "x", "y", [Series(name, [0, 1], [0, 1]) for name in names])
    picture = Image.open(BytesIO(image(plot, "png"))).convert("RGB")
    seen = {colour for _, colour in picture.getcolors(10**6)}
    assert {tuple(bytes.fromhex(c[1:])) for c in COLOURS[:8]} <= seen


@pytest.fixture
def drawn(monkeypatch):
    """The axes of every picture."""
    found = []
    plain = exhibit_image._draw
    monkeypatch.setattr(exhibit_image, "_draw", lambda plot, axes: (plain(plot, axes), found.append(axes)))
    return found


@pytest.mark.parametrize("plot", [PLOT, ROWS], ids=lambda p: p.name)
def test_a_long_title_stays_in_the_picture(drawn, plot):
    plot = replace(plot, title="A title of many words that would run over the edge of a column " * 2)
    image(plot, "png", dpi=100)
    box, edge = drawn[0]._left_title.get_window_extent(), drawn[0].figure.bbox
    assert box.x1 <= edge.x1
    assert box.y1 <= edge.y1


def test_muted_series_are_thin_under_the_others_and_one_entry_of_the_legend(drawn):
    image(MUTED, "png", dpi=50)
    ours, *muted = drawn[0].lines[0], drawn[0].lines[-2], drawn[0].lines[-1]
    assert {line.get_color() for line in muted} == {GREY}
    assert all(line.get_linewidth() < ours.get_linewidth() for line in muted)
    assert all(line.get_zorder() < ours.get_zorder() for line in muted)
    assert [text.get_text() for text in drawn[0].figure.legends[0].get_texts()] == ["a", "other models"]
    assert [bool(c.has_yerr) for c in drawn[0].containers] == [True, False, False]


def test_rows_have_names_from_the_top_and_values_from_left_to_right(drawn):
    image(ROWS, "png", dpi=50)
    assert drawn[0].get_yticklabels()[0].get_text() == "GCN"
    bottom, top = drawn[0].get_ylim()
    assert bottom > top
    points, bars = (c.lines[0] for c in drawn[0].containers)
    assert list(points.get_xdata()) == [1.5, 2.0]
    assert list(points.get_ydata()) == [0.0, 1.0]
    assert bars.get_linestyle() == "-"
    assert (drawn[0].get_xlabel(), drawn[0].get_ylabel()) == ("rank", "model")


def test_labels_do_not_overlap_in_a_picture(drawn):
    image(CROWD, "png", dpi=100)
    boxes = [text.get_window_extent() for text in drawn[0].texts]
    assert len(boxes) >= 5
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_axes_can_be_logarithmic():
    plain = Plot("p", "P", "k", "angle", [Series("a", [1, 10, 100], [1, 0.1, 0.01])])
    assert image(plain, "svg") != image(replace(plain, log_x=True, log_y=True), "svg")


def test_a_single_place_on_a_logarithmic_axis_is_in_the_picture(drawn):
    image(Plot("p", "P", "seconds", "accuracy", [Series("a", [3.7], [61.0], [4.0])], log_x=True), "png")
    low, high = drawn[0].get_xlim()
    assert low < 3.7 / 2
    assert high > 2 * 3.7


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(exhibit_image, "import_module", missing)
    with pytest.raises(ImportError, match=r"unifilter\[figures\]"):
        image(PLOT, "png")

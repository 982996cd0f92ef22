import pytest

from unifilter.viz.exhibit import Plot, Series
from unifilter.viz.exhibit_plot import draw
from viz.exhibits import BARS, CROWD, EVIL, MUTED, PLOT, ROWS, STEMS


def test_the_papers_points_are_hollow_and_not_joined():
    ours, theirs, reference = draw(PLOT).data
    assert (ours.mode, theirs.mode, reference.mode) == ("lines+markers", "markers", "lines")
    assert theirs.marker.symbol.endswith("-open")
    assert not ours.marker.symbol.endswith("-open")
    assert list(ours.error_y.array) == [1.0, 0.0, 0.8]


def test_names_are_text_and_not_markup():
    assert "<b>" not in draw(PLOT).to_json().replace("\\u003c", "<").replace("<br>", "")
    assert "&lt;b&gt;" in draw(BARS).data[0].x[1]


def test_bars_stand_in_the_order_of_their_names():
    figure = draw(BARS)
    assert figure.layout.xaxis.categoryarray[0] == "GCN"
    assert len(figure.layout.xaxis.categoryarray) == 2
    assert figure.data[1].marker.color == "rgba(0,0,0,0)"


def test_stems_reach_from_zero_to_the_point_and_labels_stand_off_it():
    stems, points, text = draw(STEMS).data
    assert list(stems.y) == [0.0, -1.0, None, 0.0, 0.5, None]
    assert list(text.text) == ["0", "1"]
    assert list(text.textposition) == ["bottom center", "top center"]
    assert not stems.showlegend
    assert not text.showlegend
    assert stems.legendgroup == points.legendgroup == text.legendgroup == "w"


def test_a_label_without_room_is_told_on_hovering():
    _, points, text, *_ = draw(CROWD).data
    assert len(text.text) < len(points.hovertext) == 11
    assert "%{hovertext}" in points.hovertemplate


def test_axes_can_be_logarithmic():
    figure = draw(Plot("p", "P", "k", "angle", [Series("a", [1, 10], [1, 0.1])], log_x=True, log_y=True))
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")


def test_muted_series_are_thin_and_under_the_others_with_one_entry_and_their_own_names_on_hovering():
    ours, *muted = draw(MUTED).data
    assert [trace.showlegend for trace in (ours, *muted)] == [True, True, False]
    assert {trace.name for trace in muted} == {trace.legendgroup for trace in muted} == {"other models"}
    assert all("<extra>" + name + "</extra>" in t.hovertemplate for name, t in zip("bc", muted, strict=True))
    assert {trace.mode for trace in muted} == {"lines"}
    assert (ours.error_y.visible, muted[0].error_y.visible) == (True, False)
    assert muted[0].line.width < ours.line.width
    assert muted[0].zorder < ours.zorder
    assert muted[0].customdata[0] == " ± 3"


def test_rows_have_names_from_the_top_and_values_from_left_to_right():
    figure = draw(ROWS)
    points, bars = figure.data
    assert points.y[0] == "GCN"
    assert list(points.x) == [1.5, 2.0]
    assert "%{y}: %{x" in points.hovertemplate
    assert (bars.mode, bars.line.dash, bars.connectgaps) == ("lines", "solid", None)
    assert figure.layout.yaxis.autorange == "reversed"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("rank", "model")


def test_a_line_of_many_points_has_no_markers():
    many = list(range(1000))
    assert draw(Plot("p", "P", "k", "y", [Series("a", many, many)])).data[0].mode == "lines"


@pytest.mark.parametrize("count", [1, 25])
def test_a_long_legend_makes_the_figure_higher(count):
    series = [Series(f"{EVIL} {i}", [0, 1], [0, 1]) for i in range(count)]
    assert draw(Plot("p", "P", "x", "y", series)).layout.height >= 340 + 13 * count

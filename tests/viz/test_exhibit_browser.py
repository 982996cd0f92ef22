"""The page of a reproduction in a real browser."""

from __future__ import annotations

import re

import pytest

from unifilter.viz.exhibit import Cell, Plot, Series, Table, Value, Words
from unifilter.viz.exhibit_page import write
from viz.browsing import contrast, requests, until, visit
from viz.exhibits import CROWD, PARTS, TABLE

THEMES = {"light": "rgb(251, 251, 250)", "dark": "rgb(18, 20, 23)"}
WIDTHS = {"desktop": 1200, "phone": 390}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return write(PARTS, tmp_path_factory.mktemp("page"), "Reproduced", "a test").as_uri()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_the_page_is_drawn_without_errors_and_fits(browser, url, width, theme):
    visit(browser, url, WIDTHS[width], theme)
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    assert {r for r in requests(browser) if not r.startswith(("data:", "blob:"))} == {url}
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == THEMES[theme]
    rows = "return document.querySelectorAll('#table2 tbody tr').length"
    assert browser.execute_script(rows) == len(TABLE.rows)
    drawn = """return [...document.querySelectorAll("figure.chart")].map((figure) =>
      figure.querySelectorAll(".point path, .points path, .point, .textpoint").length)"""
    counts = browser.execute_script(drawn)
    assert len(counts) == 3
    assert min(counts) >= 2


def test_on_a_phone_a_table_scrolls_under_its_first_column(browser, url):
    visit(browser, url, 390, "light")
    left, moved, name = browser.execute_script(
        """const box = document.querySelector("#table2 .scroll"), th = box.querySelector("tbody th");
           const before = th.getBoundingClientRect().left, cell = box.querySelector("td:last-child");
           const was = cell.getBoundingClientRect().left;
           box.scrollLeft = 200;
           return [th.getBoundingClientRect().left - before, was - cell.getBoundingClientRect().left,
                   th.getBoundingClientRect().width]"""
    )
    assert left == 0
    assert moved > 100
    assert 60 < name < 180


@pytest.mark.parametrize("theme", THEMES)
def test_verdicts_read_on_their_colours(browser, url, theme):
    """Contrast of at least 4.5, as WCAG asks of body text; the three are told apart by their sign too."""
    visit(browser, url, 1200, theme)
    found = browser.execute_script(
        """return [...document.querySelectorAll(".difference, .tally span, .key b")].map((e) => {
             const style = getComputedStyle(e);
             return [style.color, style.backgroundColor, e.textContent.trim()[0]];
           })"""
    )
    assert {sign for _, _, sign in found} == {"✓", "▲", "▼"}
    for ink, paper, _ in found:
        assert contrast(*(bytes(map(int, re.findall(r"\d+", c)[:3])) for c in (ink, paper))) >= 4.5


def test_a_link_of_the_contents_brings_its_table_into_view(browser, url):
    visit(browser, url, 1200, "light")
    browser.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    browser.execute_script("document.querySelector('nav a[href=\"#errata\"]').click()")
    top = "return document.getElementById('errata').getBoundingClientRect().top"
    assert 0 <= browser.execute_script(top) < 900


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Twenty parts of six exhibits, a table of fifty rows, a hundred claims, a crowded spectrum."""
    rows = {f"model {i}": {"Cora": Cell(Value(80.0 + i, 1.0, 10), 81.0)} for i in range(50)}
    table = Table("long", "Accuracy", ["Cora"], rows, caption="Ten splits. " + "And much more to say. " * 20)
    claims = Words("claims", "What holds", (), [("a claim", "c")] * 100, [True] * 100)
    parts = {"First": [table, claims, CROWD]}
    for i in range(19):
        name = f"Beyond the paper: part {i} with a name that takes two lines"
        parts[name] = [Words(f"w{i}{j}", f"Exhibit {j}", ["a"]) for j in range(6)]
    return write(parts, tmp_path_factory.mktemp("long"), "Reproduced", "a test").as_uri()


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """A plot of twelve long names and a table of two narrow columns."""
    names = [f"a model named {i}" for i in range(12)]
    plot = Plot("ranks", "Ranks", "model", "rank", [Series("rank", names, list(range(12)))])
    rows = {f"model {i}": {"a": Cell(Value(80.0, 1.0, 10))} for i in range(40)}
    parts = {"Ranks": [plot, Table("narrow", "Narrow", ["a"], rows)]}
    return write(parts, tmp_path_factory.mktemp("ranks"), "Reproduced", "a test").as_uri()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Six series in colour and thirty grey ones."""
    h = [i / 10 for i in range(11)]
    series = [
        Series(f"a model named {i}", h, [v + i for v in h], muted="other models" * (i > 5)) for i in range(36)
    ]
    plot = Plot("many", "Many", "homophily h", "accuracy", series)
    return write({"Many": [plot]}, tmp_path_factory.mktemp("many"), "Reproduced", "a test").as_uri()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_title_of_an_axis_stands_clear_of_long_names(browser, ranks, width):
    visit(browser, ranks, WIDTHS[width], "light")
    title, *names = browser.execute_script(
        """return [...document.querySelectorAll("#ranks .xtitle, #ranks .xtick text")]
             .sort((a, b) => b.matches(".xtitle") - a.matches(".xtitle"))
             .map((e) => e.getBoundingClientRect()).map((r) => [r.top, r.bottom])"""
    )
    assert len(names) == 12
    assert max(bottom for _, bottom in names) <= title[0]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_legend_stands_under_the_plot_inside_the_figure(browser, many, width):
    """Nothing of it is hidden behind a scroll bar, and on a phone the plot keeps most of the room."""
    visit(browser, many, WIDTHS[width], "light")
    place = """const r = document.querySelector("#many " + arguments[0]).getBoundingClientRect();
               return [r.left, r.top, r.right, r.bottom]"""
    figure, plot, legend, title = (
        browser.execute_script(place, s) for s in (".plot", ".nsewdrag", ".legend .bg", ".xtitle")
    )
    assert legend[1] >= title[3] > plot[3]
    assert figure[0] <= legend[0]
    assert legend[2] <= figure[2]
    assert legend[3] <= figure[3]
    assert plot[3] - plot[1] > 200
    texts = """return [...document.querySelectorAll("#many .legendtext")].map((e) => e.textContent)"""
    assert browser.execute_script(texts) == [*(f"a model named {i}" for i in range(6)), "other models"]
    bottoms = """return [...document.querySelectorAll("#many .legendtext")]
                   .map((e) => e.getBoundingClientRect()).map((r) => r.bottom)"""
    assert max(browser.execute_script(bottoms)) <= figure[3]


def test_the_shadow_of_a_table_is_no_wider_than_the_table(browser, ranks):
    visit(browser, ranks, WIDTHS["desktop"], "light")
    box, table = browser.execute_script(
        """return ["#narrow .scroll", "#narrow table"].map((s) => document.querySelector(s).offsetWidth)"""
    )
    assert 0 < table <= box <= table + 20  # what a scroll bar takes


HEIGHT = "return document.querySelector(arguments[0]).getBoundingClientRect().height"


def test_on_a_phone_the_contents_are_less_than_a_screen_and_open_by_parts(browser, long):
    visit(browser, long, 390, "light")
    closed = browser.execute_script(HEIGHT, ".contents")
    assert closed < 740  # what a phone of 844 leaves beside the browser's own bars
    shown = "return document.querySelector('.contents li a').checkVisibility({contentVisibilityAuto: true})"
    assert not browser.execute_script(shown)
    browser.execute_script("document.querySelector('.contents summary').click()")
    until(browser, lambda b: b.execute_script(shown))  # what opens may be laid out a frame later
    assert browser.execute_script(HEIGHT, ".contents") > closed + 50


@pytest.mark.parametrize("width", WIDTHS)
def test_labels_of_a_crowded_spectrum_do_not_overlap(browser, long, width):
    visit(browser, long, WIDTHS[width], "light")
    boxes = browser.execute_script(
        """return [...document.querySelectorAll("#crowd .textpoint text")].map((e) => {
             const r = e.getBoundingClientRect();
             return [r.left, r.top, r.right, r.bottom];
           })"""
    )
    assert len(boxes) >= 5
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 2 or b[3] <= a[1] + 2, (a, b)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_names_of_the_columns_stay_in_sight_of_a_long_table(browser, long, width):
    visit(browser, long, WIDTHS[width], "light")
    high, screen, moved = browser.execute_script(
        """const box = document.querySelector("#long .scroll"), th = box.querySelector("thead th:last-child");
           const before = th.getBoundingClientRect().top;
           box.scrollTop = 1000;
           const after = th.getBoundingClientRect().top;
           return [box.getBoundingClientRect().height, innerHeight, after - before]"""
    )
    assert high < screen
    assert abs(moved) < 1


def test_long_captions_and_lists_of_claims_unfold(browser, long):
    visit(browser, long, 390, "light")
    for place in ("#long figcaption", "#claims"):
        before = browser.execute_script(HEIGHT, place)
        assert before < 150
        browser.execute_script("document.querySelector(arguments[0] + ' summary').click()", place)
        assert browser.execute_script(HEIGHT, place) > before + 100

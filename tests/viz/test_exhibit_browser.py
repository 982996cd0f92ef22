"""The page of a reproduction in a real browser."""

from __future__ import annotations

import re

import pytest

from unifilter.viz.exhibit_page import write
from viz.browsing import contrast, requests, visit
from viz.exhibits import PARTS, TABLE

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

"""The pages in a real browser: drawn, quiet, and without a word to the network."""

from __future__ import annotations

import pytest

from unifilter.viz import write_analysis, write_report
from viz.browsing import contrast, requests, until, visit

WIDTHS = {"desktop": 1200, "phone": 390}
THEMES = {"light": "rgb(251, 251, 250)", "dark": "rgb(18, 20, 23)"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory, analysis, report):
    folder = tmp_path_factory.mktemp("pages")
    write_analysis(folder / "analysis.html", analysis)
    write_report(folder / "report.html", report)
    return {name: (folder / f"{name}.html").as_uri() for name in ("analysis", "report")}


@pytest.mark.parametrize("page", ["analysis", "report"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_a_page_is_drawn_without_errors_and_asks_for_nothing(browser, pages, page, width, theme):
    visit(browser, pages[page], WIDTHS[width], theme)
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    asked = {request for request in requests(browser) if not request.startswith(("data:", "blob:"))}
    assert asked == {pages[page]}
    plots = browser.execute_script(
        """return [...document.querySelectorAll("figure.chart")].map((figure) => {
             const svg = figure.querySelector(".main-svg"), caption = figure.querySelector("figcaption");
             if (!svg) return [0, 0, 0, 0, false];
             const box = svg.getBoundingClientRect();
             const marks = figure.querySelectorAll("path, image, rect.bg ~ g").length;
             const below = caption.getBoundingClientRect().top >= box.bottom - 1;
             return [box.width, box.height, figure.clientWidth, marks, below];
           });"""
    )
    assert len(plots) == {"analysis": 6, "report": 14}[page]
    for wide, high, room, marks, below in plots:
        assert 200 < wide <= room
        assert high > 200
        assert marks > 3
        assert below
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    background = "return getComputedStyle(document.body).backgroundColor"
    assert browser.execute_script(background) == THEMES[theme]


def test_the_button_changes_the_theme_of_page_and_figures(browser, pages):
    visit(browser, pages["analysis"], 1200, "light")
    tick = "return getComputedStyle(document.querySelector('.xtick text')).fill"
    before = browser.execute_script(tick)
    browser.find_element("id", "theme").click()
    until(browser, lambda b: b.execute_script(tick) != before)
    after = browser.execute_script(tick)
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    assert (before, after) == ("rgb(28, 32, 36)", "rgb(232, 234, 237)")
    browser.execute_script("localStorage.clear()")


def test_text_reads_on_its_background_in_both_themes(browser, pages):
    """Contrast of at least 4.5, as WCAG asks of body text."""
    for theme in THEMES:
        visit(browser, pages["report"], 1200, theme)
        names = ("--ink", "--soft", "--paper", "--card", "--wash")
        style = "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()"
        rgb = {name: bytes.fromhex(browser.execute_script(style, name)[1:]) for name in names}
        pairs = [(rgb[ink], rgb[on]) for ink in names[:2] for on in names[2:]]
        assert all(contrast(ink, paper) >= 4.5 for ink, paper in pairs)

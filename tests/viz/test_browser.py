"""The pages in a real browser: drawn, quiet, and without a word to the network."""

from __future__ import annotations

import json
import shutil

import pytest

from unifilter.viz import write_analysis, write_report

WIDTHS = {"desktop": 1200, "phone": 390}
THEMES = {"light": "rgb(251, 251, 250)", "dark": "rgb(18, 20, 23)"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium with its own driver; nothing is downloaded to get one."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="needs selenium: pip install 'unifilter[test]'"
    )
    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("needs Chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, analysis, report):
    folder = tmp_path_factory.mktemp("pages")
    write_analysis(folder / "analysis.html", analysis)
    write_report(folder / "report.html", report)
    return {name: (folder / f"{name}.html").as_uri() for name in ("analysis", "report")}


def visit(browser, url: str, width: int, theme: str) -> None:
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # what an earlier page left
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(url)
    drawn = "return document.documentElement.dataset.drawn"
    until(browser, lambda b: b.execute_script(drawn))


def until(browser, true) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(true)


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
        for ink, paper in pairs:
            light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5


def luminance(rgb) -> float:
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in (c / 255 for c in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def requests(browser) -> list[str]:
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

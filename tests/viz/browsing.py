"""What tests of pages do in a browser."""

from __future__ import annotations

import json


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


def contrast(ink: bytes, paper: bytes) -> float:
    """As WCAG defines it, of two colours as three bytes each."""
    light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(rgb) -> float:
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in (c / 255 for c in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def requests(browser) -> list[str]:
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

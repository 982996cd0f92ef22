"""One file, nothing from outside, nothing obeyed that was meant as text."""

import json
import re
from html.parser import HTMLParser

from unifilter.viz.page import LONG, callout, chart, page, preformatted, said, section, table, tiles, write
from unifilter.viz.style import figure, plotly


class Elements(HTMLParser):
    """Every element with its attributes, in order; whether all that open also close."""

    VOID = ("meta", "link", "br")

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def one():
    bar = plotly().Bar(x=["</script><b>"], y=[1])
    return chart(figure([bar]), "A <title>", "A caption & more")


def test_a_page_loads_nothing():
    text = page("t", "s", [section("one", one())])
    elements = Elements(text)
    assert not elements.open
    for tag, attributes in elements.found:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:").startswith("data:")
    assert "default-src 'none'" in text
    assert "@import" not in text.split("</style>")[0]


def test_plotly_is_inlined_once_for_any_number_of_figures():
    few, many = (page("t", "s", [section("one", *[one()] * count)]) for count in (1, 5))
    script = plotly("offline").get_plotlyjs()
    assert few.count(script) == many.count(script) == 1
    assert len(many) - len(few) < 10_000


def test_a_figure_s_data_survives_markup_in_it():
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', one())
    assert json.loads(data)["data"][0]["x"] == ["</script><b>"]


def test_text_is_escaped_everywhere():
    evil = "<img onerror=x>"
    blocks = [
        section(evil, words=evil),
        tiles([(evil, evil)]),
        callout(evil, [evil], [evil]),
        table([evil], [[evil]], evil),
        preformatted(evil),
    ]
    text = "".join(blocks)
    assert evil not in text
    assert text.count("&lt;img onerror=x&gt;") == 11
    assert evil not in page(evil, evil, []).split("</head>")[1]


def test_numbers_stand_to_the_right_and_text_to_the_left():
    text = table(["name", "count", "share", "id"], [["a", 1234, "5.0%", "17"], ["b", 5, "", "18"]])
    assert text.count('class="number"') == 2 + 4
    assert "1,234" in text


def test_a_page_is_written_whole(tmp_path):
    file = tmp_path / "deep" / "page.html"
    write(file, page("größe", "s", []))
    assert "größe" in file.read_text(encoding="utf-8")
    assert [f.name for f in file.parent.iterdir()] == ["page.html"]


def test_only_a_long_caption_is_folded():
    short = "One. Two."
    assert said(short) == f"<figcaption>{short}</figcaption>"
    assert "<details>" in said(short + " More." * LONG)
    assert "<details>" not in said("one sentence " * LONG)

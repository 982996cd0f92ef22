from html.parser import HTMLParser

from unifilter.viz.exhibit import Words
from unifilter.viz.exhibit_page import html, write
from viz.exhibits import PARTS, WORDS


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.targets = [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.targets.append(found["href"].removeprefix("#"))


def test_every_link_of_the_contents_leads_somewhere_once():
    found = Links()
    found.feed(html(PARTS, "T", "t"))
    assert len(found.ids) == len(set(found.ids))
    assert set(found.targets) <= set(found.ids)
    assert {"table2", "tau", "ranks", "spectrum", "errata", "part-0"} <= set(found.targets)


def test_a_part_that_has_nothing_to_show_is_left_out():
    assert "nothing run" not in html(PARTS, "T", "t")


def test_the_opening_counts_all_tables():
    text = html(PARTS, "T", "t")
    assert "<dt>comparisons with printed figures</dt><dd>4</dd>" in text
    assert "<dt>agree</dt><dd>2 (50%)</dd>" in text
    assert "<dt>figures beyond the paper</dt><dd>1</dd>" in text
    assert "printed figures compared" not in html({"Errata": [WORDS]}, "T", "t")


def test_words_pair_a_claim_with_its_evidence():
    assert "<dt>b</dt><dd>c</dd>" in html({"Errata": [WORDS]}, "T", "t")


def test_claims_say_whether_they_hold_and_are_counted():
    claims = Words("claims", "What holds", (), [("b", "c"), ("d", "e"), ("f", "g")], [True, False, True])
    text = html(dict(PARTS) | {"Claims": [claims]}, "T", "t")
    assert '<dt><b class="agrees">✓</b>b</dt><dd>c</dd>' in text
    assert '<dt><b class="below">✗</b>d</dt><dd>e</dd>' in text
    held = '<span class="agrees" style="flex:2" title="2: holds">✓ 2</span>'
    assert held + '<span class="below" style="flex:1" title="1: does not hold">✗ 1</span>' in text


def test_the_page_is_one_file_in_a_folder_that_is_made(tmp_path):
    file = write(PARTS, tmp_path / "new", "<T>", "t")
    text = file.read_text(encoding="utf-8")
    assert "<title>&lt;T&gt;</title>" in text
    assert [p.name for p in file.parent.iterdir()] == ["reproduction.html"]

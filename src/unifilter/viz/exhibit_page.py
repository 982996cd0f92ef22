"""Exhibits as one page: contents with the score of every table, then tables, plots and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from unifilter.viz.exhibit import Exhibit, Plot, Table, Verdict, Words
from unifilter.viz.exhibit_look import COMPARED, SIGNS, WORDS
from unifilter.viz.exhibit_plot import draw
from unifilter.viz.exhibit_table import bar, table_html, tally
from unifilter.viz.page import chart, folded, named, page, section, tiles
from unifilter.viz.page import write as write_page
from unifilter.viz.style import percent

Parts = Mapping[str, Sequence[Exhibit]]
FILE = "reproduction.html"
MANY = 6  # claims beyond which only their score is seen at once
_HELD: dict[bool, tuple[Verdict, str, str]] = {
    True: ("agrees", "✓", "holds"),
    False: ("below", "✗", "does not hold"),
}
_CSS = Path(__file__).with_name("exhibit.css")


def write(exhibits_by_part: Parts, folder: str | Path, title: str, subtitle: str) -> Path:
    """Write ``reproduction.html``, one file that opens anywhere, offline.

    Parameters
    ----------
    exhibits_by_part : dict of lists of exhibits
        By the title of the part, in the order of the page.
    folder : str or Path
        Made if it is missing.
    title, subtitle : str

    Returns
    -------
    Path of the page.

    Examples
    --------
    >>> import tempfile
    >>> words = Words("errata", "Errata", ["None found."])
    >>> write({"Errata": [words]}, tempfile.mkdtemp(), "The paper, reproduced", "a test").name
    'reproduction.html'
    """
    file = Path(folder) / FILE
    write_page(file, html(exhibits_by_part, title, subtitle))
    return file


def html(exhibits_by_part: Parts, title: str, subtitle: str) -> str:
    """The page as text."""
    parts = {name: exhibits for name, exhibits in exhibits_by_part.items() if exhibits}
    sections = [_outcome(parts), section("Contents", _contents(parts), name="contents")]
    for i, (name, exhibits) in enumerate(parts.items()):
        sections.append('<a class="top" href="#contents">contents ↑</a>')
        sections.append(section(name, *map(_block, exhibits), name=f"part-{i}"))
    return page(title, subtitle, sections, _CSS.read_text(encoding="utf-8"))


def _outcome(parts: Parts) -> str:
    tables = [e for exhibits in parts.values() for e in exhibits if isinstance(e, Table)]
    counts = {v: sum(t.verdicts()[v] for t in tables) for v in (*COMPARED, "alone")}
    compared = sum(counts[v] for v in COMPARED)
    if not compared:
        return ""
    agree = f"{counts['agrees']:,} ({percent(counts['agrees'] / compared)})"
    numbers = [("comparisons with printed figures", f"{compared:,}"), ("agree", agree)]
    numbers += [("ours higher", f"{counts['above']:,}"), ("ours lower", f"{counts['below']:,}")]
    numbers += [("figures beyond the paper", f"{counts['alone']:,}")]
    return section("Outcome", tiles(numbers), _key())


def _key() -> str:
    """What the colours mean."""
    signs = "".join(f'<span class="{v}"><b>{SIGNS[v]}</b>{escape(WORDS[v])}</span>' for v in COMPARED)
    more = (
        "<span><strong>bold</strong> best of its column</span><span>○ in plots: the paper's own points</span>"
    )
    return f'<div class="key card wide">{signs}{more}</div>'


def _contents(parts: Parts) -> str:
    """A line a part; what it shows, with scores, behind it: all at once would be five screens of a phone."""
    blocks = []
    for i, (name, exhibits) in enumerate(parts.items()):
        items = "".join(
            f'<li><a href="#{escape(e.name)}">{escape(e.title)}</a>{_score(e)}</li>' for e in exhibits
        )
        whole = f'<summary><a href="#part-{i}">{escape(name)}</a>{_total(exhibits)}</summary>'
        blocks.append(f"<details>{whole}<ul>{items}</ul></details>")
    return f'<nav class="contents card wide">{"".join(blocks)}</nav>'


def _total(exhibits: Sequence[Exhibit]) -> str:
    """The score of all tables of a part."""
    found = [e.verdicts() for e in exhibits if isinstance(e, Table)]
    return tally({v: sum(each[v] for each in found) for v in COMPARED})


def _score(exhibit: Exhibit) -> str:
    """How many cells of a table agree, how many claims hold."""
    if isinstance(exhibit, Table):
        return tally(exhibit.verdicts())
    held = exhibit.held if isinstance(exhibit, Words) else ()
    return bar([(*look, held.count(holds)) for holds, look in _HELD.items()])


def _block(exhibit: Exhibit) -> str:
    if isinstance(exhibit, Table):
        return table_html(exhibit)
    if isinstance(exhibit, Plot):
        own = [s for s in exhibit.series if not (s.printed or s.reference)]
        wide = len(own) > 4 or len(exhibit.categories) > 6
        return chart(draw(exhibit), exhibit.title, exhibit.caption, wide, exhibit.name)
    return _words(exhibit)


def _words(words: Words) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in words.paragraphs)
    looks = [_HELD[h] for h in words.held]
    marks = [f'<b class="{v}">{sign}</b>' for v, sign, _ in looks] or [""] * len(words.items)
    items = "".join(
        f"<div><dt>{mark}{escape(claim)}</dt><dd>{escape(evidence)}</dd></div>"
        for mark, (claim, evidence) in zip(marks, words.items, strict=True)
    )
    listed = f"<dl>{items}</dl>" if items else ""
    if len(words.held) > MANY:
        listed = folded(f"{len(words.held)} claims", listed)
    return (
        f'<div{named(words.name)} class="words card wide"><h3>{escape(words.title)}</h3>'
        f"{_score(words)}{paragraphs}{listed}</div>"
    )

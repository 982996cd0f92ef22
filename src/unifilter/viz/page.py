"""One self-contained HTML page: sections of words, numbers, tables and figures; plotly.js inlined once.

It needs no network and asks for none: its content security policy forbids any. Light and dark follow the
reader's system, with a button to change it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from unifilter.record import write_atomically
from unifilter.viz.style import plotly

LONG = 200  # characters of a caption, four lines on a phone, beyond which it is folded
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z0-9])")
_HERE = Path(__file__).parent


def page(title: str, subtitle: str, sections: Sequence[str], style: str = "") -> str:
    """A whole page of sections.

    Parameters
    ----------
    title, subtitle : str
        Plain text; escaped here.
    sections : sequence of str
        HTML, from :func:`section`.
    style : str
        CSS beside that of every page.
    """
    css, js = (_HERE.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{css}{style}</style>
<script>{plotly("offline").get_plotlyjs()}</script>
</head>
<body>
<header>
<button id="theme" type="button" aria-label="Change between light and dark">◐</button>
<h1>{escape(title)}</h1>
<p>{escape(subtitle)}</p>
</header>
<main>
{"".join(sections)}
</main>
<footer>Made by unifilter. This page works offline: it holds all its data and loads nothing.</footer>
<script>{js}</script>
</body>
</html>
"""


def section(title: str, *blocks: str, words: str = "", name: str = "") -> str:
    """A heading, an opening sentence and blocks of HTML side by side where there is room.

    ``name`` is what a link to it ends in.

    Examples
    --------
    >>> section("Size", "<p>3 nodes</p>")
    '<section><h2>Size</h2><div class="blocks"><p>3 nodes</p></div></section>'
    """
    opening = f"<p>{escape(words)}</p>" if words else ""
    inside = f'<h2>{escape(title)}</h2>{opening}<div class="blocks">{"".join(blocks)}</div>'
    return f"<section{named(name)}>{inside}</section>"


def chart(figure: Any, title: str, caption: str, wide: bool = False, name: str = "") -> str:
    """A plotly Figure with a title above it and a sentence under it."""
    # "</script>" inside a text would end the element that holds it.
    data = figure.to_json().replace("<", "\\u003c")
    height = int(figure.layout.height)
    return (
        f'<figure{named(name)} class="chart{" wide" if wide else ""}"><h3>{escape(title)}</h3>'
        f'<div class="plot" role="img" aria-label="{escape(title)}" style="height:{height}px"></div>'
        f'<script type="application/json">{data}</script>'
        f"{said(caption)}</figure>"
    )


def said(caption: str) -> str:
    """A caption; of a long one the first sentence, the others behind it.

    Examples
    --------
    >>> said("Ten splits."), said("")
    ('<figcaption>Ten splits.</figcaption>', '')
    >>> said("Ten splits. " + "More of it. " * 20)[:60]
    '<figcaption><details><summary>Ten splits.</summary>More of i'
    """
    first, *rest = _SENTENCES.split(caption.strip(), maxsplit=1)
    if len(caption) > LONG and rest:
        return (
            f"<figcaption><details><summary>{escape(first)}</summary>{escape(rest[0])}</details></figcaption>"
        )
    return f"<figcaption>{escape(caption)}</figcaption>" if caption else ""


def folded(title: str, inside: str) -> str:
    """HTML that a click on its title shows.

    Examples
    --------
    >>> folded("2 notes", "<p>a, b</p>")
    '<details class="fold"><summary>2 notes</summary><p>a, b</p></details>'
    """
    return f'<details class="fold"><summary>{escape(title)}</summary>{inside}</details>'


def tiles(numbers: Sequence[tuple[str, str]]) -> str:
    """Large numbers with small names.

    Examples
    --------
    >>> tiles([("nodes", "3")])
    '<dl class="tiles wide"><div><dt>nodes</dt><dd>3</dd></div></dl>'
    """
    cells = (f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in numbers)
    return f'<dl class="tiles wide">{"".join(cells)}</dl>'


def callout(title: str, lines: Sequence[str], more: Sequence[str] = ()) -> str:
    """What to take home: a word, the reasons, and what to do."""
    reasons = "".join(f"<li>{escape(line)}</li>" for line in lines)
    advice = "".join(f"<p>{escape(line)}</p>" for line in more)
    return f'<div class="callout wide"><h3>{escape(title)}</h3><ul>{reasons}</ul>{advice}</div>'


def table(header: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "", wide: bool = True) -> str:
    """A table; numbers are set to the right. It scrolls by itself where the page is too narrow.

    Examples
    --------
    >>> '<td>cat</td><td class="number">0.5</td>' in table(["name", "p"], [["cat", 0.5]])
    True
    """
    number = [all(_is_number(row[i]) for row in rows) for i in range(len(header))]

    def cells(tag: str, values: Sequence[Any]) -> str:
        opening = [f'<{tag} class="number">' if right else f"<{tag}>" for right in number]
        return "".join(f"{o}{escape(_text(v))}</{tag}>" for o, v in zip(opening, values, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f'<figure class="table{" wide" if wide else ""}"><div class="scroll"><table><thead><tr>'
        f"{cells('th', header)}</tr></thead><tbody>{body}</tbody></table></div>{said(caption)}</figure>"
    )


def preformatted(text: str) -> str:
    """Text as it is, in lines."""
    return f'<pre class="wide">{escape(text)}</pre>'


def write(file: str | Path, html: str) -> None:
    """Write a page, whole or not at all."""
    write_atomically(file, html)


def named(name: str) -> str:
    """The attribute that a link can point to.

    Examples
    --------
    >>> named("table2"), named("")
    (' id="table2"', '')
    """
    return f' id="{escape(name)}"' if name else ""


def _is_number(value: Any) -> bool:
    """A number, or a text that is one with a point or a percent sign; "" is a missing one."""
    if not isinstance(value, str):
        return isinstance(value, int | float)
    return not value or (set(value) <= set("0123456789.,%+-") and ("." in value or "%" in value))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)

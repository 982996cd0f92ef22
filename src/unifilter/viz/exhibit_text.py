"""Tables and words as Markdown and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from unifilter.viz.exhibit import Cell, Table, Words
from unifilter.viz.exhibit_look import SIGNS, number

Line = Literal["printed", "ours", "difference"]
LINES: tuple[Line, ...] = ("printed", "ours", "difference")
PAGE = 45  # lines of a table that a page of a paper holds

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    "τ": r"$\tau$",
    "θ": r"$\theta$",
    "λ": r"$\lambda$",
    "ĥ": r"$\hat{h}$",
    "°": r"$^\circ$",
    "†": r"$\dagger$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "✓": r"$\checkmark$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "–": "--",
    "…": r"\dots{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    **{c: rf"\{c}" for c in "&%$#_{}"},
}


def markdown(table: Table, lines: Sequence[Line] = LINES) -> str:
    """A pipe table; a cell has a line for the printed figure, one for ours, one for the difference.

    Parameters
    ----------
    table : Table
    lines : sequence of {"printed", "ours", "difference"}
        Those that are shown, in this order; a README may want ours alone.

    Examples
    --------
    >>> from unifilter.viz.exhibit import Value
    >>> rows = {"UniFilter": {"Cora": Cell(Value(89.46, 1.2, 10), 89.49)}}
    >>> print(markdown(Table("t", "Accuracy", ["Cora"], rows)))
    **Accuracy (%)**
    <BLANKLINE>
    | | Cora |
    | :-- | --: |
    | UniFilter | *89.49*<br>89.46 ± 1.20<br>✓ −0.03 |
    <BLANKLINE>
    Each cell: *printed*, ours ± half of its 95% interval, the difference (✓ within the interval, ▲ above, ▼
    below).
    <BLANKLINE>
    """
    notes = numbered(table)
    body = []
    for row, cells in table.rows.items():
        shown = [
            "<br>".join(
                filter(None, (_md_line(table, row, c, cells.get(c, Cell()), line, notes) for line in lines))
            )
            for c in table.columns
        ]
        body.append(f"| {_md(row)} | {' | '.join(shown)} |")
    header = f"| {_md(table.corner)} | {' | '.join(map(_md, table.columns))} |".replace("|  |", "| |")
    rule = f"| :-- | {' | '.join('--:' for _ in table.columns)} |"
    blocks = [f"**{_md(titled(table))}**", "\n".join([header, rule, *body])]
    blocks += [" ".join(filter(None, (_md(table.caption), _legend(table, lines))))]
    blocks += [f"[{i}] {_md(note)}" for note, i in notes.items()]
    return "\n\n".join(filter(None, blocks)) + "\n"


def words_markdown(words: Words) -> str:
    """Heading, paragraphs, and the items as a list: the claim, then its evidence.

    Examples
    --------
    >>> print(words_markdown(Words("w", "Errata", ["Two."], [("1 + 1 = 3", "It is 2.")])))
    ## Errata
    <BLANKLINE>
    Two.
    <BLANKLINE>
    - **1 + 1 = 3** It is 2.
    <BLANKLINE>
    """
    items = "\n".join(f"- **{_md(claim)}** {_md(evidence)}" for claim, evidence in words.items)
    return "\n\n".join(filter(None, [f"## {_md(words.title)}", *map(_md, words.paragraphs), items])) + "\n"


def latex(table: Table) -> str:
    r"""A ``table`` with booktabs (and amssymb for the signs): up to three lines for every row of ours.

    More lines than a page holds are a ``longtable``, of the package of that name. Where nothing was printed,
    no column says that the figures are ours.

    Examples
    --------
    >>> from unifilter.viz.exhibit import Value
    >>> rows = {"A & B": {"Cora": Cell(Value(89.46, 1.2, 10), 89.49)}}
    >>> for line in latex(Table("t", "Accuracy", ["Cora"], rows)).splitlines()[6:10]:
    ...     print(line)
    \midrule
    A \& B & printed & 89.49 \\
     & ours & 89.46 {\scriptsize $\pm$ 1.20} \\
     & difference & $\checkmark$ $-$0.03 \\
    """
    notes = numbered(table)
    sides = any(cell.printed is not None for cells in table.rows.values() for cell in cells.values())
    body = [_tex_rows(table, row, notes, sides) for row in table.rows]
    caption = rf"\caption{{{_tex(' '.join(filter(None, [titled(table) + '.', table.caption])))}}}"
    footnotes = "".join(f"\n\\par\\footnotesize [{i}] {_tex(note)}" for note, i in notes.items())
    columns = f"{'ll' if sides else 'l'}{'r' * len(table.columns)}"
    header = " & ".join([_tex(table.corner), *([""] if sides else []), *map(_tex, table.columns)])
    head = f"\\toprule\n{header} \\\\\n\\midrule"
    lines = "\n".join(_spaced(body))
    if lines.count("\n") >= PAGE:
        return rf"""\begin{{longtable}}{{{columns}}}
{caption}\label{{tab:{table.name}}} \\
{head}
\endfirsthead
{head}
\endhead
\bottomrule
\endfoot
{lines}
\end{{longtable}}{footnotes}
"""
    return rf"""\begin{{table}}
\centering
{caption}\label{{tab:{table.name}}}
\begin{{tabular}}{{{columns}}}
{head}
{lines}
\bottomrule
\end{{tabular}}{footnotes}
\end{{table}}
"""


def _tex_rows(table: Table, row: str, notes: dict[str, int], sides: bool) -> str:
    """A row of ours: the lines that have a figure, with their names if there are ``sides`` to tell apart."""
    lines = [
        (line, [_tex_line(table, row, c, table.rows[row].get(c, Cell()), line, notes) for c in table.columns])
        for line in LINES
    ]
    kept = [(line, shown) for line, shown in lines if any(shown)] or lines[1:2]
    names = {"printed": _tex(table.peer), "ours": "ours", "difference": "difference"}
    return "\n".join(
        " & ".join([_tex(row) if i == 0 else "", *([names[line]] if sides else []), *shown]) + r" \\"
        for i, (line, shown) in enumerate(kept)
    )


def titled(table: Table) -> str:
    """The title with its unit."""
    return f"{table.title} ({table.unit})" if table.unit else table.title


def numbered(table: Table) -> dict[str, int]:
    """The notes of all cells, equal ones once, with the numbers they are cited by."""
    notes = (cells[c].note for cells in table.rows.values() for c in table.columns if c in cells)
    return {note: i for i, note in enumerate(dict.fromkeys(filter(None, notes)), 1)}


def difference(table: Table, cell: Cell) -> str:
    """The sign of the verdict, the difference, and its interval where that is more than our own."""
    gap = cell.difference
    if gap is None:
        return ""
    half = cell.difference_half if cell.printed_half else None
    own = f" ± {half:.{table.digits}f}" if half and round(half, table.digits) else ""
    return f"{SIGNS[cell.verdict(table.precision)]} {number(gap, table.digits, signed=True)}{own}"


def _legend(table: Table, lines: Sequence[Line]) -> str:
    verdicts = table.verdicts()
    if tuple(lines) != LINES or not sum(verdicts[v] for v in ("agrees", "above", "below")):
        return ""
    return (
        f"Each cell: *{table.peer}*, ours ± half of its 95% interval, the difference "
        f"({SIGNS['agrees']} within the interval, {SIGNS['above']} above, {SIGNS['below']} below)."
    )


def _parts(table: Table, cell: Cell, line: Line) -> tuple[str, str]:
    """A line's figure and what follows it in smaller type; empty if there is none."""
    if line == "printed":
        return ("", "") if cell.printed is None else (number(cell.printed, table.precision), "")
    if line == "ours":
        if cell.ours is None:
            return "", ""
        half = "" if cell.ours.half is None else f"± {cell.ours.half:.{table.digits}f}"
        return number(cell.ours.mean, table.digits), ", ".join(filter(None, (half, cell.mark)))
    return difference(table, cell), ""


def _md_line(table: Table, row: str, column: str, cell: Cell, line: Line, notes: dict[str, int]) -> str:
    figure, more = _parts(table, cell, line)
    if not figure:
        return ""
    if line == "printed":
        figure = f"*{figure}*"
    elif line == "ours" and row in table.winners(column):
        figure = f"**{figure}**"
    mark = f"<sup>{notes[cell.note]}</sup>" if cell.note and line == "ours" else ""
    return f"{figure} {_md(more)}".strip() + mark


def _tex_line(table: Table, row: str, column: str, cell: Cell, line: Line, notes: dict[str, int]) -> str:
    figure, more = _parts(table, cell, line)
    if not figure:
        return ""
    shown = _tex(figure)
    if line == "ours" and row in table.winners(column):
        shown = rf"\textbf{{{shown}}}"
    mark = rf"\textsuperscript{{{notes[cell.note]}}}" if cell.note and line == "ours" else ""
    return shown + (rf" {{\scriptsize {_tex(more)}}}" if more else "") + mark


def _spaced(blocks: Sequence[str]) -> list[str]:
    """A little room between rows of several lines."""
    if all("\n" not in block for block in blocks):
        return list(blocks)
    return [block if i == len(blocks) - 1 else f"{block}\n\\addlinespace" for i, block in enumerate(blocks)]


def _md(text: str) -> str:
    """Nothing in it is read as markup, nor ends a cell."""
    return re.sub(r"([\\`*_\[\]|<>])", r"\\\1", text).replace("\n", " ")


def _tex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text).replace("\n", " ")

"""A Table as HTML: three lines a cell, coloured by whether ours agrees with what was printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from unifilter.viz.exhibit import Cell, Table, Verdict
from unifilter.viz.exhibit_look import COMPARED, SIGNS, WORDS, number
from unifilter.viz.exhibit_text import difference, numbered, titled
from unifilter.viz.page import folded, named, said

FEW = 6  # notes that are seen at once; more are folded


def table_html(table: Table) -> str:
    """The table with its title, how many cells agree, its caption and its notes.

    Examples
    --------
    >>> from unifilter.viz.exhibit import Value
    >>> html = table_html(Table("t", "T", ["Cora"], {"a": {"Cora": Cell(Value(89.4, 0.5, 10), 89.0)}}))
    >>> '<td class="agrees"' in html and "+0.40" in html
    True
    """
    notes = numbered(table)
    best = {column: table.winners(column) for column in table.columns}
    header = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>'
        + "".join(_cell(table, row in best[c], cells.get(c), notes) for c in table.columns)
        + "</tr>"
        for row, cells in table.rows.items()
    )
    return (
        f'<figure{named(table.name)} class="table exhibit wide"><h3>{escape(titled(table))}</h3>'
        f"{tally(table.verdicts())}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f'<table style="min-width:min(100%, {12 + 9 * len(table.columns)}em)"><thead><tr>'
        f'<th scope="col">{escape(table.corner)}</th>{header}</tr></thead><tbody>{body}</tbody></table></div>'
        f"{said(table.caption)}{_footnotes(list(notes))}</figure>"
    )


def _footnotes(notes: Sequence[str]) -> str:
    listed = f"<ol>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ol>" if notes else ""
    return folded(f"{len(notes)} notes", listed) if len(notes) > FEW else listed


def tally(verdicts: Mapping[Verdict, int]) -> str:
    """A bar of how many cells agree, lie above and below; nothing if none could be compared.

    Examples
    --------
    >>> tally({"agrees": 2, "above": 0, "below": 1, "alone": 5}).count("<span")
    2
    """
    return bar([(v, SIGNS[v], WORDS[v], verdicts[v]) for v in COMPARED])


def bar(counts: Sequence[tuple[Verdict, str, str, int]]) -> str:
    """Coloured shares: a verdict's colour, its sign, what it means, how many; nothing where all are 0.

    Examples
    --------
    >>> bar([("agrees", "✓", "holds", 2), ("below", "✗", "does not hold", 0)])
    '<div class="tally"><span class="agrees" style="flex:2" title="2: holds">✓ 2</span></div>'
    """
    spans = "".join(
        f'<span class="{v}" style="flex:{n}" title="{n}: {escape(means)}">{sign} {n}</span>'
        for v, sign, means, n in counts
        if n
    )
    return f'<div class="tally">{spans}</div>' if spans else ""


def _cell(table: Table, best: bool, cell: Cell | None, notes: Mapping[str, int]) -> str:
    if cell is None or (cell.ours is None and cell.printed is None):
        return '<td><span class="none">–</span></td>'
    lines = []
    if cell.printed is not None:
        figure = number(cell.printed, table.precision)
        lines.append(f'<span class="printed" data-peer="{escape(table.peer)}">{figure}</span>')
    if cell.ours is None:
        lines.append('<span class="none">–</span>')
    else:
        half = "" if cell.ours.half is None else f" <i>± {cell.ours.half:.{table.digits}f}</i>"
        mark = f"<sup>{notes[cell.note]}</sup>" if cell.note else ""
        mean = number(cell.ours.mean, table.digits)
        lines.append(f'<span class="ours{" best" if best else ""}"><b>{mean}</b>{half}{mark}</span>')
        lines += [f'<span class="mark">{escape(cell.mark)}</span>'] if cell.mark else []
    verdict = cell.verdict(table.precision)
    if verdict != "alone":
        lines.append(f'<span class="difference">{difference(table, cell)}</span>')
    return f'<td class="{verdict}" title="{escape(_hover(cell, verdict))}">{"".join(lines)}</td>'


def _hover(cell: Cell, verdict: Verdict) -> str:
    runs = "" if cell.ours is None else "one run" if cell.ours.runs == 1 else f"mean of {cell.ours.runs} runs"
    return "; ".join(filter(None, (runs, WORDS[verdict], cell.note)))

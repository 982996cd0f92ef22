"""Beyond the paper: what each extension of UniFilter is worth in the settings that were chosen with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unifilter.models._registry import configure
from unifilter.reproduce import rows
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale, Searched
from unifilter.reproduce.results import PAIRED, Results, cell_of, whole
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

# What the paper's model has in its place.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "a bias": {"bias": False},
    "batch normalisation": {"batch_norm": False},
    "inputs that dropout spares": {"drop_inputs": True},
    "rows of length 1": {"row_norm": False},
    "the features beside the filtered ones": {"ego": False},
    "weights for every column": {"per_column": False},
}
EVERY = "any of them"
TAKEN = EXTENSIONS | {EVERY: {key: value for plain in EXTENSIONS.values() for key, value in plain.items()}}
KINDS = {"quota": "60/20/20 quota splits", "fixed": "public splits of 48/32/20"}
CAPTION = (
    "Test accuracy in percent on {splits} {kind}. UniFilter with the setting of its extended row "
    "and without what that setting has beyond the model of the paper's text, one thing at a time and all of "
    "it; nothing else was tuned anew. Batch normalisation is in a released setting, too. Cells are empty "
    "where the setting has none of it{plain}. {gains}"
)


def job(without: str, graph: str, kind: str, scale: Scale) -> Job:
    """The extended search's setting without an extension; with all of them where the name is empty."""
    how: Published | Searched = replace(rows.extended(scale), changes=TAKEN.get(without, {}))
    if scale.quick:
        options = {"bias": True, "batch_norm": True} | TAKEN.get(without, {})
        how = Published(Entry("unifilter", options=options))
    name = f"UniFilter, extended, without {without}" if without else rows.row("unifilter", rows.EXTENDED)
    return Job(name, graph, f"{kind}:{scale.splits}", how)


def jobs(scale: Scale) -> list[Job]:
    """All graphs and kinds of splits; a setting without what it lacks anyway is not trained again."""
    kinds = list(KINDS)[:1] if scale.quick else KINDS
    return [job(w, graph, kind, scale) for kind in kinds for graph in scale.graphs for w in ("", *TAKEN)]


def differs(without: str, graph: str, kind: str, results: Results, scale: Scale) -> bool:
    """Whether the setting has the extension."""
    with_, less = (results.entry(job(w, graph, kind, scale)) for w in ("", without))
    if with_ is None or less is None:
        return False
    return bool(configure("unifilter", with_.options) != configure("unifilter", less.options))


def gain(without: str, graph: str, kind: str, results: Results, scale: Scale) -> Value | None:
    """Points that an extension gains, split by split; None before all splits were run."""
    if not differs(without, graph, kind, results, scale):
        return None
    found = results.gain(job("", graph, kind, scale), job(without, graph, kind, scale))
    return whole(found, scale.splits)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A table for each kind of splits, once there is anything to compare."""
    tables = [_table(kind, results, scale) for kind in KINDS]
    return [table for table in tables if len(table.rows) > 1]


def _table(kind: str, results: Results, scale: Scale) -> Table:
    used = [g for g in scale.graphs if differs(EVERY, g, kind, results, scale)]
    plain = [g for g in scale.graphs if g not in used]
    values = {g: results.value(job("", g, kind, scale)) for g in used}
    cells: dict[str, dict[str, Cell]] = {
        "with its extensions": {g: cell_of(value, scale.splits) for g, value in values.items()}
    }
    for without in TAKEN:
        having = [g for g in used if differs(without, g, kind, results, scale)]
        values = {g: results.value(job(without, g, kind, scale)) for g in having}
        cells[f"without {without}"] = {g: cell_of(value, scale.splits) for g, value in values.items()}
        gains = {g: Cell(gain(without, g, kind, results, scale)) for g in having}
        cells[f"gain of {without.replace(EVERY, 'all of them')}"] = gains
    cells = {row: found for row, found in cells.items() if any(c.ours for c in found.values())}
    none = f"; that of {', '.join(plain)} has nothing beyond the paper's model" if plain else ""
    caption = CAPTION.format(splits=scale.splits, kind=KINDS[kind], plain=none, gains=PAIRED)
    title = f"What the extensions of UniFilter gain, {KINDS[kind]}"
    return Table(f"extensions_{kind}", title, used, cells, caption, best="none", corner="UniFilter")


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run: which extension gains more than its interval."""
    claims = []
    cases = [(w, g, kind) for kind in KINDS for g in scale.graphs for w in TAKEN]
    for without, graph, kind in () if scale.quick else cases:
        found = gain(without, graph, kind, results, scale)
        if found is not None and found.half is not None:
            what = without.replace(EVERY, "the extensions together")
            sentence = f"{what}: a gain on {graph}, {KINDS[kind]}"
            claims.append(
                Claim(sentence, found.mean > found.half, f"{found.mean:+.2f} ± {found.half:.2f} points")
            )
    return claims


TITLE = "Beyond the paper: what the extensions of UniFilter gain"
PART = Part("extensions", TITLE, show, jobs, check=check)

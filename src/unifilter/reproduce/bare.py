"""Beyond the paper: the graph alone, its features taken away."""

from __future__ import annotations

from collections.abc import Sequence

from unifilter.reproduce.part import Claim, Job, Part, Published, Scale
from unifilter.reproduce.results import Results, cell_of
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Exhibit, Table

OURS = "UniFilter on random signals"
# Who, and on what: nothing at all, or random signals in the place of features.
ROWS = {
    "Label propagation": ("labelpropagation", "bare"),
    "LINKX": ("linkx", "bare"),
    "GCN on random signals": ("gcn", "signals"),
    OURS: ("unifilter", "signals"),
}
CAPTION = (
    "Test accuracy in percent, mean over {splits} quota splits of 60/20/20 without the nodes' features: what "
    "the graph alone tells. Label propagation and LINKX need none; the others filter 512 random signals. "
    "Default settings of this library, none searched."
)


def job(row: str, graph: str, scale: Scale) -> Job:
    """A model with its default settings."""
    model, on = ROWS[row]
    return Job(row, f"{on}:{graph}", f"quota:{scale.splits}", Published(Entry(model)))


def graphs(scale: Scale) -> tuple[str, ...]:
    """All, or one."""
    return scale.graphs[:1] if scale.quick else scale.graphs


def jobs(scale: Scale) -> list[Job]:
    """Every row on every graph."""
    return [job(row, graph, scale) for graph in graphs(scale) for row in ROWS]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """One table."""
    rows = {
        row: {g: cell_of(results.value(job(row, g, scale)), scale.splits) for g in graphs(scale)}
        for row in ROWS
    }
    caption = CAPTION.format(splits=scale.splits)
    return [Table("bare", "The graph alone", graphs(scale), rows, caption, corner="model")]


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run: that a filter of signals is, on every graph, not worse than what needs no features."""
    claims = []
    for graph in () if scale.quick else graphs(scale):
        for row in ("Label propagation", "LINKX"):
            found = results.gain(job(OURS, graph, scale), job(row, graph, scale))
            if found is not None and found.half is not None and found.runs == scale.splits:
                sentence = f"without features, UniFilter on {graph} is not worse than {row}"
                evidence = f"it gains {found.mean:+.2f} ± {found.half:.2f} points"
                claims.append(Claim(sentence, found.mean >= -found.half, evidence))
    return claims


PART = Part("bare", "Beyond the paper: the graph without features", show, jobs, check=check)

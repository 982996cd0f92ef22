"""Beyond the paper: auto on graphs that took no part in choosing its portfolio."""

from __future__ import annotations

from collections.abc import Sequence

from unifilter.reproduce.part import Auto, Claim, Job, Part, Scale
from unifilter.reproduce.results import PAIRED, Results, cell_of, whole
from unifilter.reproduce.settings import unseen
from unifilter.train.portfolio import FEW
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

SEEN, UNSEEN, GAIN = "auto", "auto, the graph unseen", "what seeing it gains"
PROTOCOLS = {"quota": "quota splits of 60/20/20", "fixed": "public splits of 48/32/20"}
CAPTION = (
    "Test accuracy in percent, mean over {splits} {words}. The library's portfolio was chosen by validation "
    "accuracies on these graphs; unseen: chosen in the same way by the five others, so that nothing of the "
    "graph was known before its race. {gains}"
)


def job(form: str, graph: str, kind: str, scale: Scale) -> Job:
    """Auto with the library's portfolio, or with that of the other graphs."""
    portfolio = None
    if form == UNSEEN:
        portfolio = FEW[:1] if scale.quick else unseen(graph, scale.configs)
    return Job(form, graph, f"{kind}:{scale.splits}", Auto("2s" if scale.quick else None, portfolio))


def graphs(scale: Scale) -> tuple[str, ...]:
    """Those whose portfolio without them is known."""
    if scale.quick:
        return scale.graphs[:1]
    return tuple(g for g in scale.graphs if unseen(g, scale.configs) is not None)


def jobs(scale: Scale) -> list[Job]:
    """Both forms; the first is a row of the tables."""
    forms = SEEN, UNSEEN
    return [job(form, graph, kind, scale) for kind in PROTOCOLS for graph in graphs(scale) for form in forms]


def gain(graph: str, kind: str, results: Results, scale: Scale) -> Value | None:
    """Points that having seen a graph gains on it, split by split; None before all splits were run."""
    found = results.gain(job(SEEN, graph, kind, scale), job(UNSEEN, graph, kind, scale))
    return whole(found, scale.splits)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A table for each kind of splits, once there is anything to compare."""
    tables = [_table(kind, results, scale) for kind in PROTOCOLS]
    return [t for t in tables if any(cell.ours is not None for cell in t.rows[UNSEEN].values())]


def _table(kind: str, results: Results, scale: Scale) -> Table:
    found = {
        form: {g: cell_of(results.value(job(form, g, kind, scale)), scale.splits) for g in graphs(scale)}
        for form in (SEEN, UNSEEN)
    }
    found[GAIN] = {g: Cell(gain(g, kind, results, scale)) for g in graphs(scale)}
    words = PROTOCOLS[kind]
    caption = CAPTION.format(splits=scale.splits, words=words, gains=PAIRED)
    title = f"Auto on graphs that it has not seen, {words}"
    return Table(f"unseen_{kind}", title, graphs(scale), found, caption, best="none", corner="UniFilter")


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run: that auto owes nothing to having seen a graph, beyond the interval of the gain."""
    claims = []
    for kind, graph in () if scale.quick else [(k, g) for k in PROTOCOLS for g in graphs(scale)]:
        found = gain(graph, kind, results, scale)
        if found is not None and found.half is not None:
            sentence = f"auto does as well on {graph}, {kind}, without having seen it"
            evidence = f"seeing it gains {found.mean:+.2f} ± {found.half:.2f} points"
            claims.append(Claim(sentence, found.mean <= found.half, evidence))
    return claims


PART = Part("unseen", "Beyond the paper: auto on graphs that it has not seen", show, jobs, check=check)

"""Beyond the paper: what changes of UniFilter's architecture and training gain, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unifilter.reproduce.part import Claim, Job, Part, Published, Scale
from unifilter.reproduce.results import PAIRED, Results, cell_of, whole
from unifilter.train.config import Training
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

PLAIN = "unchanged"
CHANGES: dict[str, dict[str, Any]] = {
    PLAIN: {},
    "the MLP sees the features too": {"ego": True},
    "w begins as the identity": {"start": "identity"},
    "2 hops": {"K": 2},
    "no bias": {"bias": False},
    "batch normalisation": {"batch_norm": True},
    "no dropout on what is filtered": {"drop_inputs": False},
    "weights for every column": {"per_column": True},
    "filtered rows of length 1": {"row_norm": True},
}
# Validation nodes that choose the epoch by accuracy are fitted a little: their accuracy is above that of test
# nodes on the public splits of Cora and Citeseer. Their loss cannot be hit by luck as easily.
TRAINED: dict[str, dict[str, Any]] = {"stopped by the validation loss": {"monitor": "loss"}}
ALL = (*CHANGES, *TRAINED)
CAPTION = (
    "Test accuracy in percent on {splits} public splits of 48/32/20, one setting for all graphs: K = 10, 2 "
    "layers of 64, dropout {dropout}, decay 0.001, learning rate 0.01, tau and h learned. {gains}"
)
DROPOUTS = (0.5, 0.2)


def entry(change: str, dropout: float) -> Entry:
    """One setting for all graphs."""
    groups = {
        "filter": {"lr": 0.01, "weight_decay": 1e-4},
        "shares": {"lr": 0.05, "weight_decay": 0.0},
    }
    training = Training(epochs=300, patience=60, lr=0.01, weight_decay=1e-3, groups=groups)
    training = replace(training, **TRAINED.get(change, {}))
    options = {"hidden": 64, "layers": 2, "dropout": dropout, "paper_init": False, "bias": True}
    return Entry("unifilter", "row", options | CHANGES.get(change, {}), training)


def job(change: str, dropout: float, graph: str, scale: Scale) -> Job:
    """One change on one graph."""
    row = f"{change}, dropout {dropout:g}"
    return Job(row, graph, f"fixed:{scale.splits}", Published(entry(change, dropout)))


def jobs(scale: Scale) -> list[Job]:
    """All changes on all graphs."""
    return [job(c, p, graph, scale) for p in _dropouts(scale) for graph in scale.graphs for c in ALL]


def gain(change: str, dropout: float, graph: str, results: Results, scale: Scale) -> Value | None:
    """Points that a change gains, split by split; None before all splits were run."""
    found = results.gain(job(change, dropout, graph, scale), job(PLAIN, dropout, graph, scale))
    return whole(found, scale.splits)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Accuracies and gains, a table for each dropout."""
    return [_table(p, results, scale) for p in _dropouts(scale)]


def _dropouts(scale: Scale) -> Sequence[float]:
    return DROPOUTS[:1] if scale.quick else DROPOUTS


def _table(dropout: float, results: Results, scale: Scale) -> Table:
    rows: dict[str, dict[str, Cell]] = {}
    for change in ALL:
        values = {g: results.value(job(change, dropout, g, scale)) for g in scale.graphs}
        rows[change] = {g: cell_of(value, scale.splits) for g, value in values.items()}
        if change != PLAIN:
            gains = {g: Cell(gain(change, dropout, g, results, scale)) for g in scale.graphs}
            rows[f"its gain: {change}"] = gains
    title = f"Changes of the architecture and of training, dropout {dropout:g}"
    caption = CAPTION.format(splits=scale.splits, dropout=f"{dropout:g}", gains=PAIRED)
    name = "changes" if dropout == DROPOUTS[0] else f"changes_{dropout:g}".replace(".", "_")
    return Table(name, title, scale.graphs, rows, caption, best="none", corner="UniFilter")


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run: what helps where, beyond the interval of its gain."""
    claims = []
    cases = [(c, p, g) for p in _dropouts(scale) for c in ALL if c != PLAIN for g in scale.graphs]
    for change, dropout, graph in () if scale.quick else cases:
        found = gain(change, dropout, graph, results, scale)
        if found is not None and found.half is not None:
            evidence = f"{found.mean:+.2f} ± {found.half:.2f} points"
            sentence = f"{change}: helps on {graph} with dropout {dropout:g}"
            claims.append(Claim(sentence, found.mean > found.half, evidence))
    return claims


TITLE = "Beyond the paper: changes of the architecture and of training"
PART = Part("changes", TITLE, show, jobs, check=check)

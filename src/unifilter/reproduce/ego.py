"""Beyond the paper: what UniFilter gains when its MLP sees the features beside the filtered ones."""

from __future__ import annotations

from collections.abc import Sequence

from unifilter.reproduce.part import Claim, Job, Part, Published, Scale
from unifilter.reproduce.results import Results, value_of
from unifilter.train.compare import Entry
from unifilter.train.config import Training
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value

FORMS = {"filtered features": False, "and the features themselves": True}
PLAIN, EGO = FORMS
CAPTION = (
    "Test accuracy in percent on {splits} public splits of 48/32/20, one setting for all graphs: K = 10, 2 "
    "layers of 64, dropout 0.5, decay 0.001, learning rate 0.01, tau and h learned. The gain is paired."
)


def entry(ego: bool) -> Entry:
    """One setting for all graphs; nothing but ``ego`` differs."""
    groups = {
        "filter": {"lr": 0.01, "weight_decay": 1e-4},
        "shares": {"lr": 0.05, "weight_decay": 0.0},
    }
    training = Training(epochs=300, patience=60, lr=0.01, weight_decay=1e-3, groups=groups)
    options = {"hidden": 64, "layers": 2, "dropout": 0.5, "paper_init": False, "bias": True, "ego": ego}
    return Entry("unifilter", "row", options, training)


def job(form: str, graph: str, scale: Scale) -> Job:
    """One form on one graph."""
    return Job(form, graph, f"fixed:{scale.splits}", Published(entry(FORMS[form])))


def jobs(scale: Scale) -> list[Job]:
    """Both forms on all graphs."""
    return [job(form, graph, scale) for graph in scale.graphs for form in FORMS]


def gain(results: Results, graph: str, scale: Scale) -> Value | None:
    """Points that the features gain, split by split."""
    both = zip(*(results.by_split(job(f, graph, scale)) for f in (EGO, PLAIN)), strict=True)
    found = [100 * (a.scores["test"]["accuracy"] - b.scores["test"]["accuracy"]) for a, b in both if a and b]
    return value_of(found) if found else None


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Accuracies and gains."""
    rows = {
        form: {graph: _cell(results.value(job(form, graph, scale)), scale) for graph in scale.graphs}
        for form in FORMS
    }
    rows["gain"] = {graph: Cell(gain(results, graph, scale)) for graph in scale.graphs}
    title = "The features beside the filtered ones"
    caption = CAPTION.format(splits=scale.splits)
    return [Table("ego", title, scale.graphs, rows, caption, best="none", corner="the MLP sees")]


def _cell(value: Value | None, scale: Scale) -> Cell:
    short = value is not None and value.runs < scale.splits
    return Cell(value, note=f"{value.runs} of {scale.splits} splits" if value and short else "")


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """In a full run: where they help, beyond the interval of the gain."""
    claims = []
    for graph in () if scale.quick else scale.graphs:
        found = gain(results, graph, scale)
        if found is not None and found.half is not None and found.runs == scale.splits:
            evidence = f"{found.mean:+.2f} ± {found.half:.2f} points"
            sentence = f"the features beside the filtered ones help on {graph}"
            claims.append(Claim(sentence, found.mean > found.half, evidence))
    return claims


PART = Part("ego", "Beyond the paper: the features beside the filtered ones", show, jobs, check=check)

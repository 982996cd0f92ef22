"""Beyond the paper: accuracy against h for all models on one synthetic family, who wins where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unifilter.models import model_class
from unifilter.models import names as every
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale, unproven
from unifilter.reproduce.results import Results
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table, Value

FAMILY = "sbm:n=1000,h={h:g},classes=5,degree=10,d=32,signal=1.5"
QUICK_FAMILY = "sbm:n=300,h={h:g},classes=3,degree=8,d=8,signal=1.5"
QUICK = ("mlp", "gcn", "unifilter")
SPLITS = 5
SHOWN = ("unifilter", "gprgnn", "gcn", "mlp", "labelpropagation")  # in colour, and the best of the others
OTHERS = "other models"
# Where a choice on validation nodes is a part of the method: without it ASGC's filter is the identity here.
GRIDS: dict[str, dict[str, list[Any]]] = {"asgc": {"K": [1, 2, 4, 8], "R": [1e-4, 1e-3, 1e-2, 0.1, 1.0]}}


def homophilies(scale: Scale) -> list[float]:
    """From strong heterophily to strong homophily; 0.2 is chance with five classes."""
    return [0.05, 0.9] if scale.quick else [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def models(scale: Scale) -> list[str]:
    """All that are registered, but a committee, which is put together from others."""
    return list(QUICK) if scale.quick else [name for name in every() if name != "committee"]


def job(model: str, h: float, scale: Scale) -> Job:
    """A model with its default options, or with those that it chooses itself."""
    graph = (QUICK_FAMILY if scale.quick else FAMILY).format(h=h)
    title = model_class(model).card.title
    return Job(
        title,
        graph,
        f"stratified:{min(scale.splits, SPLITS)}",
        Published(Entry(model, grid=GRIDS.get(model, {}))),
    )


def jobs(scale: Scale) -> list[Job]:
    """Every model on every graph of the family."""
    return [job(model, h, scale) for model in models(scale) for h in homophilies(scale)]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """All curves, few of them in colour, and the table behind them with the winners."""
    found: dict[str, dict[float, Value]] = {}
    for model in models(scale):
        values = {h: results.value(job(model, h, scale)) for h in homophilies(scale)}
        known = {h: v for h, v in values.items() if v is not None}
        if known:
            found[model_class(model).card.title] = known
    rows = {title: {f"{h:g}": Cell(v) for h, v in values.items()} for title, values in found.items()}
    columns = [f"{h:g}" for h in homophilies(scale)]
    about = (
        "Contextual block model of 5 equal classes, mean degree 10, features around class centres; default "
        "options of every model, but for ASGC, which chooses K and R on validation nodes; "
        f"{min(scale.splits, SPLITS)} stratified splits of 60/20/20. At h = 0 and 1 one of the two kinds of "
        "edges is never drawn, and the features that are drawn next are others: a step there, as the MLP's, "
        "is not one of homophily."
    )
    title, shown = "Accuracy against homophily", coloured(found, len(columns))
    order = [*shown, *(name for name in found if name not in shown)]
    series = [_series(name, found[name], "" if name in shown else OTHERS) for name in order]
    words = f"In colour: {', '.join(shown)}"
    words += ", the last for the highest mean accuracy of all others" if set(shown) - set(_titles()) else ""
    words += "; the names of the grey ones show on hovering." if len(order) > len(shown) else "."
    return [
        Plot("family", title, "homophily h", "test accuracy (%)", series, f"{words} {about}"),
        Table("family_table", "Who wins at which homophily", columns, rows, about, corner="model"),
    ]


def coloured(found: Mapping[str, Mapping[float, Value]], count: int) -> list[str]:
    """Titles of the chosen models, and of the best other one that has all of the ``count`` homophilies."""
    chosen = [title for title in _titles() if title in found]
    means = {
        title: sum(v.mean for v in values.values()) / count
        for title, values in found.items()
        if title not in chosen and len(values) == count
    }
    return [*chosen, *([max(means, key=lambda title: means[title])] if means else [])]


def _titles() -> list[str]:
    return [model_class(model).card.title for model in SHOWN]


def _series(name: str, values: Mapping[float, Value], muted: str) -> Series:
    means, halves = [v.mean for v in values.values()], [v.half for v in values.values()]
    return Series(name, list(values), means, halves, muted=muted)


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """Neighbours help where they agree: a filter beats the MLP at high h."""
    h = [h for h in homophilies(scale) if h < 1][-1]
    net, filtered = (results.value(job(m, h, scale)) for m in ("mlp", "unifilter"))
    sentence = f"UniFilter beats the MLP at h = {h:g}"
    if net is None or filtered is None:
        return unproven(sentence, scale)
    return [Claim(sentence, filtered.mean > net.mean, f"{filtered.mean:.1f} against {net.mean:.1f}")]


PART = Part("family", "Beyond the paper: accuracy against h for every model", show, jobs, check=check)

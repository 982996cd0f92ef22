"""Spectrum figure: frequency and learned weight of every basis vector of UniFilter, for the six graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from unifilter.bases import released, unibasis
from unifilter.data.dataset import Dataset
from unifilter.graph import propagation
from unifilter.krylov import complete, frequency, lanczos
from unifilter.presets import NAMES, preset
from unifilter.record import Record
from unifilter.reproduce import as_printed
from unifilter.reproduce.estimates import safe
from unifilter.reproduce.part import Claim, Job, Measure, Part, Published, Scale
from unifilter.reproduce.printed import printed
from unifilter.reproduce.protocols import trials
from unifilter.reproduce.results import Results, value_of
from unifilter.reproduce.tau import entry
from unifilter.train.run import pick_device, training_homophily
from unifilter.viz.exhibit import Cell, Exhibit, Plot, Series, Table

K = 10
COLUMNS = 256  # factorised at a time
BY_HOP = "How fast each basis vector changes, as printed"
BASES = {"released": "released basis", "unibasis": "exact basis"}
AS_PRINTED = "released basis, as printed"
AXIS = "Σ (x_u - x_v)² / Σ d_u x_u²"
SUM = "sum of (x_u - x_v)² over edges, by that of d_u x_u²"


def take(dataset: Dataset, what: Mapping[str, Any], device: str) -> dict[str, dict[str, float]]:
    """Frequency f of each basis vector, the mean over columns that are not 0, and over the splits' h.

    Examples
    --------
    >>> from unifilter.data import load
    >>> what = {"basis": "unibasis", "tau": 0.5, "preprocess": "none", "protocol": "quota:2"}
    >>> found = take(load("sbm:n=200,h=0.9"), what, "cpu")["frequency"]
    >>> len(found), 0 < found["10"] < found["0"] < 1
    (11, True)
    """
    where = pick_device(device)
    h = [training_homophily(dataset, trial.split, []) for trial in trials(dataset, what["protocol"])]
    build = released if what["basis"] == "released" else unibasis
    X = dataset.preprocess(what["preprocess"]).features()
    P = propagation(dataset.graph, dtype=X.dtype, device=where)
    total, columns = torch.zeros(K + 1, dtype=torch.float64), 0
    for at in range(0, X.shape[1], COLUMNS):
        krylov = lanczos(P, X[:, at : at + COLUMNS].contiguous().to(where), K)
        live = krylov.norm > 0
        T = complete(P, krylov)
        for each in h:
            found = frequency(T, build(krylov.T, krylov.norm, what["tau"], each, K))[:, live]
            total += found.double().sum(dim=1).cpu() / len(h)
        columns += int(live.sum())
    return {"frequency": {str(k): float(f) / columns for k, f in enumerate(total)}}


def tau(graph: str) -> float:
    """The paper's choice; 1/2 elsewhere."""
    return float(printed()["tau"].get(graph, 0.5))


def job(graph: str, basis: str, scale: Scale) -> Job:
    """The trainings whose weights are shown: those of Table 2, so that nothing is trained twice."""
    how = Published(entry(graph, basis, "tau", tau(graph)))
    return Job(f"UniFilter, {BASES[basis]}", graph, f"quota:{scale.splits}", how)


def measure(graph: str, basis: str, scale: Scale) -> Measure:
    """The frequencies of a basis."""
    scaling = preset(graph).preprocess if graph in NAMES else "none"
    what = {"basis": basis, "tau": tau(graph), "preprocess": scaling, "protocol": f"quota:{scale.splits}"}
    return Measure("spectrum", graph, what, take)


def sums(graph: str, scale: Scale) -> Measure:
    """What the paper's figure has in the place of the released basis's frequencies."""
    return as_printed.measure(graph, tau(graph), measure(graph, "released", scale).what["preprocess"], scale)


def jobs(scale: Scale) -> list[Job]:
    """Both bases on every graph."""
    return [job(graph, basis, scale) for graph in scale.graphs for basis in BASES]


def measures(scale: Scale) -> list[Measure]:
    """Frequencies of both bases on every graph, and the sums that the paper prints of one."""
    found = [measure(graph, basis, scale) for graph in scale.graphs for basis in BASES]
    return found + [sums(graph, scale) for graph in scale.graphs]


def frequencies(graph: str, basis: str, results: Results, scale: Scale) -> list[float]:
    """Of vectors 0 to K; none if they were not measured."""
    return _by_vector(results.taken(measure(graph, basis, scale)), "frequency")


def printed_sums(graph: str, results: Results, scale: Scale) -> list[float]:
    """Of vectors 0 to K of the released basis; none if they were not measured."""
    return _by_vector(results.taken(sums(graph, scale)), "edges")


def _by_vector(taken: Mapping[str, Mapping[str, float]] | None, of: str) -> list[float]:
    return [] if taken is None else [taken[of][str(k)] for k in range(K + 1)]


def weights(graph: str, basis: str, results: Results, scale: Scale) -> list[list[float]]:
    """Of vectors 0 to K, a list a split; Records of before weights were recorded have none."""
    found = [_weights(record) for record in results.of(job(graph, basis, scale))]
    return [w for w in found if w]


def _weights(record: Record) -> list[float]:
    names = [f"w_{k}" for k in range(K + 1)]
    return [record.learned[name] for name in names] if names[-1] in record.learned else []


def aligned(w: Sequence[Sequence[float]]) -> list[list[float]]:
    """Weights of several splits with the same sign, so that their sum is positive.

    A filter -w before a first layer -W is the same network, which has no bias, and training finds either: the
    sign of all weights together says nothing, and means over splits would cancel.

    Examples
    --------
    >>> aligned([[1.0, -0.5], [-1.0, 0.4]])
    [[1.0, -0.5], [1.0, -0.4]]
    """
    W = np.array(w, dtype=np.float64)
    direction = np.linalg.svd(W, full_matrices=False)[2][0]
    W *= np.where(W @ direction < 0, -1.0, 1.0)[:, None]
    found: list[list[float]] = (W if W.sum() >= 0 else -W).tolist()
    return found


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """Two figures a graph, the frequencies beside the printed ones, and where the weights lie."""
    pairs = [(graph, basis) for graph in scale.graphs for basis in BASES]
    plots = [p for graph, basis in pairs if (p := _figure(graph, basis, results, scale)) is not None]
    middle = centres(results, scale)
    return [*plots, *_by_hop(results, scale), *([middle] if any(middle.rows.values()) else [])]


def _figure(graph: str, basis: str, results: Results, scale: Scale) -> Plot | None:
    as_theirs = basis == "released"
    f = printed_sums(graph, results, scale) if as_theirs else frequencies(graph, basis, results, scale)
    w = weights(graph, basis, results, scale)
    if not (f and w):
        return None
    values = [value_of(each) for each in zip(*aligned(w), strict=True)]
    labels = [str(k) for k in range(K + 1)]
    series = [Series("weight", f, [v.mean for v in values], [v.half for v in values], labels=labels)]
    caption = (
        f"Each basis vector at its {SUM if as_theirs else 'frequency f'}, the mean over columns, with its "
        "number k where there is room. Weights are means over the splits, whose signs are made the same: the "
        "network behind the filter takes -w as well as w."
    )
    if as_theirs:
        caption += f' The sum is what the paper prints for f. "{BY_HOP}" shows every k.'
    paper = printed()["spectrum"].get(graph) if as_theirs else None
    if paper is not None:
        series.append(Series("weight", [f for f, _ in paper], [w for _, w in paper], printed=True))
    name, title = f"spectrum_{basis}_{safe(graph)}", f"Spectrum of {graph}, {BASES[basis]}"
    return Plot(name, title, AXIS if as_theirs else "frequency f", "weight w", series, caption, "stems")


def _by_hop(results: Results, scale: Scale) -> list[Plot]:
    """Without weights: they need no training."""
    series, hops = [], list(range(K + 1))
    for graph in scale.graphs:
        f, paper = printed_sums(graph, results, scale), printed()["spectrum"].get(graph)
        series += [Series(graph, hops, f)] if f else []
        series += [Series(graph, hops, [p for p, _ in paper], printed=True)] if f and paper else []
    caption = f"The released basis: {SUM}, the mean over columns. The paper prints it for f."
    plot = Plot("spectrum_by_hop", BY_HOP, "basis vector k", AXIS, series, caption)
    return [plot] if series else []


def centres(results: Results, scale: Scale) -> Table:
    """One number a graph: where the filter works."""
    rows: dict[str, dict[str, Cell]] = {name: {} for name in (*BASES.values(), AS_PRINTED)}
    for graph in scale.graphs:
        paper = printed()["spectrum"].get(graph)
        theirs = _centre(*zip(*paper, strict=True)) if paper else None
        of = {name: (frequencies(graph, basis, results, scale), basis) for basis, name in BASES.items()}
        of[AS_PRINTED] = printed_sums(graph, results, scale), "released"
        for name, (f, basis) in of.items():
            w = weights(graph, basis, results, scale)
            if f and w:
                ours = value_of([_centre(f, each) for each in w])
                rows[name][graph] = Cell(ours, theirs if name == AS_PRINTED else None)
    return Table(
        "spectrum_centres",
        "Mean frequency f, weighed by |w|",
        list(scale.graphs),
        rows,
        f"Of the vectors' frequencies, each weighed by the size of its weight; as printed, of their {SUM}.",
        unit="",
        best="none",
        digits=3,
    )


def _centre(f: Sequence[float], w: Sequence[float]) -> float:
    return float(np.average(f, weights=np.abs(w)))


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """What is printed for f is another sum."""
    known = {g: f for g in scale.graphs if (f := frequencies(g, "released", results, scale))}
    if not known:
        return []
    inside = all(0 <= f <= 1 for some in known.values() for f in some)
    ends = min(map(min, known.values())), max(map(max, known.values()))
    claims = [Claim("frequencies lie in [0, 1]", inside, f"{ends[0]:.3f} to {ends[1]:.3f}")]
    far = {g: distances(g, results, scale) for g in known}
    told = {g: d for g, d in far.items() if d is not None}
    if told:
        nearer = all(sums < double < single for sums, double, single in told.values())
        evidence = "; ".join(f"{g} {a:.4f} against {b:.3f} and {c:.3f}" for g, (a, b, c) in told.items())
        sentence = f"what the paper prints for f is the {SUM}, and neither 2f nor f (mean distances)"
        claims.append(Claim(sentence, nearer, evidence))
    return claims


def distances(graph: str, results: Results, scale: Scale) -> tuple[float, float, float] | None:
    """Of the printed figures from the sums, from 2f and from f, the mean over the vectors."""
    f, ours = frequencies(graph, "released", results, scale), printed_sums(graph, results, scale)
    paper = printed()["spectrum"].get(graph)
    if not (f and ours and paper):
        return None
    theirs = np.array([p for p, _ in paper])
    a, b, c = (float(np.abs(theirs - some).mean()) for some in (ours, 2 * np.array(f), f))
    return a, b, c


PART = Part("spectrum", "Spectrum: frequency and weight of each basis vector", show, jobs, measures, check)

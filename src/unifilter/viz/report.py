"""The report of a fit: plain data in, one HTML file out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unifilter._types import BoolArray, FloatArray, IntArray
from unifilter.analysis import Analysis
from unifilter.record import Record
from unifilter.viz import judge, outcome
from unifilter.viz.analysis import details, glance
from unifilter.viz.page import callout, chart, page, preformatted, section, table, tiles, write
from unifilter.viz.style import percent

PARTS = {"train": "training", "val": "validation", "test": "test"}
MEASURES = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC AUC",
    "log_loss": "log loss",
    "ece": "calibration error",
}


@dataclass(frozen=True, eq=False)
class Response:
    """A filter's response g (q,) at frequencies lam (q,) in [0, 2].

    ``low`` and ``high``, where columns are filtered differently: 10% and 90% quantiles; g is the median.
    """

    lam: FloatArray
    g: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class FitReport:
    """All that the report shows.

    Parameters
    ----------
    analysis : Analysis
        Of the data, with the labels that the reader may see.
    record : Record
        Scores, settings, versions.
    history : list of dict
        By epoch: "epoch", "train_loss", "val_loss", "val_accuracy"; "tau" and "h" where they are learned.
    classes : sequence of str
        Names of the classes.
    ids : sequence of length n, optional
        The nodes' own ids; 0 .. n-1 if None.
    y : array of shape (n,)
        Labels; -1 = unlabelled.
    p : array of shape (n, classes)
        Probabilities.
    masks : dict of boolean arrays of shape (n,)
        "train", "val", "test".
    temperature : float
        That the logits were divided by.
    weights, frequencies : arrays of shape (K+1,), optional
        Learned weight of every basis vector, and its mean frequency f.
    response : Response, optional
    ingestion : str, optional
        What reading the tables did, in words.
    baselines : sequence of dict, optional
        Rows of a table that compares with other models on the nodes that are judged: model, and scores.
    verdict : str
        A sentence on them.
    notes : sequence of str
        What was doubtful about the data and the split; those of the record come after.
    voters : int
        Models that vote; the filter shown is the first one's.
    """

    analysis: Analysis
    record: Record
    history: Sequence[Mapping[str, float]]
    classes: Sequence[str]
    ids: Sequence[Any] | None
    y: IntArray
    p: FloatArray
    masks: Mapping[str, BoolArray]
    temperature: float = 1.0
    weights: FloatArray | None = None
    frequencies: FloatArray | None = None
    response: Response | None = None
    ingestion: str | None = None
    baselines: Sequence[Mapping[str, Any]] = ()
    verdict: str = ""
    notes: Sequence[str] = ()
    voters: int = 1

    @property
    def judged(self) -> str:
        """The part whose nodes the figures of right and wrong show: "test", or what there is, or ""."""
        known = np.asarray(self.y) >= 0
        return next(
            (k for k in ("test", "val", "train") if k in self.masks and (self.masks[k] & known).any()), ""
        )


def write_report(file: str | Path, report: FitReport) -> None:
    """Write the report of a fit as one HTML file that opens anywhere, offline."""
    record = report.record
    sections = [_result(report), glance(report.analysis, "The data"), *_ingestion(report), *_learning(report)]
    sections += [*_filter(report), *_right_and_wrong(report), _uncertain(report), *details(report.analysis)]
    title = f"{record.model} on {report.analysis.name}"
    write(
        file, page(title, f"Report of a fit, {record.time.replace('T', ' ')}", [*sections, _settings(record)])
    )


def _result(report: FitReport) -> str:
    record, part = report.record, report.judged
    scores = record.scores.get(part, {})
    numbers = [(f"{PARTS[part]} {MEASURES[k]}", _score(k, scores[k])) for k in MEASURES if k in scores]
    shares, of = (("tau", "τ"), ("h", "h")), f", mean of {report.voters}" if report.voters > 1 else ""
    numbers += [(f"{name}{of}", f"{record.learned[k]:.3f}") for k, name in shares if k in record.learned]
    numbers += [("epochs", f"{record.epochs:,}"), ("parameters", f"{record.parameters:,}")]
    numbers += [("seconds", f"{sum(record.seconds.values()):.1f}")]
    measures = [m for m in MEASURES if any(m in s for s in record.scores.values())]
    rows = [
        [PARTS[k], int(report.masks[k].sum()), *(_score(m, s[m]) if m in s else "" for m in measures)]
        for k, s in ((k, record.scores.get(k, {})) for k in PARTS if k in report.masks)
    ]
    caption = "Only test nodes were kept out of training and of every choice: theirs are the scores to quote."
    if report.judged != "test":
        caption = (
            "No node was kept out as a test. Validation nodes chose the settings and the epoch, so these "
            "scores flatter: `unifilter evaluate` scores labels that took no part."
        )
    blocks = [tiles(numbers), table(["nodes", "number", *(MEASURES[m] for m in measures)], rows, caption)]
    if report.notes or record.notes:
        blocks.append(callout("Notes", [*report.notes, *record.notes]))
    if report.baselines and part:
        shown = [k for k in MEASURES if k in report.baselines[0]]
        rows = [[row["model"], *(_score(k, row[k]) for k in shown)] for row in report.baselines]
        words = f"Simpler means on the same {PARTS[part]} nodes: what the model, and the graph, are worth."
        blocks.append(table(["model", *(MEASURES[k] for k in shown)], rows, words))
    if report.verdict:
        blocks.append(callout("Is it worth it?", [report.verdict]))
    return section("The result", *blocks)


def _ingestion(report: FitReport) -> list[str]:
    if not report.ingestion:
        return []
    words = "What was read, dropped, encoded and filled on the way in."
    return [section("How the tables were read", preformatted(report.ingestion), words=words)]


def _learning(report: FitReport) -> list[str]:
    if not report.history:
        return []
    best = report.record.best_epoch
    blocks = [
        chart(
            outcome.learning_curves(report.history, best),
            "Learning curves",
            f"Loss and accuracy after every epoch. Epoch {best} had the best validation score; its weights "
            "are the ones that were kept. A validation loss that rises again means overfitting.",
        )
    ]
    if any(key in report.history[0] for key in outcome.WATCHED):
        caption = (
            "τ is the share of the homophily basis in each vector (1: that alone, 0: the heterophily basis "
            "alone), h the homophily ratio that sets the angle between the vectors of the latter. Weights of "
            "both signs let either smooth or sharpen: the frequency response shows what came out."
        )
        blocks.append(chart(outcome.learned_shares(report.history), "What τ and h became", caption))
    return [section("How it learned", *blocks)]


def _filter(report: FitReport) -> list[str]:
    blocks = []
    r = report.response
    if r is not None:
        figure = outcome.frequency_response(r.lam, r.g, report.analysis.density, r.low, r.high)
        caption = (
            "What the filter multiplies each frequency by, over the frequencies that the graph has (shaded). "
            "High on the left and low on the right is low-pass: it averages over neighbours. High on the "
            "right sharpens differences between them. "
            "Where the graph has no frequency the curve means nothing."
        )
        blocks.append(chart(figure, "Frequency response", caption, wide=True))
    w = report.weights
    if w is not None:
        caption = "How much each hop counts; negative ones are subtracted. Hop 0 are a node's own features."
        blocks.append(
            chart(outcome.weights(w), "Weights of the basis", caption, wide=report.frequencies is None)
        )
    if w is not None and report.frequencies is not None and np.isfinite(report.frequencies).any():
        caption = (
            "The same weights, each placed at the mean frequency f of its basis vector k: which frequencies "
            "the filter draws on (blue) and which it takes away (orange)."
        )
        figure = outcome.basis_spectrum(report.frequencies, w)
        blocks.append(chart(figure, "Spectrum of the trained basis", caption))
    words = f"{report.voters} models vote; this is the filter of the one that validation nodes liked best."
    return [section("What it learned", *blocks, words=words if report.voters > 1 else "")] if blocks else []


def _right_and_wrong(report: FitReport) -> list[str]:
    part = report.judged
    if not part:
        return []
    use = np.asarray(report.masks[part]) & (np.asarray(report.y) >= 0)
    p, y = np.asarray(report.p)[use], np.asarray(report.y)[use]
    counts = judge.confusion_counts(p, y)
    reliability = judge.reliability(p, y)
    there = np.flatnonzero(counts.sum(axis=1))
    of_classes = {name: np.array(of)[there].tolist() for name, of in judge.class_scores(counts).items()}
    gone = len(counts) - there.size
    left_out = f" {gone} class{' has' if gone == 1 else 'es have'} no {PARTS[part]} node." if gone else ""
    ece = float(reliability.nodes @ np.abs(reliability.accuracy - reliability.confidence)) / len(y)
    blocks = [
        chart(
            outcome.confusion(counts, report.classes),
            "Which classes are confused?",
            "Rows are true classes, columns predictions, numbers nodes. A perfect model fills the diagonal.",
        ),
        chart(
            outcome.class_scores(of_classes, [report.classes[c] for c in there.tolist()]),
            "Scores by class",
            "Precision: of those predicted so, how many are. Recall: of those that are, how many were found. "
            f"F1 is high only if both are.{left_out}",
        ),
        chart(
            outcome.calibration(*reliability),
            "Do probabilities mean what they say?",
            "Of the nodes predicted with 80% confidence, 80% should be right: dots on the dashed line. Below "
            f"it the model is too sure. Mean distance {percent(ece)}, after dividing logits by a temperature "
            f"of {report.temperature:.2f}.",
            wide=True,
        ),
    ]
    return [section("Where it is right", *blocks, words=f"On {len(y):,} {PARTS[part]} nodes.")]


def _uncertain(report: FitReport) -> str:
    p, n = np.asarray(report.p), len(report.y)
    candidates = ~np.asarray(report.masks.get("train", np.zeros(n, bool)))
    rows = []
    for i in judge.most_uncertain(p, candidates if candidates.any() else ~candidates).tolist():
        first, second = [*np.argsort(-p[i], kind="stable")[:2].tolist(), 0][:2]
        known = report.classes[report.y[i]] if report.y[i] >= 0 else "unknown"
        part = next((PARTS[k] for k in PARTS if k in report.masks and report.masks[k][i]), "to predict")
        guesses = [f"{report.classes[c]} ({percent(float(p[i, c]))})" for c in (first, second)]
        rows.append([_id(report.ids, i), *guesses, known, part])
    header = ["node", "prediction", "second guess", "label", "part"]
    caption = "The nodes that the model is least sure of: the ones to look at, or to label next."
    return section("Most uncertain nodes", table(header, rows, caption))


def _settings(record: Record) -> str:
    parts = {
        "model": {"name": record.model, **record.config},
        "training": {**record.training, "seed": record.seed},
        "data and split": {**record.dataset, **{f"split {k}": v for k, v in record.split.items()}},
        "machine": {
            "device": record.device,
            "system": record.machine,
            "peak memory": f"{record.peak_memory / 2**20:,.0f} MiB",
            **{f"seconds to {k}": round(v, 3) for k, v in record.seconds.items()},
            **record.versions,
        },
    }
    tables = [
        table([name, ""], [[key, _setting(value)] for key, value in values.items()], wide=False)
        for name, values in parts.items()
    ]
    return section(
        "Settings and versions", *tables, words="All that is needed to get the same numbers again."
    )


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _score(measure: str, value: float) -> str:
    # + 0 makes -0.000 a 0.000
    return f"{round(value, 3) + 0:.3f}" if measure in ("log_loss", "roc_auc") else f"{value:.1%}"


def _id(ids: Sequence[Any] | None, i: int) -> str:
    if ids is None:
        return str(i)
    value = ids[i]
    return str(value.as_py() if hasattr(value, "as_py") else value)  # pyarrow keeps ids of any type

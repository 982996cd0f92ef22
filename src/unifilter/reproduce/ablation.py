"""Ablation figure: UniFilter's bases, one by one, on the synthetic graph G_s from h = 0.13 to 0.81."""

from __future__ import annotations

from collections.abc import Sequence

from unifilter.reproduce.accuracies import failures
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale, unproven
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import PAIRED, Results, whole
from unifilter.reproduce.settings import released
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Exhibit, Plot, Series, Value

VARIANTS = {
    "unifilter": "UniFilter",
    "hetfilter": "HetFilter",
    "homfilter": "HomFilter",
    "ortfilter": "OrtFilter",
}
BASE, QUICK_BASE = "cora", "sbm:n=400,h=0.82,classes=5,degree=6"
TAUS = [i / 10 for i in range(11)]


def homophilies(scale: Scale) -> list[float]:
    """Those of the figure; in a quick run the ends."""
    every: list[float] = printed()["ablation"]["h"]
    return [0.2, every[-1]] if scale.quick else every


def entry(model: str, scale: Scale) -> Entry:
    """One setting for all four: the authors' for Cora; features are one-hot, so nothing scales them.

    UniFilter's tau is chosen on the validation nodes of every split, as the paper tunes it; the others have
    none.
    """
    known = released("cora", "unibasis")
    assert known is not None
    shared = {k: v for k, v in known.options.items() if k not in ("tau", "h", "basis")}
    if model == "unifilter":
        grid = {"tau": [0.0, 0.5, 1.0] if scale.quick else TAUS}
        return Entry(model, "none", shared | {"h": "estimate"}, known.training, grid)
    estimated = {"h": "estimate"} if model == "hetfilter" else {}
    return Entry(model, "none", shared | estimated, known.training)


def job(model: str, h: float, scale: Scale) -> Job:
    """A variant on G_s."""
    base = QUICK_BASE if scale.quick and BASE not in scale.graphs else BASE
    return Job(VARIANTS[model], f"gs:{h:g}:{base}", f"quota:{scale.splits}", Published(entry(model, scale)))


def jobs(scale: Scale) -> list[Job]:
    """Four variants, eight graphs."""
    return [job(model, h, scale) for model in VARIANTS for h in homophilies(scale)]


def gap(model: str, h: float, results: Results, scale: Scale) -> Value | None:
    """Points by which a variant lies below UniFilter, split by split; None before all splits were run."""
    found = results.gain(job("unifilter", h, scale), job(model, h, scale))
    return whole(found, scale.splits)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """The gaps with the paper's, and the accuracies behind them."""
    below, means = [], []
    for model, name in VARIANTS.items():
        hs = homophilies(scale)
        found = [(h, v) for h in hs if (v := gap(model, h, results, scale)) is not None]
        if model != "unifilter":
            x, y, half = zip(*((h, v.mean, v.half) for h, v in found), strict=True) if found else ((), (), ())
            below.append(Series(name, x, y, half))
            below.append(Series(name, printed()["ablation"]["h"], printed()["ablation"][model], printed=True))
        values = [(h, v) for h in hs if (v := results.value(job(model, h, scale))) and v.runs == scale.splits]
        means.append(
            Series(name, [h for h, _ in values], [v.mean for _, v in values], [v.half for _, v in values])
        )
    return [
        Plot(
            "ablation",
            "What each basis misses: points below UniFilter on G_s",
            "homophily h",
            "points below UniFilter",
            below,
            f"Hollow: as printed. {PAIRED} One setting for all, the "
            "authors' for Cora; UniFilter's tau is chosen on validation nodes."
            + failures(results, jobs(scale)),
        ),
        Plot("ablation_accuracy", "The same as accuracies", "homophily h", "test accuracy (%)", means),
    ]


def check(results: Results, scale: Scale) -> Sequence[Claim]:
    """The heterophily basis alone loses where h is high."""
    h = homophilies(scale)[-1]
    hom, het = results.value(job("homfilter", h, scale)), results.value(job("hetfilter", h, scale))
    sentence = f"HetFilter loses to HomFilter at h = {h}"
    if hom is None or het is None:
        return unproven(sentence, scale)
    return [Claim(sentence, het.mean < hom.mean, f"{het.mean:.1f} against {hom.mean:.1f}")]


PART = Part(
    "ablation", "Ablation: HetFilter, HomFilter, OrtFilter against UniFilter on G_s", show, jobs, check=check
)

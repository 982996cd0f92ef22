"""The paper's claims, one by one, and what the Records say of each: computed whenever the page is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unifilter.reproduce import (
    ablation,
    angles,
    clean,
    estimates,
    h,
    rows,
    spectrum,
    table2,
    table3,
    tau,
    theorem1,
)
from unifilter.reproduce.accuracies import whole
from unifilter.reproduce.errata_words import proportional
from unifilter.reproduce.part import Claim, Job, Part, Scale
from unifilter.reproduce.printed import figure
from unifilter.reproduce.results import Results
from unifilter.viz.exhibit import Cell, Exhibit, Table, Value, Words

Finding = tuple[str, str]  # a verdict, and what it rests on; the latter is empty where nothing was run
MINE = rows.row("unifilter", rows.SEARCHED)
AHEAD = 3  # models that are named
CLOSE = 0.05  # to h
SPREAD = 1.2  # the largest ratio by the smallest: more is not one factor
INTRO = (
    "Drawn from the Records. Where two rows are compared, ± is half of the 95% interval of the corrected "
    "resampled t-test (Nadeau and Bengio): ten splits share most of their nodes, and tell less than ten "
    "independent ones would."
)


def polynomial(results: Results, scale: Scale) -> Finding:
    """Table 2."""
    jobs = table2.jobs(scale)
    led, behind = standing(jobs, results)
    return led_on(led, behind), together(in_words(led, behind, scale), met(jobs, "table2", results))


def optimised(results: Results, scale: Scale) -> Finding:
    """Table 3 on the public splits, and the splits that its printed figures are of."""
    led, behind = standing(table3.reading("fixed", scale), results)
    printed = [
        met(table3.reading(kind, scale), "table3", results, f" on {words}")
        for kind, words in table3.READINGS.items()
    ]
    return led_on(led, behind), together(in_words(led, behind, scale), *printed)


def without_duplicates(results: Results, scale: Scale) -> Finding:
    """Both tables on the filtered graphs."""
    said, every = list[str](), (list[str](), list[str]())
    for name in clean.KINDS:
        led, behind = standing(clean.rows_of(name, scale), results)
        title = clean.TITLES[name]
        said.append(
            together(f"{title[0].upper()}{title[1:]}." if led or behind else "", in_words(led, behind, scale))
        )
        every = every[0] + led, every[1] + behind
    return led_on(*every, "columns"), together(*said)


def standing(jobs: Sequence[Job], results: Results) -> tuple[list[str], list[str]]:
    """Graphs on which UniFilter leads with searched settings, and those where others do, with their lead."""
    led, behind = list[str](), list[str]()
    for graph in dict.fromkeys(job.dataset for job in jobs):
        found, means = {j.row: j for j in jobs if j.dataset == graph}, whole(results, jobs, graph)
        others = {r: v.mean for r, v in means.items() if not r.startswith("UniFilter")}
        if MINE not in means or not others:
            continue
        gaps = dict[str, float]()  # of every model, in its better row
        for row, mean in others.items():
            title = row.partition(", ")[0]
            gaps[title] = max(mean - means[MINE].mean, gaps.get(title, -np.inf))
        ahead = sorted((t for t, gap in gaps.items() if gap > 0), key=lambda t: -gaps[t])
        if ahead:
            named = [f"{title} by {gaps[title]:.2f}" for title in ahead[:AHEAD]]
            more = [f"{len(ahead) - AHEAD} more"] if len(ahead) > AHEAD else []
            behind.append(f"{graph} {', '.join([*named, *more])}")
        else:
            gain = results.gain(found[MINE], found[max(others, key=others.__getitem__)])
            clear = gain is not None and gain.half is not None and gain.mean > gain.half
            led.append(f"{graph} (by {gain.mean:.1f} ± {gain.half:.1f})" if gain and clear else graph)
    return led, behind


def led_on(led: Sequence[str], behind: Sequence[str], what: str = "graphs") -> str:
    """The verdict on who leads."""
    if led and behind:
        return f"Holds on {len(led)} of {len(led) + len(behind)} {what}"
    return "Holds" if led else "Does not hold"


def in_words(led: Sequence[str], behind: Sequence[str], scale: Scale) -> str:
    """Where it leads, and who is ahead elsewhere."""
    opening = f"With {scale.settings} settings for every model UniFilter has the highest mean on"
    first = f"{opening} {', '.join(led)}; by less than the interval where none is told." if led else ""
    return together(first, f"Ahead of it: {'; '.join(behind)}." if behind else "")


def together(*sentences: str) -> str:
    """Those that say something."""
    return " ".join(sentence for sentence in sentences if sentence)


def met(jobs: Sequence[Job], source: str, results: Results, where: str = "") -> str:
    """How many of UniFilter's printed figures come out with the authors' basis and settings."""
    met_, missed = list[str](), list[str]()
    for job in jobs:
        mean, half = figure(source, job.model, job.dataset)
        ours = whole(results, [job], job.dataset).get(job.row)
        if job.row == rows.row("unifilter", rows.RELEASED) and mean is not None and ours is not None:
            cell = Cell(ours, mean, "", half)
            agrees = cell.verdict(2) == "agrees"
            (met_ if agrees else missed).append(f"{job.dataset} {ours.mean - mean:+.1f}")
    if not (met_ or missed):
        return ""
    off = f" (not on {', '.join(missed)})" if missed else ""
    return f"Its printed figures come out{where} on {len(met_)} of {len(met_) + len(missed)} graphs{off}."


def frequency_and_homophily(results: Results, scale: Scale) -> Finding:
    """Theorem 1."""
    factors = theorem1.ratios("labels", results, scale).values()
    one = bool(factors) and max(factors) <= SPREAD * min(factors)
    return "Holds" if one else "Holds under more conditions", proportional(results, scale)


def angle_that_stays(results: Results, scale: Scale) -> Finding:
    """Theorem 4."""
    verdict, said = told([c for c in angles.check(results, scale) if "heterophily" in c.sentence])
    printed_ones = "The printed angles are those of the released code, whose vectors are others."
    return f"{verdict} for Algorithm 1", together(said, printed_ones if said else "")


def over_smoothing(results: Results, scale: Scale) -> Finding:
    """Powers of P."""
    return told([c for c in angles.check(results, scale) if "homophily" in c.sentence])


def told(claims: Sequence[Claim]) -> Finding:
    """A verdict from what a part checks."""
    verdict = "Holds" if all(c.holds for c in claims) else "Does not hold"
    return verdict, " ".join(f"{c.sentence[0].upper()}{c.sentence[1:]}: {c.evidence}." for c in claims)


def few_labels(results: Results, scale: Scale) -> Finding:
    """Estimates of h."""
    off: dict[str, list[float]] = {}
    for kind in ("stratified", "quota", "quota48"):
        for graph in scale.graphs:
            taken = results.taken(estimates.by_protocol(graph, kind, scale))
            if taken is not None:
                mean = float(np.mean(list(taken["estimate"].values())))
                off.setdefault(kind.removesuffix("48"), []).append(abs(mean - taken["graph"]["h"]))
    if set(off) < {"stratified", "quota"}:
        return "", ""
    far = {kind: max(some) for kind, some in off.items()}
    (table, *_) = (e for e in estimates.show(results, scale) if isinstance(e, Table))
    count = table.verdicts()
    compared = count["agrees"] + count["above"] + count["below"]
    said = together(
        f"Means over stratified splits lie within {far['stratified']:.3f} of h, over quota splits within "
        f"{far['quota']:.3f}.",
        f"{count['agrees']} of {compared} printed means come out." if compared else "",
    )
    return ("Holds" if far["stratified"] < CLOSE else "Does not hold"), said


def any_estimate(results: Results, scale: Scale) -> Finding:
    """Sensitivity to h."""
    spans = []
    for graph in scale.has(*h.GRAPHS):
        for basis, name in tau.BASES.items():
            some = [results.value(h.job(graph, basis, value, scale)) for value in h.values(graph)]
            means = [v.mean for v in some if v is not None and v.runs == scale.splits]
            if len(means) == len(some):
                spans.append((max(means) - min(means), f"{graph}, {name}"))
    holds = all(span < h.SMALL for span, _ in spans)
    listed = "; ".join(f"{where} {span:.2f}" for span, where in spans)
    opening = "From the least to the highest mean over the values that the paper tries, in points"
    return ("Holds" if holds else "Does not hold"), f"{opening}: {listed}." if spans else ""


def tau_near_homophily(results: Results, scale: Scale) -> Finding:
    """Sensitivity to tau."""
    said, best = list[str](), dict[str, list[float]]()
    for graph in scale.has(*tau.GRAPHS):
        for basis, name in tau.BASES.items():
            some = {t: results.value(tau.job(graph, basis, t, scale)) for t in tau.taus(scale)}
            means = {t: v.mean for t, v in some.items() if v is not None and v.runs == scale.splits}
            if len(means) == len(some):
                top = max(means, key=means.__getitem__)
                best.setdefault(graph, []).append(top)
                ends = f"{means[0.0]:.1f} at 0, {means[1.0]:.1f} at 1"
                said.append(f"{graph}, {name}: {ends}, highest at {top:g} ({means[top]:.1f})")
    right = all(t >= 0.5 for t in best.get("cora", [])) and all(t < 0.8 for t in best.get("squirrel", []))
    return ("Holds" if right else "Does not hold"), f"{'; '.join(said)}." if said else ""


def better_than_its_parts(results: Results, scale: Scale) -> Finding:
    """The ablation."""
    said, gaps = list[str](), list[Value]()
    for model, name in ablation.VARIANTS.items():
        found = {x: g for x in ablation.homophilies(scale) if (g := ablation.gap(model, x, results, scale))}
        if model == "unifilter" or not found:
            continue
        gaps += found.values()
        clear = [
            f"{x:g} ({g.mean:.1f} ± {g.half:.1f})" for x, g in found.items() if g.half and g.mean > g.half
        ]
        said.append(f"{name} at h = {', '.join(clear)}" if clear else f"{name} nowhere")
    clear_all = all(g.half is not None and g.mean > g.half for g in gaps)
    worse = any(g.half is not None and g.mean < -g.half for g in gaps)
    verdict = "Holds" if clear_all else "Does not hold" if worse else "Never worse by more than chance"
    chosen = f"Its tau is the best of {len(ablation.TAUS)} on validation nodes; the others are trained once."
    return verdict, f"By more than its interval than {'; than '.join(said)}. {chosen}" if said else ""


def low_and_high(results: Results, scale: Scale) -> Finding:
    """Where the filters work."""
    centres = spectrum.centres(results, scale).rows[spectrum.BASES["released"]]
    found = {graph: cell.ours.mean for graph, cell in centres.items() if cell.ours is not None}
    known = {
        g: t["graph"]["h"] for g in found if (t := results.taken(estimates.by_protocol(g, "quota", scale)))
    }
    low = [found[g] for g, value in known.items() if value > 0.5]
    amiss = [g for g, value in known.items() if value <= 0.5 and found[g] <= max(low, default=0.0)]
    verdict = f"Does not hold on {' and '.join(amiss)}" if amiss else "Holds"
    listed = "; ".join(f"{graph} {f:.2f}" for graph, f in found.items())
    return verdict, f"Mean frequency f of the vectors, weighed by |w|: {listed}." if known else ""


CLAIMS: Sequence[tuple[str, Callable[[Results, Scale], Finding]]] = (
    (
        "UniFilter has the highest accuracy of twelve polynomial filters on all six graphs (Table 2).",
        polynomial,
    ),
    ("It beats model-optimised methods as well (Table 3).", optimised),
    (
        "It leads on Chameleon and Squirrel; here without their duplicated nodes, as the paper has not.",
        without_duplicates,
    ),
    ("The filtered signal's frequency is proportional to 1 - h (Theorem 1).", frequency_and_homophily),
    ("Heterophily basis vectors keep their angle, whatever the hops (Theorem 4).", angle_that_stays),
    ("Neighbouring powers of P end up the same (Theorem 2).", over_smoothing),
    ("h can be estimated from training labels.", few_labels),
    ("The accuracy hardly depends on the estimate of h.", any_estimate),
    ("tau belongs near the homophily: high on Cora, below 0.8 on Squirrel.", tau_near_homophily),
    ("UniBasis is better than its parts on G_s, whatever h.", better_than_its_parts),
    ("Filters of homophilous graphs work at low frequencies, those of others at high ones.", low_and_high),
)


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A list of what was run; a quick run, of other graphs, tells nothing of the paper."""
    if scale.quick:
        return []
    found = [(claim, say(results, scale)) for claim, say in CLAIMS]
    items = [(claim, f"{verdict}. {evidence}") for claim, (verdict, evidence) in found if evidence]
    return [Words("paper_claims", "What the paper says, and what came out", [INTRO], items)] if items else []


PART = Part("claims", "The paper's claims, one by one", show)

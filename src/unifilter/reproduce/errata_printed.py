"""Errata that the paper's own figures tell: what it prints in two places, or says against what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unifilter.models import model_class
from unifilter.presets import NAMES, preset
from unifilter.reproduce.errata_words import joined
from unifilter.reproduce.part import Scale
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import Results
from unifilter.reproduce.tau import GRAPHS, job


def two_figures(results: Results, scale: Scale) -> str:
    """Accuracies at the chosen tau, along tau and in Table 2."""
    found, paper = [], printed()
    for graph, tau, point in _along_tau():
        table = paper["table2"]["unifilter"][graph]
        if tau == paper["tau"][graph] and point != table:
            free = ", where no h is used" if tau == 1 else ""
            found.append(f"{graph} at its tau = {tau}{free}: {_figure(point)} and {_figure(table)}")
    closing = "Where tau is below 1, Table 2's own estimate of h for every split may be the difference."
    return joined("Figure 4 and Table 2", found, closing)


def one_figure(results: Results, scale: Scale) -> str:
    """Accuracies, with their +-, that stand along tau and along h at different settings."""
    found, paper = [], printed()
    for graph, tau, point in _along_tau():
        along = paper["h_sensitivity"].get(graph, {"h": [], "accuracy": []})
        own = paper["tau"][graph], paper["datasets"][graph]["homophily"]
        for h, other in zip(along["h"], along["accuracy"], strict=True):
            if point == other and (tau, h) != own:
                where = f"at tau = {tau} in Figure 4 and at h = {h} in Table 8"
                found.append(f"{graph} {_figure(point)} {where}; its own tau and h are {own[0]} and {own[1]}")
    return joined("", found)


def best_tau(results: Results, scale: Scale) -> str:
    """The highest accuracy along tau, beside that of the chosen tau."""
    found, paper = [], printed()
    for graph, chosen in paper["tau"].items():
        along = {tau: point[0] for g, tau, point in _along_tau() if g == graph}
        best = max(along, key=along.__getitem__, default=chosen)
        if best != chosen:
            said = ", as the text has it" if paper["text"]["best_tau"].get(graph) == best else ""
            own = f"{along[chosen]:.2f} at the chosen {chosen}"
            found.append(f"{graph} {along[best]:.2f} at tau = {best}{said}, {own}")
    closing = "These are accuracies of the test; on which nodes tau was chosen the paper does not say."
    return joined("Highest in Figure 4, and at the tau of Table 5", found, closing)


def advantage(results: Results, scale: Scale) -> str:
    """Gaps to HomFilter, and where they grow."""
    hs, gaps = (printed()["ablation"][name] for name in ("h", "homfilter"))
    grown = [
        f"from {a:g} at h = {low} to {b:g} at h = {high}"
        for (low, a), (high, b) in pairwise(zip(hs, gaps, strict=True))
        if b > a
    ]
    points = ", ".join(f"{gap:g}" for gap in gaps)
    return joined(f"Printed are {points} points at h = {hs[0]} to {hs[-1]}, which grow", grown)


def underlined(results: Results, scale: Scale) -> str:
    """Underlined accuracies of Table 3 that are not the second highest."""
    table, found = printed()["table3"], []
    for graph, model in printed()["underlined"]["table3"].items():
        mean = {m: row[graph][0] for m, row in table.items()}
        right = sorted(mean, key=mean.__getitem__)[-2]
        if model != right:
            wrong, better = (f"{model_class(m).card.title} {mean[m]:.2f}" for m in (model, right))
            found.append(f"{graph}: {wrong} is underlined, {better} is second")
    return joined("", found)


def low_frequencies(results: Results, scale: Scale) -> str:
    """How many printed frequencies lie where the text has the majority of the three homophilous graphs'."""
    paper = printed()
    (low, high), agreeing = paper["text"]["low_frequencies"], paper["text"]["homophilous"]
    inside = {g: sum(low <= f <= high for f, _ in found) for g, found in paper["spectrum"].items()}
    majority = {g for g, found in paper["spectrum"].items() if 2 * inside[g] > len(found)}
    if majority == set(agreeing):
        return ""
    size = len(next(iter(paper["spectrum"].values())))
    found = [f"{graph} {count}" for graph, count in inside.items()]
    return joined(f"Of {size} printed frequencies so many lie in [{low}, {high}]", found)


def late_start(results: Results, scale: Scale) -> str:
    """What Figure 4 leaves out, from runs with the released basis."""
    paper, found = printed(), []
    begun, first = paper["tau_sensitivity"]["tau"][0], paper["text"]["first_tau"]
    if begun == first:
        return ""
    for graph in scale.has(*GRAPHS):
        both = [results.value(job(graph, "released", t, scale)) for t in (first, begun)]
        means = [f"{value.mean:.2f}" for value in both if value is not None]
        found += [f"{graph} {' and '.join(means)}"] if len(means) == 2 else []
    opening = f"At {first:g} and at {begun:g} the released basis and settings give"
    return f"The first point is that of {begun:g}. {joined(opening, found)}".strip()


def outside(results: Results, scale: Scale) -> str:
    """Released settings that the printed ranges do not have."""
    ranges, found, normed = printed()["ranges"], [], []
    for graph in NAMES:
        known = preset(graph)
        groups = [known.training.group(name) for name in ("mlp", "filter")]
        used = {name: [group[name] for group in groups] for name in ("lr", "weight_decay")}
        used |= {name: [known.options[name]] for name in ("hidden", "layers")}
        used["dropout"] = [known.options["dropout"], known.options["basis_dropout"]]
        off = [f"{_WORDS[name]} {v:g}" for name, some in used.items() for v in some if v not in ranges[name]]
        found += [f"{graph} {', '.join(off)}"] if off else []
        normed += [graph] if known.options["batch_norm"] else []
    also = f"Batch normalisation, with {' and '.join(normed)}, is not mentioned." if normed else ""
    return joined("Not in the ranges of the appendix", found, also)


_WORDS = {
    "lr": "learning rate",
    "weight_decay": "decay",
    "hidden": "width",
    "layers": "layers",
    "dropout": "dropout",
}


def _along_tau() -> list[tuple[str, float, list[float]]]:
    """Graph, tau and [mean, +-] of every point of Figure 4."""
    paper = printed()["tau_sensitivity"]
    graphs = [name for name in paper if name != "tau"]
    return [(g, tau, point) for g in graphs for tau, point in zip(paper["tau"], paper[g], strict=True)]


def _figure(point: Sequence[float]) -> str:
    """As the paper prints it."""
    return f"{point[0]:.2f} ± {point[1]:.2f}"

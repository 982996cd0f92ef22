"""An Analysis as a page: what the data is, which regime it is in, and how that can be seen."""

from __future__ import annotations

from pathlib import Path

from unifilter.analysis import Analysis
from unifilter.analysis.labels import mean_frequency
from unifilter.viz import figures
from unifilter.viz.page import callout, chart, page, section, table, tiles, write


def write_analysis(file: str | Path, analysis: Analysis) -> None:
    """Write the analysis of a dataset as one HTML file that opens anywhere, offline.

    Examples
    --------
    >>> import tempfile
    >>> from unifilter.analysis import analyze
    >>> from unifilter.data import load
    >>> file = Path(tempfile.mkdtemp()) / "sbm.html"
    >>> write_analysis(file, analyze(load("sbm:n=200"), K=10))
    >>> "spectral density" in file.read_text(encoding="utf-8").lower()
    True
    """
    subtitle = f"{analysis.n:,} nodes, {analysis.m:,} edges: a look at the data before any training"
    write(file, page(analysis.name, subtitle, [glance(analysis), *details(analysis)]))


def glance(analysis: Analysis, title: str = "At a glance") -> str:
    """Size in numbers, regime in words."""
    a = analysis
    numbers = [
        ("nodes", f"{a.n:,}"),
        ("edges", f"{a.m:,}"),
        ("features", f"{a.d:,}"),
        ("classes", f"{len(a.labels):,}"),
        ("labelled nodes used", f"{a.used:,}"),
        ("neighbours, mean", f"{a.degrees['mean']:.1f}"),
        ("components", f"{a.components:,}"),
        ("isolated nodes", f"{a.isolated:,}"),
    ]
    return section(title, tiles(numbers), callout(a.regime.name, a.regime.reasons, a.regime.advice))


def details(analysis: Analysis) -> list[str]:
    """Labels, spectrum and shape, each with its figures."""
    return [_labels(analysis), _spectrum(analysis), _shape(analysis)]


def _labels(a: Analysis) -> str:
    shares = chart(
        figures.label_shares(a.labels, a.unlabelled),
        "Who is what",
        "Nodes of each class. Where classes are very unequal, accuracy flatters; look at macro F1 too.",
    )
    if not a.homophily:
        return section("Labels", shares)
    exact = all(estimate.error == 0 for estimate in a.homophily.values())
    error = (
        "Every label is known, so these are the graph's own values and have no error."
        if exact
        else "Whiskers are two standard errors either way: how far the value for all nodes may be."
    )
    bars = chart(
        figures.homophily_bars(a.homophily),
        "How often do neighbours agree?",
        "Edge homophily is the share of edges that join equal labels; node homophily averages that share "
        "over nodes. The next two subtract what chance would give, so 0 means random. Informativeness is how "
        f"much a neighbour's label tells, whether equal or not. {error}",
    )
    if not any(label.frequency == label.frequency for label in a.labels):
        return section("Labels", bars, shares)
    frequencies = chart(
        figures.label_frequencies(a.labels),
        "How fast do labels change along edges?",
        "Frequency f of each class: 0 would be the same on both ends of every edge, 1 different on each. Far "
        "to the left of the hollow mark (the same labels, shuffled) neighbours agree; to its right they "
        "differ.",
        wide=True,
    )
    return section("Labels", bars, shares, frequencies)


def _spectrum(a: Analysis) -> str:
    density = chart(
        figures.spectral_density(a.density),
        "Spectral density",
        "Where the eigenvalues of L = I - P lie. Left are patterns that hardly change along edges, right "
        "those that flip at each. A peak at 1 comes from nodes with the same neighbours, or none. From "
        f"{a.density.lam.shape[0]} random probes, {a.density.lam.shape[1]} hops each, nothing decomposed.",
    )
    if not a.features.frequency.size:
        words = "The dataset has no features that are not 0, so there is no signal to place on it."
        return section("Spectrum", density, words=words)
    zero = f" {a.features.zero_columns:,} columns are 0 and left out." if a.features.zero_columns else ""
    features = chart(
        figures.feature_frequencies(a.features, mean_frequency(a.labels)[0]),
        "Where the features are",
        "Feature columns by frequency f = λ/2, and the same weighted by their energy. A filter's task is to "
        f"turn signals from where the features are into signals where the labels are.{zero}",
    )
    return section("Spectrum", density, features)


def _shape(a: Analysis) -> str:
    histogram = chart(
        figures.degree_histogram(a.degree_counts),
        "Neighbours per node",
        "Bins widen to the right. A long tail means hubs, which see and smooth over much of the graph.",
    )
    rows = [(name, a.degrees[key]) for key, name in _DEGREES.items()]
    rows += [
        ("components", a.components),
        ("nodes in the largest", a.largest),
        ("isolated nodes", a.isolated),
    ]
    caption = "Labels cannot travel between components; an isolated node has its own features only."
    return section("Shape", histogram, table(["neighbours", ""], rows, caption, wide=False))


_DEGREES = {
    "min": "fewest",
    "q25": "a quarter has at most",
    "median": "half has at most",
    "q75": "three quarters have at most",
    "q95": "95% have at most",
    "max": "most",
    "mean": "mean",
}

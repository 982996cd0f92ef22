"""Numbers to words: which regime a graph is in, and what that asks of a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

from unifilter.analysis.labels import Label, mean_frequency
from unifilter.graph.homophily import Estimate

# From which score on; see ``score``.
REGIMES = (
    (0.6, "strong homophily"),
    (0.2, "homophily"),
    (-0.2, "mixed"),
    (-0.6, "heterophily"),
    (-1.0, "strong heterophily"),
)
UNINFORMATIVE = 0.05  # of a label's information, what a neighbour has to tell to be worth asking

_ADVICE = {
    "strong homophily": (
        "Neighbours agree: a low-pass filter, which averages over them, brings the classes out. SGC, GCN and "
        "GNN-LF are made for this; UniFilter's paper settled on a tau of 0.8 to 1 for such graphs.",
        "The fewer the labels, the more the graph is worth: more hops reach more of them.",
    ),
    "homophily": (
        "Neighbours agree more often than not: a low-pass filter helps, but it also blurs the borders "
        "between classes. Keep the unfiltered features in play (GNN-LF, GPR-GNN, UniFilter learning tau).",
    ),
    "mixed": (
        "Neighbours agree about as often as chance would have it: neither averaging nor sharpening is right "
        "as such. Learn the filter (UniFilter with tau and h learned, GPR-GNN, BernNet).",
        "Compare with an MLP that never sees the graph: what does not beat it has learned nothing from the "
        "edges.",
    ),
    "heterophily": (
        "Neighbours differ more often than by chance: averaging over them mixes the classes. Use a filter "
        "that can pass high frequencies (UniFilter with tau learned, GPR-GNN, ChebNet) or a model that keeps "
        "a node's own features apart from its neighbours' (H2GCN, LINKX).",
    ),
    "strong heterophily": (
        "Neighbours nearly always differ: a low-pass filter would wash the classes out. Use one that passes "
        "high frequencies, and let UniFilter learn how much of the heterophily basis to use (tau, h).",
        "With few classes, labels agree again two hops away: even powers of P can help where odd ones harm.",
    ),
}


@dataclass(frozen=True)
class Regime:
    """The regime in a word, its score in [-1, 1], why, and what it means for a filter.

    ``str(regime)`` is all of it, in lines.
    """

    name: str
    score: float
    reasons: tuple[str, ...]
    advice: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.name, *(f"  {line}" for line in self.reasons + self.advice)])


def score(h: float, chance: float) -> float:
    r"""Homophily between its extremes: -1 no edge joins equal labels, 0 as by chance, 1 every edge does.

    .. math:: s = \frac{h - c}{1 - c} \ \text{ if } h \ge c, \qquad s = \frac{h - c}{c} \ \text{ if } h < c

    Above chance it is the adjusted homophily. Below, that one stops at -c / (1 - c), which is near 0 for many
    classes however few edges join equal ones; s is measured against that end.

    Examples
    --------
    >>> score(0.0, 0.2), score(0.2, 0.2), score(1.0, 0.2)
    (-1.0, 0.0, 1.0)
    """
    if h >= chance:
        return (h - chance) / (1 - chance) if chance < 1 else nan
    return (h - chance) / chance


def regime(
    homophily: Mapping[str, Estimate], labels: Sequence[Label], feature_mean: float, share: float
) -> Regime:
    """The regime, from what :func:`unifilter.analysis.analyze` has measured.

    Parameters
    ----------
    homophily : dict of Estimate
        Of :func:`unifilter.analysis.labels.measure_homophily`.
    labels : sequence of Label
    feature_mean : float
        Mean frequency of the features; NaN without features.
    share : float
        Share of the nodes whose labels were used.

    Examples
    --------
    >>> edge, adjusted, told = Estimate(0.05, 0.0), Estimate(-0.1875, 0.0), Estimate(0.1, 0.0)
    >>> found = regime({"edge": edge, "adjusted": adjusted, "informativeness": told}, (), nan, 1.0)
    >>> found.name, round(found.score, 6)
    ('strong heterophily', -0.75)
    """
    if not homophily:
        reason = "No edge joins two labelled nodes, so how often neighbours agree cannot be seen."
        return Regime("unknown", nan, (reason,), ("Learn tau and h, starting from the middle.",))
    h, adjusted = homophily["edge"], homophily["adjusted"]
    if isnan(adjusted.value):
        reason = "Every labelled node with an edge is of one class: there is nothing to tell apart."
        return Regime("one class", nan, (reason,), ("Check the labels before training on them.",))
    # Solved for the chance in adjusted = (h - chance) / (1 - chance).
    chance = (h.value - adjusted.value) / (1 - adjusted.value) if adjusted.value < 1 else 0.0
    s = score(h.value, chance)
    reasons = [
        f"{h.value:.1%} of the edges join equal labels (h = {h.value:.3f}); random edges between the same "
        f"classes would join {chance:.1%}. From -1 (none) over 0 (chance) to 1 (all) that is {s:+.2f}.",
        *_usage(h.value, s),
        *_doubt(h, chance, s, share),
        *_told(homophily["informativeness"].value),
        *_frequencies(labels, feature_mean),
    ]
    advice = _ADVICE[word(s)]
    if homophily["informativeness"].value < UNINFORMATIVE:
        advice = (*advice, "Direct neighbours tell little: look wider (more hops) or to the features.")
    return Regime(word(s), s, tuple(reasons), advice)


def word(s: float) -> str:
    """The regime of a score.

    Examples
    --------
    >>> word(0.7), word(0.0), word(-0.3)
    ('strong homophily', 'mixed', 'heterophily')
    """
    return next((name for start, name in REGIMES if s >= start), REGIMES[-1][1])


def _usage(h: float, s: float) -> list[str]:
    """Where our word differs from the literature's, which does not ask for chance."""
    if word(s) != "mixed":
        return []
    usual = "heterophilous, as h is below 0.5" if h < 0.5 else "homophilous, as h is not below 0.5"
    return [f"The literature calls it {usual}; measured against chance it is neither."]


def _doubt(h: Estimate, chance: float, s: float, share: float) -> list[str]:
    """Two standard errors either way, and the regimes that lie there."""
    if not h.error > 0:
        return []
    ends = [min(1.0, max(0.0, h.value + side * h.error)) for side in (-2, 2)]
    others = sorted({word(score(end, chance)) for end in ends} - {word(s)})
    also = f"; at an end of that it would be called {' or '.join(others)}" if others else ""
    return [f"Seen on {share:.1%} of the nodes, h lies between {ends[0]:.2f} and {ends[1]:.2f}{also}."]


def _told(informativeness: float) -> list[str]:
    told = max(0.0, informativeness)
    how = "next to nothing" if told < UNINFORMATIVE else "a part" if told < 0.3 else "much"
    return [f"A neighbour's label tells {how} of a node's own: {told:.0%} of its information."]


def _frequencies(labels: Sequence[Label], feature_mean: float) -> list[str]:
    f, chance = mean_frequency(labels)
    if isnan(f):
        return []
    said = f"The labels lie at frequency {f:.2f} (0 smooth, 1 alternating; by chance {chance:.2f})"
    if isnan(feature_mean):
        return [said + "."]
    gap = f - feature_mean
    way = "falls" if gap < -0.05 else "rises" if gap > 0.05 else "hardly changes"
    return [f"{said}, the features at {feature_mean:.2f}: from features to labels the frequency {way}."]

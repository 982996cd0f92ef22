"""The evidence of every erratum in words, from what was measured; empty where nothing was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from unifilter.models import model_class
from unifilter.presets import NAMES, preset
from unifilter.reproduce import angles, datasets, estimates, rows, spectrum, theorem1
from unifilter.reproduce.evidence import COLUMNS, TAU, H, K, expected_on_a_ring, measure
from unifilter.reproduce.part import Scale
from unifilter.reproduce.printed import printed
from unifilter.reproduce.results import Results

SQUIRREL = "squirrel"  # where the paper measures angles
Taken = dict[str, dict[str, float]]


def closed_form(results: Results, scale: Scale) -> str:
    """Theorem 3's expectation, by enumeration, beside the printed form and ours."""
    n, found = 6, []
    for degrees in (0, 30, 60, 90):
        theta = math.radians(degrees)
        square = math.cos(theta) ** 2
        theirs, ours = (n + 1 - 2 * square) / (4 * (n - 1)), n * (1 - square) / (2 * (n - 1))
        mean = expected_on_a_ring(theta, n)
        found.append(f"{degrees}° {mean:.3f} (printed form {theirs:.3f}, ours {ours:.3f})")
    return (
        "At x = phi, where f = 0 by the theorem's own words, its last line gives 1/4 for every n. The mean "
        f"over all placements of a signal on a ring of {n} nodes, by angle: {'; '.join(found)}. Right is "
        "n(1 - cos² theta)/(2(n - 1)), and the theorem stands."
    )


def sums_over_edges(results: Results, scale: Scale) -> str:
    """What the proofs write for f, beside f."""

    def said(t: Taken) -> str:
        return f"{t['mean']['definition']:.3f} and {t['mean']['edges']:.3f}"

    found = each(results, scale, "edge_sums", said)
    opening = "Mean over feature columns of f by its definition, and of the sum over edges"
    return joined(opening, found, "The sum is f of D^1/2 x: the same for all x on regular graphs only.")


def proportional(results: Results, scale: Scale) -> str:
    """Where Theorem 1 is exact, where it was found, and where it fails."""
    proof, labels = (theorem1.ratios(signal, results, scale) for signal in ("proof", "labels"))
    if not proof:
        return ""
    off = max(abs(ratio - 1 / 2) for ratio in proof.values())
    exact = f"D^1/2 Y has f = (1 - h)/2 on any graph; on the {len(proof)} graphs here within {off:.0e}."
    # Also what does not hold is told: the page must not be better than the check.
    claims = [(c, "" if c.holds else "it does NOT hold that ") for c in theorem1.check(results, scale)]
    tried = joined(
        "For filtered signals the law was seen on balanced block models only, and there with a regression on "
        "labels that has a matrix for each hop, not the theorem's one w",
        [f"{no}{c.sentence} ({c.evidence})" for c, no in claims],
    )
    least, most = min(labels.values()), max(labels.values())
    found = [f"{graph} {ratio:.2f}" for graph, ratio in labels.items()]
    opening = "Centred labels, which an optimal filter is to give, have f/(1 - h)"
    real = joined(opening, found, f"From {least:.2f} to {most:.2f} is not one factor.")
    return " ".join(part for part in (exact, tried, real) if part)


def lost_angle(results: Results, scale: Scale) -> str:
    """Angles at both ends of 1000 vectors, in three ways."""
    graph, found = (*scale.has(SQUIRREL), "")[0], []
    for basis in ("exact", "plain", "released"):
        taken = results.taken(angles.measure(basis, graph, scale))
        if taken is not None:
            ks, degrees = sorted(map(int, taken["degrees"])), taken["degrees"]
            first, last = (", ".join(f"{degrees[str(k)]:.2f}" for k in some) for some in (ks[1:5], ks[-4:]))
            found.append(f"{angles.BASES[basis]}: {first} at first, {last} at last")
    paper = printed()["angles"]["unibasis"]
    opening = f"theta is {90 * (1 - H):.1f} degrees; printed are {paper[0]} at first and {paper[-1]} at last"
    return joined(opening, found)


def powers(results: Results, scale: Scale) -> str:
    """Angles of the homophily basis."""
    taken = results.taken(angles.measure("homophily", SQUIRREL, scale))
    if taken is None:
        return ""
    ours = ", ".join(f"{taken['degrees'][str(k)]:.1f}" for k in (1, 2, 3, 4))
    last = taken["degrees"][max(taken["degrees"], key=int)]
    theirs = ", ".join(map(str, printed()["angles"]["homophily"][:4]))
    return f"Printed {theirs}; ours {ours}, and {last:.0e} at last. That the basis collapses stands."


def another_sum(results: Results, scale: Scale) -> str:
    """What is printed for the frequency of basis vectors."""
    found = []
    for graph in scale.graphs:
        some = spectrum.distances(graph, results, scale)
        if some is not None:
            found.append(f"{graph} {some[0]:.4f}, {some[1]:.3f}, {some[2]:.3f}")
    opening = (
        "What is printed is the sum over edges of (x_u - x_v)² by that of d_u x_u², which is 2f of D^1/2 x. "
        "Mean distance of the printed figures from that sum, from 2f and from f"
    )
    closing = (
        "Self-loops of the data count in Actor, Chameleon and Squirrel. Cora's are ours times 0.989, as if "
        "16 columns more counted as 0."
    )
    return joined(opening, found, closing)


def signs(results: Results, scale: Scale) -> str:
    """Splits whose weights came out negative as a whole."""
    found = []
    for graph in scale.graphs:
        w = spectrum.weights(graph, "released", results, scale)
        if w:
            turned = sum(sum(each) < 0 for each in w)
            found.append(f"{graph} {turned} of {len(w)}")
    opening = (
        "A filter -w before a first layer -W is the same network, and training finds either. Splits whose "
        "weights have a negative sum"
    )
    return joined(opening, found, "Only signs that differ within one basis can be read.")


def swapped(results: Results, scale: Scale) -> str:
    """Accuracies that belong to the other graph."""
    best = {g: max(a for a, _ in printed()["h_sensitivity"][g]["accuracy"]) for g in ("squirrel", "pubmed")}
    table = printed()["table2"]["unifilter"]
    return (
        f"Its row of Squirrel reaches {best['pubmed']} at h = 0.78 to 0.82, its row of Pubmed "
        f"{best['squirrel']} at h = 0.19 to 0.23; Table 2 has {table['squirrel'][0]:.2f} on Squirrel and "
        f"{table['pubmed'][0]:.2f} on Pubmed. Its caption is that of Table 7."
    )


def second(results: Results, scale: Scale) -> str:
    """Columns of Table 2 in which another row is higher."""
    table, found = printed()["table2"], []
    for graph in table["unifilter"]:
        best = max(table, key=lambda model: table[model][graph][0])
        if best != "unifilter":
            theirs, ours = table[best][graph][0], table["unifilter"][graph][0]
            found.append(f"{graph}: {model_class(best).card.title} {theirs}, UniFilter {ours}")
    return joined("", found, "On Citeseer the lower of the two is set in bold.")


def gain(results: Results, scale: Scale) -> str:
    """Table 3's gain on Squirrel, over whom."""
    table = {m: figures["squirrel"][0] for m, figures in printed()["table3"].items()}
    own = table.pop("unifilter")
    best = max(table, key=table.__getitem__)
    return (
        f"6.38 is the gain over GloGNN++ ({table['glognn']}). The best other row is "
        f"{model_class(best).card.title} with {table[best]}: a gain of {own - table[best]:.2f}."
    )


def homophilies(results: Results, scale: Scale) -> str:
    """Counted."""
    taken = {g: results.taken(datasets.measure(g)) for g in scale.has("citeseer", "chameleon", "squirrel")}
    found = [f"{g} {t['graph']['homophily']:.4f}" for g, t in taken.items() if t is not None]
    return joined("Counted on all labels", found)


def repeated_edges(results: Results, scale: Scale) -> str:
    """Printed edges that are lines of a list."""
    found = []
    for graph in scale.graphs:
        taken, theirs = results.taken(datasets.measure(graph)), printed()["datasets"].get(graph)
        if taken is None or theirs is None or taken["graph"]["edges"] == theirs["edges"]:
            continue
        lines, edges = taken.get("list", {}).get("listed", math.nan), taken["graph"]["edges"]
        found.append(
            f"{graph}: {theirs['edges']:,} printed, {lines:,.0f} lines, {edges:,.0f} different edges"
        )
    return joined("", found, "Printed is half the number of lines.")


def lost_zero(results: Results, scale: Scale) -> str:
    """The standard deviation of Cora's estimates."""
    some = estimates.estimated(results, estimates.by_share("cora", 0.5, scale))
    return f"On the same splits it is {np.std(some, ddof=1):.4f}: a zero was lost." if len(some) > 1 else ""


def counted(results: Results, scale: Scale) -> str:
    """Baselines."""
    return f"The two tables have {len(printed()['table2']) - 1} and {len(printed()['table3']) - 1}."


def reading(results: Results, scale: Scale) -> str:
    """Which splits of 48% the paper's estimates of h come from."""
    found = []
    for graph in scale.has("citeseer", "pubmed"):
        means = [_mean(results, graph, kind, scale) for kind in ("quota48", "fixed")]
        theirs = printed()["h_estimate"]["48"].get(graph, [math.nan])[0]
        if not any(map(math.isnan, [*means, theirs])):
            found.append(f"{graph} printed {theirs}, quota {means[0]:.3f}, public {means[1]:.3f}")
    opening = "Its estimates of h tell which nodes were drawn as the 48%"
    return joined(opening, found, "They are those of quota splits.")


def unreachable(results: Results, scale: Scale) -> str:
    """Table 3 with the released settings."""
    found = []
    for graph, (theirs, _) in printed()["table3"]["unifilter"].items():
        values = []
        for kind, name in (("fixed", "public splits"), ("quota48", "quota splits")):
            value = results.value(rows.jobs("unifilter", graph, f"{kind}:{scale.splits}", scale)[0])
            values += [] if value is None else [f"{name} {value.mean:.2f}"]
        found += [f"{graph} printed {theirs}, {', '.join(values)}"] if values else []
    return joined("With the released basis and settings", found)


def quota(results: Results, scale: Scale) -> str:
    """What quotas make of the classes."""

    def said(t: Taken) -> str:
        share, lost = t["largest"], t["missing"]["test"]
        gone = f", classes without a test node: {lost:g}" if lost else ""
        return f"{share['graph']:.0%}, {share['train']:.0%}, {share['test']:.0%}{gone}"

    found = each(results, scale, "missing", said)
    opening = (
        "Every class gives round(0.6 n / C) nodes to training, a smaller one all that it has. The largest "
        "class's share of the graph, of training and of the test"
    )
    return joined(opening, found)


def biased(results: Results, scale: Scale) -> str:
    """Estimates of h from quota and from stratified splits."""
    found = []
    for graph in scale.graphs:
        means = [_mean(results, graph, kind, scale) for kind in ("quota", "stratified")]
        taken = results.taken(datasets.measure(graph))
        if taken is not None and not any(map(math.isnan, means)):
            h = taken["graph"]["homophily"]
            found.append(f"{graph} h = {h:.3f}, quota {means[0]:.3f}, stratified {means[1]:.3f}")
    return joined("From 60% of the labels", found)


def wide_range(results: Results, scale: Scale) -> str:
    """How much h +- 0.5 leaves of [0, 1]."""
    known = [g["homophily"] for g in printed()["datasets"].values()]
    widths = [min(1.0, h + 0.5) - max(0.0, h - 0.5) for h in known]
    return f"It leaves {min(widths):.0%} to {max(widths):.0%} of all values."


def not_theorem_4(results: Results, scale: Scale) -> str:
    """Cosines of the released basis, and of what; the first vector, x itself, has a law of its own."""

    def said(t: Taken) -> str:
        low, middle, high = (t["released"][k] for k in ("least", "median", "largest"))
        return f"{low:.2f} to {high:.2f}, median {middle:.2f} (exact basis {t['exact']['median']:.3f})"

    c = math.cos(math.pi / 2 * (1 - H))
    opening = (
        f"At h = {H}, tau = {TAU} the theorem has a cosine of {c:.3f} for all pairs. The released code's, "
        f"over all pairs of u_1 to u_{K} and the first {COLUMNS} feature columns, scaled as its settings say"
    )
    closing = (
        f"Its first vector is x, which is not among these: x and u_1 have {c:.3f}/||x||, or 1 where ||x|| is "
        f"below {c:.3f}. So its cosines depend on the scaling of the features; those of the theorem do not."
    )
    return joined(opening, each(results, scale, "cosines", said), closing)


def two_scales(results: Results, scale: Scale) -> str:
    """Lengths of feature columns."""

    def said(t: Taken) -> str:
        return f"{t['none']['median']:.2f} and {t['row']['median']:.3f}"

    opening = "Median length of a feature column, as it comes and with rows divided by their sum, beside 1"
    return joined(opening, each(results, scale, "scales", said))


def unsaid(results: Results, scale: Scale) -> str:
    """How training ends, and which lists of edges have edges in one direction alone."""
    ends = preset(NAMES[0]).training
    told = f"Validation {ends.monitor} is watched, for at most {ends.epochs} epochs."
    found = []
    for graph in scale.graphs:
        taken = results.taken(datasets.measure(graph))
        if taken is None or "list" not in taken:
            continue
        lines, edges = taken["list"]["listed"] - taken["list"]["loops"], taken["graph"]["edges"]
        if lines < 2 * edges:  # listed both ways, each edge would have two lines
            found.append(f"{graph} {edges:,.0f} edges in {lines:,.0f} lines")
    closing = "The paper defines a graph as undirected, and its Table 4 counts the edges of these as such."
    return f"{told} {joined('Directed as they come, without loops', found, closing)}".strip()


def each(results: Results, scale: Scale, about: str, said: Callable[[Taken], str]) -> list[str]:
    """What is said of every graph that was measured."""
    taken = {graph: results.taken(measure(about, graph, scale)) for graph in scale.graphs}
    return [f"{graph} {said(t)}" for graph, t in taken.items() if t is not None]


def joined(opening: str, found: Sequence[str], closing: str = "") -> str:
    """One sentence, if anything was found."""
    if not found:
        return ""
    listed = f"{opening}: {'; '.join(found)}." if opening else f"{'; '.join(found)}."
    return f"{listed} {closing}".strip()


def _mean(results: Results, graph: str, kind: str, scale: Scale) -> float:
    some = estimates.estimated(results, estimates.by_protocol(graph, kind, scale))
    return float(np.mean(some)) if some else math.nan

"""Errata: where the paper is wrong, or its released code departs from it, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unifilter.reproduce import angles, datasets, estimates, spectrum, theorem1
from unifilter.reproduce import errata_printed as contradictions
from unifilter.reproduce import errata_proofs as proofs
from unifilter.reproduce import errata_words as words
from unifilter.reproduce.evidence import ABOUT, measure
from unifilter.reproduce.part import Measure, Part, Scale
from unifilter.reproduce.results import Results
from unifilter.viz.exhibit import Exhibit, Words

Evidence = Callable[[Results, Scale], str]


def measures(scale: Scale) -> list[Measure]:
    """Its own, and those of other parts that are evidence here."""
    own = [measure(about, graph, scale) for about in ABOUT for graph in scale.graphs]
    others = [p.PART.measures(scale) for p in (datasets, estimates, spectrum, angles, theorem1)]
    return own + [m for some in others for m in some]


def show(results: Results, scale: Scale) -> Sequence[Exhibit]:
    """A list for theorems, for tables and text, for the protocol, for the released code."""
    found = []
    for name, title, opening, items in _LISTS:
        told = [(claim, said) for claim, evidence in items if (said := evidence(results, scale))]
        if told:
            found.append(Words(f"errata_{name}", title, [opening], told))
    return found


def _stated(text: str) -> Evidence:
    """Evidence that no measurement of ours adds to."""
    return lambda results, scale: text


_THEOREMS: Sequence[tuple[str, Evidence]] = (
    ("Theorem 3: the closed form at the end of its proof is wrong.", words.closed_form),
    ("The proofs take a sum over edges of (x_u - x_v)² for x'Lx, which it is not.", words.sums_over_edges),
    (
        "Theorem 1: D^1/2 Y has one factor of 1 - h on every graph; centred labels, which a good filter is "
        "to give, do not.",
        words.proportional,
    ),
    (
        "Theorem 2 needs a graph that is not bipartite and a signal with a share of D^1/2 1.",
        proofs.angles_that_stay,
    ),
    (
        "Section 3: the weights of BernNet's filter as powers of P have a wrong index.",
        proofs.bernstein_weights,
    ),
    (
        "Table 9: 71 degrees are lost orthogonality, and what precedes them the released code's t_k. The "
        "text explains them by an average over features.",
        words.lost_angle,
    ),
    ("Table 9: the angles of the homophily basis are not those of P^k x.", words.powers),
    ("Figure 2 does not show the frequency f that the paper defines.", words.another_sum),
    ("Figure 2: negative weights are read as frequencies that are removed.", words.signs),
)
_TABLES: Sequence[tuple[str, Evidence]] = (
    ("Table 8 swaps its two row labels.", words.swapped),
    ("Table 2: UniFilter is not the highest on two graphs; the text says on Actor alone.", words.second),
    ("Table 3: the gain of 6.38 on Squirrel is not over the best other row.", words.gain),
    (
        "The text has h = 0.73 for Citeseer, 0.22 for Chameleon and 0.23 for Squirrel; Table 4 has 0.74, "
        "0.23 and 0.22.",
        words.homophilies,
    ),
    ("Table 4 counts repeated edges of the citation graphs.", words.repeated_edges),
    ("Table 7: a standard deviation of 0.08 for Cora at 50%, of 0.01 at 40% and 60%.", words.lost_zero),
    ("One setting has two figures, in Table 2 and in Figure 4.", contradictions.two_figures),
    ("Figure 4 and Table 8 have one figure for two settings.", contradictions.one_figure),
    ("The text varies tau from 0 on; Figure 4 begins later.", contradictions.late_start),
    ("The text and Figure 4 have Cora's best tau at 0.9; Table 5 chooses 1.0.", contradictions.best_tau),
    (
        "Figure 3: the advantage over HomFilter does not gradually decrease as h grows.",
        contradictions.advantage,
    ),
    (
        "The text has most frequencies of the homophilous graphs between 0.3 and 0.5; Figure 2 has not those "
        "of Citeseer there, but those of Squirrel.",
        contradictions.low_frequencies,
    ),
    ("Table 3 underlines as second highest on Squirrel what is third.", contradictions.underlined),
    ("The text has 20 baselines in two places and 18 in a third.", words.counted),
)
_PROTOCOL: Sequence[tuple[str, Evidence]] = (
    ("Table 3: UniFilter was not run on the public splits that its baselines were run on.", words.reading),
    ("Table 3: UniFilter's figures on both kinds of splits.", words.unreachable),
    ("60/20/20 is neither random nor stratified.", words.quota),
    ("Quota splits bias the estimate of h, stratified ones do not.", words.biased),
    ('"tau near h ± 0.5" says little.', words.wide_range),
    (
        "The ± of Tables 2 and 3 are not one thing.",
        _stated(
            "UniFilter's and those of the rows of Table 3, which another paper printed, are standard "
            "deviations over ten splits; those of the other rows of Table 2 are halves of 95% intervals."
        ),
    ),
    (
        "The nine baselines of Table 3 were not run.",
        _stated(
            "They are those of the table in the GloGNN paper, digit for digit, which come from several "
            "protocols. The rows of Table 3 here are runs of our own."
        ),
    ),
)
_RELEASED: Sequence[tuple[str, Evidence]] = (
    (
        "t_k is taken against the mixed vector, and against x at k = 1: Theorem 4 does not hold for it.",
        words.not_theorem_4,
    ),
    ("tau mixes P^k x, of any length, with u_k of length 1.", words.two_scales),
    (
        "The paper gives the patience of 200 epochs, but not what is watched, nor the limit of epochs, nor "
        "that three directed graphs are made undirected.",
        words.unsaid,
    ),
    ("Released settings are not all in the ranges that the paper searched.", contradictions.outside),
)
_LISTS: Sequence[tuple[str, str, str, Sequence[tuple[str, Evidence]]]] = (
    (
        "theorems",
        "Theorems and definitions",
        "What the paper proves or defines, and what comes out when it is computed.",
        _THEOREMS,
    ),
    (
        "tables",
        "Tables and text",
        "What is printed in one place and contradicted in another, or by the data.",
        _TABLES,
    ),
    ("protocol", "Splits and settings", "What an accuracy can be compared with.", _PROTOCOL),
    (
        "released",
        "The released code",
        "Where the code behind the printed figures is not the paper's algorithm. Both are in this library.",
        _RELEASED,
    ),
)

PART = Part("errata", "Errata, with evidence", show, measures=measures)

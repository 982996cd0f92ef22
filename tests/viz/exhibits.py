"""One exhibit of every kind, with names that could break a page, a pipe table or a LaTeX file."""

from math import nan

from unifilter.viz.exhibit import Cell, Plot, Series, Table, Value, Words

EVIL = "50% <b>a|b</b> & $x_1$"

TABLE = Table(
    "table2",
    "Accuracy",
    ["Cora", "Citeseer", "Pubmed", "Actor", "Chameleon", "Squirrel"],
    {
        "UniFilter": {
            "Cora": Cell(Value(89.46, 1.2, 10), 89.49),
            "Citeseer": Cell(Value(83.0, 0.5, 10), 81.39),
            "Pubmed": Cell(Value(90.0, 0.4, 10), 91.44, note="half of the epochs"),
            "Actor": Cell(printed=40.84),
        },
        EVIL: {
            "Cora": Cell(Value(70.0, 1.0, 10)),
            "Citeseer": Cell(Value(71.0, 1.0, 10), 70.5, printed_half=0.7),
        },
    },
    caption="Ten splits & more.",
    corner="model",
)
PLOT = Plot(
    "tau",
    "Sensitivity to τ",
    "τ",
    "accuracy (%)",
    [
        Series(EVIL, [0.1, 0.5, 0.9], [70.0, 79.0, 89.0], [1.0, None, 0.8]),
        Series(EVIL, [0.1, 0.5], [70.5, 78.9], [2.3, 1.6], printed=True),
        Series("theory", [0.1, 0.9], [60.0, 90.0], reference=True),
    ],
    caption="Hollow: the paper's.",
)
BARS = Plot(
    "ranks",
    "Mean rank",
    "model",
    "rank",
    [Series("rank", ["GCN", EVIL], [1.5, 2.0], [0.3, 0.2]), Series("rank", [EVIL], [2.2], printed=True)],
    kind="bars",
)
STEMS = Plot(
    "spectrum",
    "Spectrum",
    "frequency f",
    "weight w",
    [Series("w", [0.1, 0.4], [-1.0, 0.5], labels=["0", "1"])],
    kind="stems",
)
MUTED = Plot(
    "muted",
    "One among many",
    "h",
    "accuracy (%)",
    [
        Series("a", [0.0, 1.0], [60.0, 80.0], [2.0, 2.0]),
        Series("b", [0.0, 1.0], [50.0, 90.0], [3.0, 3.0], muted="other models"),
        Series("c", [0.0, 1.0], [40.0, 70.0], muted="other models"),
    ],
)
_BARS = Series(
    "alike", ["GCN", "GCN", "GCN", "distance", "distance"], [1.5, 2.0, nan, 1.0, 2.5], reference=True
)
ROWS = Plot(
    "rows", "Mean rank", "model", "rank", [Series("rank", ["GCN", EVIL], [1.5, 2.0]), _BARS], kind="rows"
)
# As on Cora: frequencies crowd at the low end, and the paper's own points stand between ours.
_F = [0.46, 0.38, 0.33, 0.29, 0.26, 0.24, 0.226, 0.214, 0.206, 0.2, 0.195]
CROWD = Plot(
    "crowd",
    "Crowded spectrum",
    "frequency f",
    "weight w",
    [
        Series("w", _F, [0.2 - 0.01 * k for k in range(11)], [0.02] * 11, labels=[str(k) for k in range(11)]),
        Series("w", [0.45, 0.31, 0.205], [0.25, 0.3, 0.1], printed=True),
    ],
    kind="stems",
)
WORDS = Words("errata", "Errata", ["Found by computing."], [("1 + 1 = 3 " + EVIL, "It is 2."), ("b", "c")])
PARTS = {"Table 2": [TABLE], "Figures": [PLOT, BARS, STEMS], "Errata": [WORDS], "nothing run": []}

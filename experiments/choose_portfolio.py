"""The portfolio of auto, from the journals of searches: greedy, on validation accuracies only.

    python experiments/choose_portfolio.py            both portfolios
    python experiments/choose_portfolio.py --unseen   configs/unseen.json: each graph by the others

Many labels: journals of `search_six_graphs.py` (quota splits, 10 hops) and of earlier runs of `unifilter
reproduce` (`unifilter_*.jsonl`: both kinds of splits, 2 or 10 hops, w from both starts, wider ranges). Few
labels: those of `few_labels.py`. The next setting is always the one that brings the best of those chosen
closest to the best of all, summed over graphs and kinds of splits; where a setting was not tried, it does not
help. It ends when nothing is gained, or with as many as a short budget can train. `unifilter.train.portfolio`
holds both results, and one setting by hand, which was made for Actor: there it is left out of what the others
choose. Tests compare.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unifilter.record import write_atomically
from unifilter.reproduce.part import SIX
from unifilter.train.portfolio import PORTFOLIO
from unifilter.train.trial import read_journal

RESULTS = Path(__file__).parent / "results"
# Without those of wider spaces, `SPACE_GRAPH_SPLITS.jsonl`, which are for a few graphs only.
OURS = (*SIX, "digits", "unifilter")
JOURNALS = sorted(f for f in (RESULTS / "journals").glob("*.jsonl") if f.stem.split("_")[0] in OURS)
UNSEEN = Path(__file__).parent / "configs" / "unseen.json"
MOST = 10
EARLIER: dict[str, Any] = {
    "options.K": 10,
    "options.start": "uniform",
}  # of journals that say nothing of them
LATER: dict[str, Any] = {"options.batch_norm": False}


def read(files: Sequence[Path] = JOURNALS) -> dict[str, dict[str, float]]:
    """For each graph and kind of splits, the validation accuracy of every setting, written as JSON."""
    found: dict[str, dict[str, float]] = {}
    for file in files:
        column = found.setdefault(file.stem.removeprefix("unifilter_"), {})
        for trial in read_journal(file):
            if trial.number < 0:  # published: tuned on one of these graphs, with a fixed tau
                continue
            for whole in _scalings(EARLIER | LATER | trial.setting):
                setting = json.dumps(whole, sort_keys=True)
                column[setting] = max(trial.accuracy, column.get(setting, -1.0))
    return found


def _scalings(setting: dict[str, Any]) -> list[dict[str, Any]]:
    """Where features are standardised, whatever a setting says of their scaling, it says it for all."""
    if setting["preprocess"] != "standard":
        return [setting]
    return [setting | {"preprocess": how} for how in ("row", "none")]


def choose(accuracy: dict[str, dict[str, float]], most: int = MOST) -> list[str]:
    """The settings, best guess first."""
    best = {g: max(found.values()) for g, found in accuracy.items()}
    gap = dict.fromkeys(accuracy, 1.0)
    settings = sorted({s for found in accuracy.values() for s in found})
    chosen: list[str] = []
    while len(chosen) < most:
        gaps = {
            s: {g: min(gap[g], best[g] - found.get(s, -1.0)) for g, found in accuracy.items()}
            for s in settings
        }
        closest = min(settings, key=lambda s, gaps=gaps: sum(gaps[s].values()))
        if sum(gaps[closest].values()) >= sum(gap.values()):
            break
        chosen.append(closest)
        gap = gaps[closest]
    return chosen


def chosen() -> tuple[list[str], list[str]]:
    """The settings for many labels, and those for few."""
    accuracy = read()
    few = {name: column for name, column in accuracy.items() if name.endswith("_few")}
    many = {name: column for name, column in accuracy.items() if name not in few}
    return choose(many), choose(few)


def unseen() -> dict[str, list[dict[str, Any]]]:
    """For each of the six graphs, the portfolio for many labels without a look at it."""
    accuracy = {name: column for name, column in read().items() if not name.endswith("_few")}
    found = {}
    for graph in SIX:
        others = {name: column for name, column in accuracy.items() if name.split("_")[0] != graph}
        by_hand = [dict(PORTFOLIO[-1])] if graph != "actor" else []
        found[graph] = [json.loads(setting) for setting in choose(others)] + by_hand
    return found


def main() -> None:
    if "--unseen" in sys.argv[1:]:
        lines = {g: ",\n".join(json.dumps(s, sort_keys=True) for s in found) for g, found in unseen().items()}
        graphs = ",\n".join(f'"{graph}": [\n{settings}\n]' for graph, settings in lines.items())
        write_atomically(UNSEEN, f"{{\n{graphs}\n}}\n")
        return
    for title, settings in zip(("many labels", "few labels"), chosen(), strict=True):
        print(title, *settings, sep="\n")


if __name__ == "__main__":
    main()

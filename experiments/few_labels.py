"""The best settings of the searches again, where one node in twenty has a label.

    python experiments/few_labels.py
    python experiments/few_labels.py --graphs digits --best 2 --splits 1 --out SOMEWHERE

What wins on splits of 60/20/20 may be too eager for few labels, which is what most users have. So the best
few settings of every journal of `search_six_graphs.py` and `unifilter reproduce` are trained on 5% of the
nodes and scored on another 20%: journals `<graph>_few.jsonl` beside theirs, which `choose_portfolio.py` reads
too. Test nodes are not looked at; a killed run continues.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path
from typing import Any

from choose_portfolio import RESULTS, read

from unifilter import load, splits
from unifilter.train.auto import suits
from unifilter.train.samplers import PAPER_SPACE, Numbered
from unifilter.train.search import search
from unifilter.train.trial import Trial, read_journal

GRAPHS = ["digits", "cora", "actor", "chameleon"]
RUNGS = (25, 75, 200)


class Given:
    """A sampler that proposes what it was given, and numbers it from ``first`` on."""

    def __init__(self, settings: list[dict[str, Any]], first: int) -> None:
        self.left = enumerate(settings, start=first)

    def ask(self, count: int) -> list[Numbered]:
        """The next ones."""
        return list(islice(self.left, max(0, count)))

    def tell(self, trial: Trial) -> None:
        """Nothing depends on it."""

    def found(self) -> list[Trial]:
        """The journal has them all."""
        return []

    def underway(self) -> int:
        """It works alone."""
        return 0


def candidates(best: int) -> list[dict[str, Any]]:
    """The best so many settings of every journal of many labels."""
    found: dict[str, None] = {}
    for name, column in read().items():
        if not name.endswith("_few"):
            found |= dict.fromkeys(sorted(column, key=column.__getitem__, reverse=True)[:best])
    return [json.loads(setting) for setting in found]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", default=GRAPHS)
    parser.add_argument("--best", type=int, default=6, help="settings of every journal")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--out", type=Path, default=RESULTS / "journals")
    given = parser.parse_args()
    for name in given.graphs:
        data = load(name)
        ways = suits(data)
        settings = [
            s | ({} if s["preprocess"] in ways else {"preprocess": ways[0]}) for s in candidates(given.best)
        ]
        settings = [s for i, s in enumerate(settings) if s not in settings[:i]]
        journal = given.out / f"{name}_few.jsonl"
        tried = read_journal(journal)
        known = [trial.setting for trial in tried]
        parts = [splits.stratified(data.y, 0.05, 0.2, seed=s) for s in range(given.splits)]

        def show(found, left, name=name):
            print(f"  {name}: {left} left, best of these {max(t.accuracy for t in found):.4f}", flush=True)

        sampler = Given(
            [s for s in settings if s not in known], first=max((t.number for t in tried), default=-1) + 1
        )
        trials = search(
            data, parts, PAPER_SPACE, len(settings), sampler=sampler, rungs=RUNGS, patience=60, batch=8,
            journal=journal, on_batch=show,
        )  # fmt: skip
        print(
            f"{name}: {len(trials)} settings, validation {trials[0].accuracy:.4f} {trials[0].setting}",
            flush=True,
        )


if __name__ == "__main__":
    main()

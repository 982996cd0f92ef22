"""Which changes of UniFilter's architecture help where, by mean validation accuracy over ten splits.

    python experiments/wide_search.py cora fixed --settings 400
    python experiments/wide_search.py cora,citeseer quota,fixed --space rows --settings 100
    python experiments/wide_search.py --show

Spaces with more than the paper's architecture. "wide": a bias, the features beside the filtered ones, weights
for every column, filtered features that reach the first layer whole, dropout on the basis. "rows": filtered
rows of length 1. "open": both, without what costs another pass over V. "near": the best setting of all
searches before, number -1 of the journal, with some of its options drawn anew. Journals go to
`results/journals/SPACE_GRAPH_SPLITS.jsonl`, and a killed search goes on; `--show` counts the values of every
option among the best twelfth of each. `best_settings.py` takes its choice from them. Test nodes take no part.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import best_settings
import torch

from unifilter.reproduce.graphs import load
from unifilter.reproduce.protocols import trials
from unifilter.train.samplers import PAPER_SPACE, Random, Space
from unifilter.train.search import search
from unifilter.train.trial import Trial, read_journal

SEED = 7
JOURNALS = Path(__file__).parent / "results" / "journals"
WIDE = Space(
    {
        "preprocess": ["row", "none"],
        "options.hidden": [64, 256],
        "options.layers": [2, 3],
        "options.K": [2, 10],
        "options.start": ["uniform", "identity"],
        "options.paper_init": [False, True],
        "options.batch_norm": [False, True],
        "options.bias": [True],
        "options.residual": [True],
        "options.ego": [False, True],
        "options.per_column": [False, True],
        "options.drop_inputs": [True, False],
        "options.dropout": [0.1, 0.3, 0.5, 0.7, 0.9],
        "training.lr": [0.005, 0.01, 0.05, 0.1],
        "training.weight_decay": [5e-6, 1e-4, 1e-3, 5e-3, 2e-2],
        "groups.filter.lr": [0.01, 0.05],
        "groups.filter.weight_decay": [0.0, 5e-4],
        "groups.shares.lr": [0.05],
        "groups.shares.weight_decay": [0.0],
    }
)
# Dropout on the basis reads all of V for every member: only where that is small.
DROPPED = Space(WIDE.values | {"options.basis_dropout": [0.0, 0.4, 0.8]})
SMALL = ("cora", "citeseer")
# Narrow, and without what costs another pass over V, so that two cores can search it.
ROWS = Space(
    WIDE.values
    | {
        "options.row_norm": [True],
        "options.per_column": [False],
        "options.ego": [False],
        "options.hidden": [64],
        "options.layers": [1, 2, 3],
        "options.dropout": [0.0, 0.2, 0.5, 0.8],
        "training.lr": [0.01, 0.05, 0.1],
        "training.weight_decay": [0.0, 5e-5, 5e-4, 5e-3],
    }
)
OPEN = Space(ROWS.values | {"options.row_norm": [False, True], "options.hidden": [64, 256]})
CHANGED = 0.2  # of the options near a setting


@dataclass(frozen=True)
class Near(Space):
    """Settings that differ from one in some options."""

    start: dict[str, Any]

    def draw(self, rng: random.Random) -> dict[str, Any]:
        """The start, and some values at random."""
        return self.start | {n: v for n, v in super().draw(rng).items() if rng.random() < CHANGED}


FINE = PAPER_SPACE.values | {
    "options.layers": [1, 2, 3, 4],
    "options.K": [2, 4, 6, 10],
    "options.residual": [True, False],
    "options.bias": [True, False],
    "options.ego": [False, True],
    "options.per_column": [False, True],
    "options.batch_norm": [False, True],
    "options.drop_inputs": [True, False],
    "options.row_norm": [False, True],
}
NAMES = ("wide", "rows", "open", "near")


def space_for(name: str, graph: str, start: Mapping[str, Any] | None = None) -> Space:
    """What is searched on a graph, around a setting maybe."""
    if name == "near":
        return Near(FINE, dict(start or {}))
    if name in ("rows", "open"):
        return ROWS if name == "rows" else OPEN
    return DROPPED if graph in SMALL else WIDE


def start_of(file: Path, graph: str, kind: str) -> dict[str, Any]:
    """The setting around which a journal searches; for a new one, the best so far."""
    first = [t.setting for t in read_journal(file) if t.number == -1]
    return first[0] if first else best_settings.best(graph, kind)


def best(found: list[Trial]) -> list[Trial]:
    """The best twelfth, at least twenty."""
    return sorted(found, key=lambda t: -t.accuracy)[: max(20, len(found) // 12)]


def counted(found: list[Trial]) -> dict[str, Counter]:
    """For every option that was searched, how often each value is among the best."""
    names = [n for n in found[0].setting if len({str(t.setting[n]) for t in found}) > 1]
    return {n: Counter(t.setting[n] for t in best(found)) for n in names}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graphs", nargs="?", help="names with commas")
    parser.add_argument("splits", nargs="?", help="quota, fixed or both, with a comma")
    parser.add_argument("--space", choices=NAMES, default="wide")
    parser.add_argument("--settings", type=int, default=400)
    parser.add_argument("--batch", type=int, help="settings that begin together; all of them by default")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for each graph and its splits")
    parser.add_argument("--out", type=Path, default=JOURNALS)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if given.show:
        for file in sorted(f for name in NAMES for f in given.out.glob(f"{name}_*.jsonl")):
            found = read_journal(file)
            print(f"{file.stem}: {len(found)} settings, best {max(t.accuracy for t in found):.4f}")
            for name, counts in counted(found).items():
                print(f"  {name}: {', '.join(f'{value} {count}' for value, count in counts.most_common())}")
        return
    if given.splits is None:
        parser.error("name graphs and splits, or --show.")
    torch.set_float32_matmul_precision("high")
    for graph, kind in product(given.graphs.split(","), given.splits.split(",")):
        print(f"{given.space} {graph} {kind}", flush=True)
        file = given.out / f"{given.space}_{graph}_{kind}.jsonl"
        first = [start_of(file, graph, kind)] if given.space == "near" else []
        data, space = load(graph), space_for(given.space, graph, *first)
        found = search(
            data,
            [t.split for t in trials(data, f"{kind}:10")],
            space,
            given.settings,
            first=first,
            sampler=Random(space, SEED),
            seconds=given.seconds,
            batch=given.batch or given.settings,
            journal=file,
            on_batch=lambda new, left: print(f"{left} left, {max(t.accuracy for t in new):.4f}", flush=True),
        )
        print(f"best: {found[0].accuracy:.4f} {found[0].setting}", flush=True)


if __name__ == "__main__":
    main()

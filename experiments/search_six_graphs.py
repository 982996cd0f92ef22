"""UniFilter with the exact basis, settings searched on ten splits, selection by mean validation accuracy.

    python experiments/search_six_graphs.py --protocol quota --settings 500 --out experiments/results

Writes `search_<protocol>.jsonl`, a line a graph: the winner, its validation and test accuracies on every
split, the seconds it took. The journals of all settings go to `<out>/journals`; a killed run continues from
them. With `--storage sqlite:///search.db` (or PostgreSQL) Optuna proposes the settings, and every process
that names the same storage works on the same study.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

from unifilter import load, splits
from unifilter.record import versions
from unifilter.train.samplers import PAPER_SPACE
from unifilter.train.search import final, search
from unifilter.train.study import Optuna

SIX = ["cora", "citeseer", "pubmed", "actor", "chameleon", "squirrel"]


def protocol_splits(data, protocol: str, count: int):
    if protocol == "quota":
        return [splits.quota(data.y, seed=s) for s in splits.SEEDS[:count]]
    return [splits.fixed(data, i) for i in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", default=SIX)
    parser.add_argument("--protocol", choices=["quota", "fixed"], default="quota")
    parser.add_argument("--settings", type=int, default=500)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--batch", type=int, default=256, help="settings asked for at a time")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="a graph, at most")
    parser.add_argument("--storage", help="of an Optuna study that is shared; without it, random search")
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    given = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    begun = time.perf_counter()
    for name in given.graphs:
        data = load(name)
        parts = protocol_splits(data, given.protocol, given.splits)
        start = time.perf_counter()

        done = 0

        def show(found, left, name=name, start=start):
            nonlocal done
            done += len(found)
            best, spent = max(t.accuracy for t in found), time.perf_counter() - start
            print(
                f"  {name}: {left} left, best of batch {best:.4f}, {spent:.0f} s, "
                f"about {spent * left / done:.0f} s to go",
                flush=True,
            )

        journal = given.out / "journals" / f"{name}_{given.protocol}.jsonl"
        trials = search(
            data,
            parts,
            PAPER_SPACE,
            given.settings,
            sampler=Optuna(PAPER_SPACE, f"{name}_{given.protocol}", given.storage) if given.storage else None,
            seconds=given.seconds,
            batch=given.batch,
            journal=journal,
            on_batch=show,
        )
        seconds = time.perf_counter() - start
        results = final(data, parts, trials[0])
        test = np.array([r["test"] for r in results])
        line = {
            "experiment": "search_six_graphs",
            "dataset": name,
            "protocol": given.protocol,
            "settings": len(trials),
            "search_seconds": seconds,
            "final_seconds": time.perf_counter() - start - seconds,
            "winner": trials[0].setting,
            "search_accuracy": trials[0].accuracy,
            "splits": results,
            "test_mean": float(test.mean()),
            "test_interval": float(1.96 * test.std(ddof=1) / np.sqrt(test.size)) if test.size > 1 else None,
            "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
            "versions": versions(),
        }
        given.out.mkdir(parents=True, exist_ok=True)
        with (given.out / f"search_{given.protocol}.jsonl").open("a") as stream:
            stream.write(json.dumps(line) + "\n")
        print(
            f"{name} {given.protocol}: {len(trials)} settings in {seconds:.0f} s, "
            f"validation {trials[0].accuracy:.4f}, test {100 * test.mean():.2f}, "
            f"{time.perf_counter() - begun:.0f} s in all",
            flush=True,
        )


if __name__ == "__main__":
    main()

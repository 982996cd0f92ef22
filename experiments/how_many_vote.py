"""Whether a vote of trained UniFilters beats the best of them, and how many should vote.

    python experiments/how_many_vote.py --seeds 4

The portfolio from so many random starts, trained to its end on ten splits of each graph; then the best one by
validation accuracy against the mean probability of the best 3, 5 and 10 on the same features, of all starts
of the best setting, and of everyone. A line a graph and protocol goes to `how_many_vote.jsonl`: mean test
accuracy in percent and half of its 95% interval for every rule. The five of `train/vote.py` were chosen after
an earlier run of this, so test accuracies were seen when that number was chosen.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unifilter import load
from unifilter.models.unifilter import Config
from unifilter.record import versions
from unifilter.reproduce.part import SIX
from unifilter.train.compare import trials_of
from unifilter.train.config import Training
from unifilter.train.population import Member, Population
from unifilter.train.portfolio import PORTFOLIO
from unifilter.train.prepared import Prepared
from unifilter.train.run import pick_device, rows, training_homophily
from unifilter.train.significance import interval
from unifilter.train.trial import options_of, training_of

Trained = dict[tuple[int, int, int], tuple[float, float, torch.Tensor]]


def shape(i: int) -> tuple[Any, ...]:
    member = Member(Config(**options_of(PORTFOLIO[i])), Training(), 0)
    return PORTFOLIO[i]["preprocess"], tuple(map(str, member.shape))


def train(prepared: Prepared, splits: list, seeds: int, epochs: int) -> Trained:
    """Validation accuracy, loss and test probabilities by setting, start and split."""
    data, device = prepared.dataset, prepared.device
    y = torch.from_numpy(np.array(data.y, dtype=np.int64)).to(device)
    hs = [training_homophily(data, s, []) for s in splits]
    masks = [(rows(data, s.train, device), rows(data, s.val, device)) for s in splits]
    tests = [rows(data, s.test, device) for s in splits]
    found: Trained = {}
    for _, group in groupby(sorted(range(len(PORTFOLIO)), key=shape), key=shape):
        some = list(group)
        config = Config(**options_of(PORTFOLIO[some[0]]))
        inputs = prepared("unifilter", PORTFOLIO[some[0]]["preprocess"], config)
        keys = [(i, q, k) for i in some for q in range(seeds) for k in range(len(splits))]
        members = [
            Member(Config(**options_of(setting)), training_of(setting, 1000 * q + k, epochs, 150), k, hs[k])
            for setting, q, k in ((PORTFOLIO[i], q, k) for i, q, k in keys)
        ]
        population = Population(inputs, y, masks, members, len(data.classes))
        population.advance(epochs)
        logits = population.predict(tests)
        for key, score, z in zip(keys, population.scores(), logits, strict=True):
            found[key] = score.accuracy, score.loss, torch.softmax(z.float(), dim=1)
        population.forget()
    return found


def judge(found: Trained, y: list[torch.Tensor], seeds: int) -> dict[str, list[float]]:
    """Test accuracies of every rule, a number a split."""
    rules: dict[str, list[float]] = {}
    everyone = [(i, q) for i in range(len(PORTFOLIO)) for q in range(seeds)]
    for k, truth in enumerate(y):

        def right(voters: list[tuple[int, int]], k: int = k, truth: torch.Tensor = truth) -> float:
            p = sum(found[(*v, k)][2] for v in voters)
            return 100 * float((p.argmax(dim=1) == truth).double().mean())

        def score(v: tuple[int, int], k: int = k) -> tuple[float, float]:
            return found[(*v, k)][0], -found[(*v, k)][1]

        ranked = sorted(everyone, key=score, reverse=True)
        how = PORTFOLIO[ranked[0][0]]["preprocess"]
        same = [v for v in ranked if PORTFOLIO[v[0]]["preprocess"] == how]
        means = [np.mean([found[(i, q, k)][0] for q in range(seeds)]) for i in range(len(PORTFOLIO))]
        rules.setdefault("best one", []).append(right(ranked[:1]))
        rules.setdefault("starts of the best setting", []).append(
            right([(int(np.argmax(means)), q) for q in range(seeds)])
        )
        for count in (3, 5, 10):
            rules.setdefault(f"best {count}", []).append(right(same[:count]))
        rules.setdefault("everyone", []).append(right(everyone))
    return rules


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", default=list(SIX))
    parser.add_argument("--protocols", nargs="+", default=["quota", "fixed"])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    given = parser.parse_args()
    device = pick_device("auto")
    for name in given.graphs:
        data = load(name)
        for protocol in given.protocols:
            start = time.perf_counter()
            splits = [t.split for t in trials_of(data, f"{protocol}:{given.splits}")]
            found = train(Prepared(data, device), splits, given.seeds, given.epochs)
            y = torch.from_numpy(np.array(data.y, dtype=np.int64)).to(device)
            rules = judge(found, [y[rows(data, s.test, device)] for s in splits], given.seeds)
            line = {
                "graph": name,
                "protocol": protocol,
                "splits": given.splits,
                "seeds": given.seeds,
                "rules": {rule: [float(np.mean(v)), interval(np.array(v))] for rule, v in rules.items()},
                "seconds": time.perf_counter() - start,
                "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
                "versions": versions(),
            }
            given.out.mkdir(parents=True, exist_ok=True)
            with (given.out / "how_many_vote.jsonl").open("a") as stream:
                stream.write(json.dumps(line) + "\n")
            print(
                name,
                protocol,
                {rule: round(mean, 2) for rule, (mean, _) in line["rules"].items()},
                flush=True,
            )


if __name__ == "__main__":
    main()

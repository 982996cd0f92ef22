"""Whether a vote of trained UniFilters beats the best of them, and who should vote.

    python experiments/how_many_vote.py --seeds 4

The portfolio from so many random starts, trained to its end on ten splits of each graph. A rule sees the
probabilities that the candidates give to one half of the validation nodes, and is judged on the other half,
over many halves: so rules are compared, and one can be chosen, without a look at test nodes. (The epoch at
which a candidate stopped was chosen on both halves, the same for every rule.) What the rules give on test
nodes, each with all validation nodes, is noted beside it. A line a graph and protocol goes to
`how_many_vote.jsonl`: means in percent for every rule. The five of `train/vote.py` were chosen before this
was so, after test accuracies.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from unifilter import load
from unifilter.models.unifilter import Config
from unifilter.record import versions
from unifilter.reproduce.part import SIX
from unifilter.train.config import Training
from unifilter.train.entries import trials_of
from unifilter.train.population import Member, Population
from unifilter.train.portfolio import PORTFOLIO
from unifilter.train.prepared import Prepared
from unifilter.train.result import rows
from unifilter.train.run import pick_device, training_homophily
from unifilter.train.trial import options_of, training_of

Array = NDArray[Any]
HALVES = 20  # of every split's validation nodes
COUNTS = (3, 5, 10, 15)


def shape(i: int) -> tuple[Any, ...]:
    member = Member(Config(**options_of(PORTFOLIO[i])), Training(), 0)
    return PORTFOLIO[i]["preprocess"], tuple(map(str, member.shape))


def train(prepared: Prepared, splits: list, seeds: int, epochs: int) -> list[tuple[Array, Array, list[str]]]:
    """For every split, what all candidates say of validation and of test nodes, and how each scales."""
    data, device = prepared.dataset, prepared.device
    y = torch.from_numpy(np.array(data.y, dtype=np.int64)).to(device)
    hs = [training_homophily(data, s, []) for s in splits]
    masks = [(rows(data, s.train, device), rows(data, s.val, device)) for s in splits]
    nodes = [torch.cat([val, rows(data, s.test, device)]) for (_, val), s in zip(masks, splits, strict=True)]
    said: list[list[Array]] = [[] for _ in splits]
    scalings: list[str] = []
    for (how, _), group in groupby(sorted(range(len(PORTFOLIO)), key=shape), key=shape):
        settings = [PORTFOLIO[i] for i in group for _ in range(seeds)]
        inputs = prepared("unifilter", how, Config(**options_of(settings[0])))
        keys = [(place, k) for place in range(len(settings)) for k in range(len(splits))]
        members = [
            Member(
                Config(**options_of(settings[place])),
                training_of(settings[place], 1000 * (place % seeds) + k, epochs, 150),
                k,
                hs[k],
            )
            for place, k in keys
        ]
        population = Population(inputs, y, masks, members, len(data.classes))
        population.advance(epochs)
        for (_, k), z in zip(keys, population.predict(nodes), strict=True):
            said[k].append(torch.softmax(z.float(), dim=1).cpu().numpy())
        scalings += [how] * len(settings)
        population.forget()
    found = []
    for (_, val), some in zip(masks, said, strict=True):
        p = np.stack(some)
        found.append((p[:, : len(val)], p[:, len(val) :], scalings))
    return found


def accuracy(p: Array, y: Array) -> float:
    """Share of right answers."""
    return float((p.argmax(axis=-1) == y).mean())


def loss(p: Array, y: Array) -> float:
    """Mean negative log-likelihood."""
    return float(-np.log(np.maximum(p[np.arange(len(y)), y], 1e-9)).mean())


def rules(p: Array, y: Array, scalings: list[str]) -> dict[str, list[int]]:
    """Who votes by each rule, given what all say of nodes whose labels are known."""
    right, lost = [accuracy(q, y) for q in p], [loss(q, y) for q in p]
    by_accuracy = sorted(range(len(p)), key=lambda i: (-right[i], lost[i]))
    same = [i for i in by_accuracy if scalings[i] == scalings[by_accuracy[0]]]  # one V for all voters
    by_loss = sorted(same, key=lambda i: lost[i])
    together = [accuracy(p[same[:k]].mean(axis=0), y) for k in range(1, 6)]
    found = {"the best": same[:1], "everyone": same, "of five, as many as do best": same[: _last(together)]}
    for count in COUNTS:
        found[f"{count} of the highest accuracy"] = same[:count]
        found[f"{count} of the least loss"] = by_loss[:count]
    return found


def _last(values: list[float]) -> int:
    """How many it takes to the highest value; of equal ones, the most."""
    return max(range(len(values)), key=lambda k: (values[k], k)) + 1


def judge(
    val: Array, test: Array, scalings: list[str], y_val: Array, y_test: Array, rng: np.random.Generator
) -> tuple[dict[str, float], dict[str, float]]:
    """The accuracy of every rule on halves of the validation nodes that it did not see, and on test nodes."""
    held: dict[str, list[float]] = {}
    for _ in range(HALVES):
        seen, unseen = np.array_split(rng.permutation(len(y_val)), 2)
        for rule, voters in rules(val[:, seen], y_val[seen], scalings).items():
            held.setdefault(rule, []).append(accuracy(val[voters][:, unseen].mean(axis=0), y_val[unseen]))
    chosen = rules(val, y_val, scalings)
    return (
        {rule: float(np.mean(values)) for rule, values in held.items()},
        {rule: accuracy(test[voters].mean(axis=0), y_test) for rule, voters in chosen.items()},
    )


def over_splits(found: list[dict[str, float]]) -> dict[str, float]:
    """Means in percent."""
    return {rule: 100 * float(np.mean([one[rule] for one in found])) for rule in found[0]}


def study(
    name: str, protocol: str, seeds: int, epochs: int, tell: Callable[[str], None] = print
) -> dict[str, Any]:
    """All rules on one graph and kind of splits."""
    start, device, data = time.perf_counter(), pick_device("auto"), load(name)
    splits = [t.split for t in trials_of(data, protocol)]
    y, rng = np.asarray(data.y), np.random.default_rng(0)
    held, test = [], []
    for split, (p_val, p_test, scalings) in zip(
        splits, train(Prepared(data, device), splits, seeds, epochs), strict=True
    ):
        labels = [y[rows(data, mask, torch.device("cpu")).numpy()] for mask in (split.val, split.test)]
        one = judge(p_val, p_test, scalings, *labels, rng)
        held.append(one[0])
        test.append(one[1])
    line = {
        "graph": name,
        "protocol": protocol,
        "seeds": seeds,
        "epochs": epochs,
        "held_out": over_splits(held),
        "test": over_splits(test),
        "seconds": time.perf_counter() - start,
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "versions": versions(),
    }
    tell(f"{name} {protocol} " + ", ".join(f"{r}: {v:.2f}" for r, v in line["held_out"].items()))
    return line


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", default=list(SIX))
    parser.add_argument("--protocols", nargs="+", default=["quota:10", "fixed:10"])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.graphs:
        for protocol in given.protocols:
            line = study(name, protocol, given.seeds, given.epochs)
            with (given.out / "how_many_vote.jsonl").open("a") as stream:
                stream.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()

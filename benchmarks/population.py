"""Trainings a minute, one after the other against together: 30 times more on one GPU, on Cora-sized data.

Both train the same members (settings, splits, seeds) for the same number of epochs without early stopping, so
that a training is the same work. Alone: `unifilter.train.fit` on a prepared basis. Together: one population.
With V in float32 on both sides, and on a GPU, where searches have V and products in bfloat16, so on both.

python benchmarks/population.py
python benchmarks/population.py --members 20 --epochs 20
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import torch
from _common import arguments, median, write
from _gpu import device_facts

from unifilter import Graph
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config, UniFilter
from unifilter.train.config import Training
from unifilter.train.loop import Part, fit
from unifilter.train.population import Member, Population

WANTED = 30.0
N, M, D, CLASSES, K = 2708, 5278, 1433, 7, 10


def main() -> None:
    parser = arguments(__doc__)
    cuda = torch.cuda.is_available()
    parser.add_argument("--members", type=int, default=300 if cuda else 16)
    parser.add_argument("--alone", type=int, default=3, help="trainings that are run one after the other")
    parser.add_argument("--epochs", type=int, default=200 if cuda else 20)
    args = parser.parse_args()
    where = torch.device("cuda" if cuda else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    inputs, y, masks = problem(where)
    members = [
        Member(
            Config(K=K, hidden=256, layers=2, dropout=(i % 9) / 10),
            Training(epochs=args.epochs, patience=args.epochs, lr=[0.001, 0.01, 0.05][i % 3], seed=i),
            i % 10,
            0.8,
        )
        for i in range(args.members)
    ]
    found = {"members": args.members, "epochs": args.epochs, "wanted": WANTED if cuda else None}
    found["device"] = device_facts() if cuda else "cpu"
    shared = {"float32": inputs} | ({"bfloat16": replace(inputs, V=inputs.V.bfloat16())} if cuda else {})
    for precision, basis in shared.items():
        few = [half(m) if precision == "bfloat16" else m for m in members[: args.alone]]
        rates: dict[str, list[float]] = {"alone": [], "together": []}
        for repetition in range(args.repetitions + 1):
            rates["together"].append(together(basis, y, masks, members, args.epochs))
            rates["alone"].append(alone(basis, y, masks, few, where))
            if repetition == 0:  # compiled and warmed up
                rates = {"alone": [], "together": []}
            else:
                shown = {who: round(r[-1], 1) for who, r in rates.items()}
                print(precision, shown, "trainings a minute", flush=True)
        gain = median(rates["together"]) / median(rates["alone"])
        print(f"{precision}, together: {gain:.1f} times more", flush=True)
        found[precision] = {"trainings_a_minute": rates, "gain": gain}
        write("population_gpu" if cuda else "population_cpu", found)


def half(member: Member) -> Member:
    """The lone training that has its products in bfloat16, too."""
    return replace(member, training=replace(member.training, mixed_precision=True))


def problem(where: torch.device):
    """Random data of Cora's size: what is timed does not depend on what can be learned."""
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, N, (2, M)), n=N)
    X = torch.from_numpy((rng.random((N, D)) < 0.0127).astype(np.float32)).to(where)
    y = torch.from_numpy(rng.integers(0, CLASSES, N)).to(where)
    masks = []
    for seed in range(10):
        order = torch.from_numpy(np.random.default_rng(seed).permutation(N)).to(where)
        masks.append((order[:1625], order[1625:2167]))
    return Basis.of(graph, X, K), y, masks


def together(inputs: Basis, y, masks, members: list[Member], epochs: int) -> float:
    _wait()
    start = time.perf_counter()
    population = Population(inputs, y, masks, members, CLASSES)
    population.advance(epochs)
    population.scores()
    _wait()
    return 60 * len(members) / (time.perf_counter() - start)


def alone(inputs: Basis, y, masks, members: list[Member], where: torch.device) -> float:
    start = time.perf_counter()
    for member in members:
        torch.manual_seed(member.training.seed)
        net = UniFilter(member.config, D, CLASSES, member.h).to(where)
        train, val = (Part(inputs.rows(i), y[i]) for i in masks[member.split])
        fit(net, train, val, member.training)
    _wait()
    return 60 * len(members) / (time.perf_counter() - start)


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()

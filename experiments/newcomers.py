"""How well nodes are predicted that arrive after training, beside those that were there.

    python experiments/newcomers.py
    python experiments/newcomers.py --graphs cora --seeds 1 --epochs 20 --out SOMEWHERE

A tenth of the nodes is held out with all its edges, UniFilter is trained on the rest, then they arrive: their
accuracy with the frozen polynomials (`predict`), with the same weights on a new factorisation of the whole
grown graph, and that of the test nodes, which were there. `newcomers.json` has a line a graph and seed.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from unifilter import Dataset, Graph, Trained, Training, load, run, splits
from unifilter.models._basis import Basis
from unifilter.record import write_atomically
from unifilter.train.loop import predict_logits

GRAPHS = ["cora", "citeseer", "actor", "chameleon"]
OPTIONS = {"K": 10, "hidden": 64}


def measure(name: str, seed: int, epochs: int) -> dict[str, float | str]:
    """Accuracies of one graph, with the newcomers that a seed draws."""
    whole = load(name).preprocess("row" if ":" not in name else "none")
    order = np.random.default_rng(seed).permutation(whole.n)
    place, left = np.argsort(order), whole.n - whole.n // 10
    edges = place[np.stack(whole.graph.edges()[:2])]
    X, y = whole.features()[order], np.asarray(whole.y)[order]
    old = (edges < left).all(axis=0)
    data = Dataset(Graph.from_edges(edges[:, old], n=left), X[:left].numpy(), y[:left], classes=whole.classes)
    training = Training(epochs=epochs, lr=0.02, weight_decay=5e-4)
    result = run(data, splits.stratified(data.y, seed=seed), "unifilter", OPTIONS, training)
    arrived = Trained.of(result, data).predict_new(X[left:].numpy(), edges[:, ~old])
    grown = Basis.of(Graph.from_edges(edges, n=whole.n), X, OPTIONS["K"])
    again = predict_logits(result.model, replace(grown, V=grown.V[:, left:])).numpy()
    right = [float((p.argmax(axis=1) == y[left:]).mean()) for p in (arrived, again)]
    test = result.record.scores["test"]["accuracy"]
    return {
        "graph": name,
        "seed": seed,
        "newcomers": right[0],
        "factorised again": right[1],
        "test nodes": test,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", default=GRAPHS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    found = []
    for name in given.graphs:
        for seed in range(given.seeds):
            found.append(measure(name, seed, given.epochs))
            print(json.dumps(found[-1]), flush=True)
            write_atomically(given.out / "newcomers.json", json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

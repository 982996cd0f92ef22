"""Where authors' protocols see too much: once their way, to show fidelity, beside the clean figure.

    python experiments/their_way.py
    python experiments/their_way.py --models asgc --graphs chameleon --splits 2 --out SOMEWHERE

The tables of `experiments/configs` with an `authors` entry. MixHop: of epochs with equal validation accuracy,
the one with the best test accuracy counts (`ties = "test"`). ASGC: what validation nodes chose is fitted
again to training and validation nodes (`options = { refit = true }`), on plain random splits (`protocol`).
A line a cell goes to `their_way.jsonl`, with the accuracies of both ways on the same splits; what is there is
not run again. `--protocol quota` takes other splits than the authors'.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unifilter import load
from unifilter.data.dataset import Dataset
from unifilter.presets import settings_of
from unifilter.record import read, versions
from unifilter.reproduce.results import current
from unifilter.reproduce.settings import published
from unifilter.train.compare import runs
from unifilter.train.entries import Entry, Trial, trials_of
from unifilter.train.loop import fit
from unifilter.train.result import rows
from unifilter.train.run import begin, run

HERE = Path(__file__).parent
RECORDS = HERE / "results" / "reproduce" / "records.jsonl"


def cells(models: list[str]) -> list[tuple[Entry, str, str, dict[str, Any]]]:
    """Entry, graph, protocol and table of what has an ``authors`` entry."""
    configs = HERE / "configs"
    return [
        (published(model, graph, f"{protocol}:1", configs), graph, protocol, table)
        for model in models
        for graph, tables in settings_of(configs / f"{model}.toml").items()
        if isinstance(tables, dict)
        for protocol, table in tables.items()
        if "authors" in table
    ]


def refitted(
    data: Dataset, trials: list[Trial], entry: Entry, more: dict[str, Any], device: str
) -> Iterator[tuple[float, float]]:
    """A split at a time: clean, and with the chosen options fitted to validation nodes too."""
    known = [current(r) for r in read(RECORDS) if r.model == entry.model] if RECORDS.exists() else []
    for trial, clean in zip(trials, runs(data, trials, entry, known=known, device=device), strict=True):
        accuracies = [c["accuracy"] for c in clean.candidates] or [1.0]
        chosen = entry.points()[accuracies.index(max(accuracies))]
        scaled = data if chosen.preprocess == "none" else data.preprocess(chosen.preprocess)
        theirs = run(
            scaled, trial.split, entry.model, chosen.options | more, chosen.training, device=device
        ).record
        yield tuple(r.scores["test"]["accuracy"] for r in (clean, theirs))


def tie_broken(data: Dataset, trial: Trial, entry: Entry, device: str) -> tuple[float, float]:
    """Clean, and with ties of the validation accuracy decided on test nodes."""
    scaled = data if entry.preprocess == "none" else data.preprocess(entry.preprocess)
    start = begin(
        scaled, trial.split, entry.model, entry.options, entry.training, device=device, gather=False
    )
    net, where = start.net, start.train.y.device
    test = rows(scaled, trial.split.test, where)
    y = torch.from_numpy(np.array(scaled.y, dtype=np.int64)).to(where)[test]
    seen: list[tuple[float, float]] = []

    @torch.no_grad()
    def accuracy() -> float:
        net.eval()
        return float((net(start.train.inputs)[test].argmax(dim=1) == y).double().mean())

    def look(scores: dict[str, float], state: Any) -> None:
        seen.append((scores["val_accuracy"], accuracy()))

    with torch.random.fork_rng(devices=[]):
        torch.random.set_rng_state(start.random)
        fit(net, start.train, start.val, start.training, weights=start.weights, on_epoch=look)
    return accuracy(), max(seen)[1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", default=["asgc", "mixhop"])
    parser.add_argument("--graphs", nargs="+")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--protocol", help="quota, fixed, stratified or random, instead of the authors'")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    given = parser.parse_args()
    file = given.out / "their_way.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    known = {tuple(line[name] for name in ("model", "graph", "protocol", "splits")) for line in lines}
    for entry, graph, usual, table in cells(given.models):
        authors = table["authors"]
        protocol = given.protocol or authors.get("protocol", usual)
        asked = entry.model, graph, protocol, given.splits
        if (given.graphs and graph not in given.graphs) or asked in known:
            continue
        data = load(graph)
        trials = trials_of(data, f"{protocol}:{given.splits}")
        if "options" in authors:
            found = refitted(data, trials, entry, authors["options"], given.device)
        else:
            found = (tie_broken(data, trial, entry, given.device) for trial in trials)
        both = []
        for pair in found:
            both.append(pair)
            print(
                f"  {entry.model} {graph}: clean {both[-1][0]:.4f}, their way {both[-1][1]:.4f}", flush=True
            )
        clean, theirs = (100 * np.array(column) for column in zip(*both, strict=True))
        line = {
            "model": entry.model,
            "graph": graph,
            "protocol": protocol,
            "splits": given.splits,
            "clean": clean.tolist(),
            "theirs": theirs.tolist(),
            "printed": authors.get("printed", table.get("printed")),
            "authors": authors,
            "versions": versions(),
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as stream:
            stream.write(json.dumps(line) + "\n")
        said = f"clean {clean.mean():.2f}, their way {theirs.mean():.2f}, printed {line['printed']}"
        print(f"{entry.model} {graph} {protocol}: {said}", flush=True)


if __name__ == "__main__":
    main()

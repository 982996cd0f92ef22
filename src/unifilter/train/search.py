"""Search over settings on top of populations: each on every split, halved, chosen on validation nodes.

Settings are trained a batch of one shape at a time. After a few epochs the better third of all that got so
far goes on (asynchronous successive halving): no batch waits for another, and memory holds one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config
from unifilter.train.config import Training
from unifilter.train.population import Member, Population
from unifilter.train.run import pick_device, rows, training_homophily
from unifilter.train.samplers import Random, Sampler, Space

RUNGS = (40, 120, 400)


@dataclass(frozen=True)
class Trial:
    """A setting, its mean validation accuracy and loss over the splits, and how far it was trained."""

    number: int
    setting: dict[str, Any]
    accuracy: float
    loss: float
    epochs: int
    finished: bool

    @property
    def preprocess(self) -> str:
        """Name of the preprocessing."""
        return str(self.setting.get("preprocess", "none"))

    @property
    def config(self) -> Config:
        """The model's options."""
        return Config(**options_of(self.setting))

    def training(self, seed: int = 0, epochs: int = 1000, patience: int = 200) -> Training:
        """How it is trained."""
        return training_of(self.setting, seed, epochs, patience)


def search(
    dataset: Dataset,
    splits: Sequence[Split],
    space: Space,
    settings: int = 100,
    *,
    sampler: Sampler | None = None,
    rungs: Sequence[int] = RUNGS,
    keep: float = 1 / 3,
    patience: int = 100,
    device: str | torch.device = "auto",
    half: bool | None = None,
    batch: int = 256,
    seconds: float = float("inf"),
    journal: Path | None = None,
    on_batch: Callable[[list[Trial], int], None] | None = None,
) -> list[Trial]:
    """Try settings of UniFilter on all splits; the best comes first.

    Parameters
    ----------
    dataset, splits
        Test nodes are not looked at.
    space : Space
    settings : int
        How many.
    sampler : Sampler, optional
        :class:`Random` if not given.
    rungs : sequence of int
        Epochs at which only the better ``keep`` of all settings seen so far goes on.
    patience : int
        Of every member's own early stopping.
    half : bool, optional
        V and the products in bfloat16, parameters in float32; on CUDA if not given.
    batch : int
        Settings asked for at a time.
    seconds : float
        Ask for no more settings after so long.
    journal : Path, optional
        JSON lines of finished trials; those that are there already are not run again.
    on_batch : optional
        Called with the trials of a batch and the number of settings still to come.

    Returns
    -------
    list of Trial, by mean validation accuracy; those that were stopped early come after those that were not.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> data = load("sbm:n=300,h=0.8,d=8")
    >>> space = Space({"options.K": [3], "options.hidden": [8], "training.lr": [0.01, 0.1]})
    >>> trials = search(data, [splits.stratified(data.y)], space, settings=4, rungs=(5, 10), device="cpu")
    >>> trials[0].accuracy >= trials[-1].accuracy, len(trials)
    (True, 4)
    """
    start = time.monotonic()
    where = pick_device(device)
    half = where.type == "cuda" if half is None else half
    sampler = sampler or Random(space)
    trials = _read(journal)
    sampler.ask(len(trials))  # a resumed random search goes on where it stopped
    scale = _Ladder(list(rungs), keep)
    for trial in trials:
        scale.climb(0, [trial.accuracy])
    while len(trials) < settings and time.monotonic() - start < seconds:
        asked = sampler.ask(min(batch, settings - len(trials)))
        numbered = list(enumerate(asked, start=len(trials)))
        for same, group in groupby(sorted(numbered, key=lambda s: _shape(s[1])), key=lambda s: _shape(s[1])):
            found = _batch(dataset, splits, list(group), same[0], scale, patience, where, half)
            for trial in found:
                sampler.tell(trial.setting, trial.accuracy)
            trials += found
            _write(journal, found)
            if on_batch is not None:
                on_batch(found, settings - len(trials))
    return sorted(trials, key=lambda t: (t.finished, t.accuracy, -t.loss), reverse=True)


def final(
    dataset: Dataset,
    splits: Sequence[Split],
    trial: Trial,
    *,
    device: str | torch.device = "auto",
    epochs: int = 1000,
) -> list[dict[str, float]]:
    """Train a setting on every split to its end, in float32, and read the test nodes once."""
    where = pick_device(device)
    inputs, y, hs = _prepared(dataset, splits, trial.preprocess, trial.config.K, where, half=False)
    masks = [(rows(dataset, s.train, where), rows(dataset, s.val, where)) for s in splits]
    members = [Member(trial.config, trial.training(i, epochs), i, h) for i, h in enumerate(hs)]
    population = Population(inputs, y, masks, members, len(dataset.classes))
    population.advance(epochs)
    tests = [rows(dataset, s.test, where) for s in splits]
    found = []
    for i, (score, logits) in enumerate(zip(population.scores(), population.predict(tests), strict=True)):
        state = population.state(i)
        learned = {
            n: float(torch.sigmoid(state[f"_{n}.logit"])) for n in ("tau", "h") if f"_{n}.logit" in state
        }
        right = float((logits.argmax(dim=1) == y[tests[i]]).double().mean())
        found.append({"val": score.accuracy, "test": right, "epochs": score.epochs, **learned})
    return found


class _Ladder:
    """Who goes on: at every rung, the better share of all that reached it."""

    def __init__(self, rungs: list[int], keep: float) -> None:
        self.rungs, self.keep = rungs, keep
        self.seen: list[list[float]] = [[] for _ in rungs]

    def climb(self, rung: int, accuracies: list[float]) -> list[bool]:
        """Whether each goes on from this rung."""
        self.seen[rung] += accuracies
        ranked = sorted(self.seen[rung], reverse=True)
        bar = ranked[max(0, int(np.ceil(self.keep * len(ranked))) - 1)]
        return [a >= bar for a in accuracies]


def _batch(
    dataset: Dataset,
    splits: Sequence[Split],
    settings: list[tuple[int, dict[str, Any]]],
    preprocess: str,
    ladder: _Ladder,
    patience: int,
    where: torch.device,
    half: bool,
) -> list[Trial]:
    """Settings of one shape, on every split, as many at once as memory holds."""
    configs = [Config(**options_of(s)) for _, s in settings]
    inputs, y, hs = _prepared(dataset, splits, preprocess, configs[0].K, where, half)
    masks = [(rows(dataset, s.train, where), rows(dataset, s.val, where)) for s in splits]
    size = max(1, _fits(inputs, masks, configs[0], where) // len(splits))
    found: list[Trial] = []
    for at in range(0, len(settings), size):
        some = settings[at : at + size]
        members = [
            Member(configs[at + i], training_of(s, k, ladder.rungs[-1], patience), k, h)
            for i, (_, s) in enumerate(some)
            for k, h in enumerate(hs)
        ]
        population = Population(inputs, y, masks, members, len(dataset.classes))
        found += _climb(population, some, len(splits), ladder)
    return found


def _climb(
    population: Population, settings: list[tuple[int, dict[str, Any]]], splits: int, ladder: _Ladder
) -> list[Trial]:
    """Train up the rungs; a setting goes or stays with all of its splits."""
    alive = list(range(len(settings)))
    last = [0] * len(settings)
    for rung, epochs in enumerate(ladder.rungs):
        population.advance(epochs - population.epoch)
        mean = _means(population, splits)
        for i in alive:
            last[i] = rung
        if rung == len(ladder.rungs) - 1:
            break
        ahead = ladder.climb(rung, [mean[i][0] for i in alive])
        alive = [i for i, on in zip(alive, ahead, strict=True) if on]
        population.keep([i * splits + k for i in alive for k in range(splits)])
    mean = _means(population, splits)
    top = len(ladder.rungs) - 1
    return [
        Trial(number, setting, *mean[i], ladder.rungs[last[i]], last[i] == top)
        for i, (number, setting) in enumerate(settings)
    ]


def _means(population: Population, splits: int) -> list[tuple[float, float]]:
    scores = population.scores()
    each = [scores[i : i + splits] for i in range(0, len(scores), splits)]
    return [
        (float(np.mean([s.accuracy for s in some])), float(np.mean([s.loss for s in some]))) for some in each
    ]


def _prepared(
    dataset: Dataset, splits: Sequence[Split], preprocess: str, K: int, where: torch.device, half: bool
) -> tuple[Basis, torch.Tensor, list[float]]:
    data = dataset if preprocess == "none" else dataset.preprocess(preprocess)
    inputs = Basis.of(data.graph, data.features().to(where), K)
    if half:
        inputs = replace(inputs, V=inputs.V.bfloat16())
    y = torch.from_numpy(np.array(dataset.y, dtype=np.int64)).to(where)
    return inputs, y, [training_homophily(dataset, s, []) for s in splits]


def _fits(inputs: Basis, masks: Sequence[Any], config: Config, where: torch.device) -> int:
    """Members that memory holds: filtered signals with their gradients, parameters five times over."""
    n = max(m.numel() for pair in masks for m in pair)
    d, size = inputs.norm.shape[0], inputs.V.element_size()
    member = n * (6 * d + 12 * config.hidden * (config.layers - 1)) * size + 28 * d * config.hidden
    free = torch.cuda.mem_get_info(where)[0] if where.type == "cuda" else 2**32
    return max(1, int(0.6 * free / member))


def _shape(setting: dict[str, Any]) -> tuple[Any, ...]:
    """Settings of one shape are trained together."""
    member = Member(Config(**options_of(setting)), Training(), 0)
    return str(setting.get("preprocess", "none")), tuple(str(part) for part in member.shape)


def options_of(setting: dict[str, Any]) -> dict[str, Any]:
    """A setting's options of the model."""
    return _part(setting, "options.")


def training_of(setting: dict[str, Any], seed: int, epochs: int = 1000, patience: int = 200) -> Training:
    """A setting's training; ``epochs`` and ``patience`` where it says nothing of them."""
    groups: dict[str, dict[str, float]] = {}
    for name, value in _part(setting, "groups.").items():
        group, option = name.split(".")
        groups.setdefault(group, {})[option] = value
    given = {"epochs": epochs, "patience": patience} | _part(setting, "training.")
    return Training(**given, groups=groups, seed=seed)


def _part(setting: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {n.removeprefix(prefix): v for n, v in setting.items() if n.startswith(prefix)}


def _read(journal: Path | None) -> list[Trial]:
    if journal is None or not journal.exists():
        return []
    return [Trial(**json.loads(line)) for line in journal.read_text().splitlines() if line.endswith("}")]


def _write(journal: Path | None, trials: list[Trial]) -> None:
    if journal is not None:
        journal.parent.mkdir(parents=True, exist_ok=True)
        with journal.open("a") as stream:
            stream.writelines(json.dumps(asdict(t)) + "\n" for t in trials)

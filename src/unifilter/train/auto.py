"""No tuning by hand: a portfolio of settings, halved on validation nodes, within a time budget.

The portfolio is ordered: the first setting is the best guess, every further one helps where those before it
do worst. So whatever the budget, what was tried is the best that could be tried in that time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.kernels import spmm as kernels
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config, UniFilter
from unifilter.train.config import Training
from unifilter.train.loop import Outcome
from unifilter.train.population import Member, Population, Score
from unifilter.train.portfolio import PORTFOLIO
from unifilter.train.race import RUNGS, Clock, Group, Progress, Saved, advance, halve, scores_of
from unifilter.train.run import Result, conclude, pick_device, rows, training_homophily
from unifilter.train.trial import options_of, training_of


def choose(
    dataset: Dataset,
    split: Split,
    *,
    budget: float | str | None = "1m",
    K: int = 10,
    portfolio: Sequence[dict[str, Any]] = PORTFOLIO,
    seed: int = 0,
    device: str | torch.device = "auto",
    epochs: int = 2000,
    patience: int = 200,
    class_weights: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    folder: Path | None = None,
) -> Result:
    """Train the portfolio on one split, choose on its validation nodes, and return the best.

    Parameters
    ----------
    dataset, split
        Features as they came; candidates bring their own preprocessing.
    budget : seconds, "30s", "5m", "1h" or None
        Time for all candidates, the factorisation included, compiling on first use not; what is best when it
        is over is returned. The first candidate is always trained for a few epochs.
    portfolio : sequence of settings
        See :mod:`unifilter.train.portfolio`.
    epochs, patience : int
        Of every candidate, where its setting says nothing of them.
    class_weights : bool
        Weigh every candidate's loss by inverse class frequencies; the choice is by accuracy all the same.
    on_progress : optional
        Called every few epochs.
    folder : Path, optional
        Where the state is kept while training, and continued from if it is there.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> data = load("sbm:n=300,h=0.9,d=8")
    >>> result = choose(data, splits.stratified(data.y), budget="2s", K=4)
    >>> result.record.scores["test"]["accuracy"] > 0.5
    True
    """
    where = pick_device(device)
    seconds = parse_budget(budget)
    kernels.warm_up(where)
    clock = Clock(seconds, on_progress)
    notes: list[str] = []
    h = training_homophily(dataset, split, notes)
    common: dict[str, Any] = {"training.epochs": epochs, "training.patience": patience}
    if class_weights:
        common["training.class_weights"] = True
    settings = [common | s for s in _distinct(portfolio, dataset, K)]
    groups = _grouped(settings, dataset, split, h, seed, where, clock)
    saved = Saved(folder)
    begin = saved.restore(groups, clock)
    interrupted = False
    try:
        for stage, rung in enumerate((*RUNGS, None)):
            if stage < begin:
                continue
            advance(groups, rung, stage, clock, saved)
            if stage < len(RUNGS):
                halve(groups)
    except KeyboardInterrupt:
        interrupted = True
        notes.append("interrupted")
    best, found = _best(groups)
    setting = settings[best]
    net, outcome, training, group = _winner(groups, best, setting, h, seed, where, clock)
    spent = {"prepare": clock.prepared, "train": clock.elapsed - clock.prepared}
    return conclude(
        group.data,
        split,
        net,
        Basis.of(group.data.graph, group.data.features().to(where), K),
        training,
        outcome,
        spent,
        notes,
        {"h_estimate": h},
        interrupted,
        [
            {"setting": settings[n], "accuracy": s.accuracy, "loss": s.loss, "epochs": s.epochs}
            for n, s in found
        ],
    )


def parse_budget(budget: float | str | None) -> float | None:
    """Seconds.

    Examples
    --------
    >>> parse_budget("90s"), parse_budget("5m"), parse_budget(None)
    (90.0, 300.0, None)
    """
    if budget is None:
        return None
    units = {"s": 1, "m": 60, "h": 3600}
    text = str(budget).strip()
    number, unit = (text[:-1], text[-1]) if text[-1:] in units else (text, "s")
    try:
        seconds = float(number) * units[unit]
    except ValueError:
        raise ValueError(f'a budget is a time such as "30s", "5m" or "1h", but is {budget!r}.') from None
    if not seconds > 0:
        raise ValueError(f"the budget must be positive, but is {budget!r}.")
    return seconds


def suits(dataset: Dataset) -> tuple[str, ...]:
    """Ways of scaling that make sense for the features: counts are divided by their sum, others standardised.

    Examples
    --------
    >>> from unifilter.data import load
    >>> suits(load("sbm:n=100"))
    ('standard',)
    """
    X = dataset.X
    if dataset.preprocessing != "none":
        return ("none",)
    values = X.data if issparse(X) else np.asarray(X)
    if values.size and values.min() >= 0 and (issparse(X) or np.mean(values == 0) > 0.5):
        return ("row", "none")
    return ("standard",)


def _distinct(portfolio: Sequence[dict[str, Any]], dataset: Dataset, K: int) -> list[dict[str, Any]]:
    """The portfolio for these features: where only one scaling makes sense, settings may coincide."""
    ways, found = suits(dataset), list[dict[str, Any]]()
    for setting in portfolio:
        how = setting.get("preprocess", ways[0])
        adapted = setting | {"preprocess": how if how in ways else ways[0], "options.K": K}
        if adapted not in found:
            found.append(adapted)
    return found


def _grouped(
    settings: list[dict[str, Any]],
    dataset: Dataset,
    split: Split,
    h: float,
    seed: int,
    where: torch.device,
    clock: Clock,
) -> list[Group]:
    """Populations of one shape and one scaling each, in the portfolio's order; one V for each scaling."""
    y = torch.from_numpy(np.array(dataset.y, dtype=np.int64)).to(where)
    masks = [(rows(dataset, split.train, where), rows(dataset, split.val, where))]
    members = [Member(Config(**options_of(s)), training_of(s, seed), 0, h) for s in settings]
    shapes: dict[Any, list[int]] = {}
    for number, (setting, member) in enumerate(zip(settings, members, strict=True)):
        shapes.setdefault((setting["preprocess"], member.shape), []).append(number)
    prepared: dict[str, tuple[Dataset, Basis]] = {}
    groups: list[Group] = []
    for (how, _), numbers in shapes.items():
        if groups and clock.over(0):
            break
        if how not in prepared:
            data = dataset if how == "none" else dataset.preprocess(how)
            prepared[how] = data, Basis.of(data.graph, data.features().to(where), members[0].config.K)
            clock.prepared = clock.elapsed
        data, inputs = prepared[how]
        some = [members[n] for n in numbers]
        population = Population(inputs, y, masks, some, len(dataset.classes), traces=True)
        groups.append(Group(numbers, data, population, list(range(len(numbers)))))
    return groups


def _best(groups: list[Group]) -> tuple[int, list[tuple[int, Score]]]:
    found = sorted(scores_of(groups), key=lambda s: (s[1].accuracy, -s[1].loss), reverse=True)
    return found[0][0], found


def _winner(
    groups: list[Group],
    best: int,
    setting: dict[str, Any],
    h: float,
    seed: int,
    where: torch.device,
    clock: Clock,
) -> tuple[UniFilter, Outcome, Training, Group]:
    """The best candidate as a model of its own."""
    group = next(g for g in groups if best in g.numbers)
    place = group.numbers.index(best)
    config, training = Config(**options_of(setting)), training_of(setting, seed)
    net = UniFilter(config, group.data.d, len(group.data.classes), h).to(where)
    net.load_state_dict(group.population.state(place), strict=False)
    score = group.population.scores()[place]
    history = group.population.history(place)
    return (
        net.eval(),
        Outcome(net, history, score.best_epoch, score.accuracy, score.loss, clock.elapsed, True),
        training,
        group,
    )

"""No tuning by hand: a portfolio of settings, halved on validation nodes, within a time budget.

The portfolio is ordered: the first setting is the best guess, every further one helps where those before it
do worst. So whatever the budget, what was tried is the best that could be tried in that time. While time is
left, the best settings are trained again from other random starts (the encore), and the best few of all vote:
one validation set cannot tell apart what differs by less than its noise, and a mean need not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse

from unifilter._checks import check_count
from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.kernels import spmm as kernels
from unifilter.train.portfolio import portfolio_for
from unifilter.train.race import RUNGS, Clock, Progress, Saved, advance, halve
from unifilter.train.result import Result, beside, conclude
from unifilter.train.run import check_split, pick_device, refuse_bare, training_homophily
from unifilter.train.vote import VOTERS, Candidate, Field, elect, encore

EPOCHS = 2000  # of a candidate, at most
BLIND = (
    "no validation nodes: nothing to choose by, so the portfolio's first settings vote, trained to their end"
)


def choose(
    dataset: Dataset,
    split: Split,
    *,
    budget: float | str | None = "1m",
    K: int = 10,
    portfolio: Sequence[Mapping[str, Any]] | None = None,
    seed: int = 0,
    device: str | torch.device = "auto",
    epochs: int = EPOCHS,
    patience: int = 200,
    class_weights: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    folder: Path | None = None,
) -> Result:
    """Train the portfolio on one split, choose on its validation nodes, and let the best few vote.

    Parameters
    ----------
    dataset, split
        Features as they came; candidates bring their own preprocessing.
    budget : seconds, "30s", "5m", "1h" or None
        Time for all candidates, the factorisation included, compiling on first use not; what is best when it
        is over is returned. The first candidate is always trained for a few epochs.
    portfolio : sequence of settings, optional
        That of :mod:`unifilter.train.portfolio` for the number of training labels if not given.
    epochs, patience : int
        Of every candidate, where its setting says nothing of them.
    class_weights : bool
        Weigh classes by their inverse frequencies, in every candidate's loss and in the choice.
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
    (result,) = choose_each(
        dataset,
        [split],
        seeds=[seed],
        budget=budget,
        K=K,
        portfolio=portfolio,
        device=device,
        epochs=epochs,
        patience=patience,
        class_weights=class_weights,
        on_progress=on_progress,
        folder=folder,
    )
    return result


def choose_each(
    dataset: Dataset,
    splits: Sequence[Split],
    *,
    seeds: Sequence[int],
    budget: float | str | None = None,
    K: int = 10,
    portfolio: Sequence[Mapping[str, Any]] | None = None,
    device: str | torch.device = "auto",
    epochs: int = EPOCHS,
    patience: int = 200,
    class_weights: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    folder: Path | None = None,
) -> list[Result]:
    """:func:`choose` on several splits, each with a race and a vote of its own, trained side by side.

    On a GPU ten small races take little longer than one. The budget is for all of them.
    """
    if not splits or len(seeds) != len(splits):
        raise ValueError(
            f"each of the {len(splits)} splits needs a seed, and one at least, but {len(seeds)} came."
        )
    try:
        K = check_count(K, "K")
    except TypeError as error:  # scikit-learn's users expect one kind of error of a wrong parameter
        raise ValueError(str(error)) from None
    refuse_bare(dataset)
    for split in splits:
        check_split(dataset, split)
    where = pick_device(device)
    seconds = parse_budget(budget)
    kernels.warm_up(where)
    clock = Clock(seconds, on_progress)
    notes: list[list[str]] = [[] for _ in splits]
    h = [training_homophily(dataset, *about) for about in zip(splits, notes, strict=True)]
    common: dict[str, Any] = {"training.epochs": epochs, "training.patience": patience}
    if class_weights:
        common["training.class_weights"] = True
    candidates: list[Candidate] = []
    blind = set[int]()
    for race, (split, said) in enumerate(zip(splits, notes, strict=True)):
        known = portfolio_for(int(split.train.sum())) if portfolio is None else portfolio
        some = _distinct(known, dataset, K)
        if not (split.val & dataset.labelled).any():
            said.append(BLIND)
            blind.add(race)
            some = [s for s in some if s["preprocess"] == some[0]["preprocess"]][:VOTERS]
        candidates += [Candidate(common | s, seeds[race], race) for s in some]
    field = Field(dataset, splits, h, K, where, clock)
    field.enter(candidates)
    groups, saved = field.groups, Saved(folder)
    begin = saved.restore(groups, clock)
    interrupted = False
    try:
        for stage, rung in enumerate((*RUNGS, None)):
            if stage >= begin:
                advance(groups, rung, stage, clock, saved)
                if stage < len(RUNGS):
                    halve(groups, field.races, blind)
        if begin > len(RUNGS) or not clock.over(len(RUNGS)):
            first = len(groups)
            seeing = [(race, seed) for race, seed in enumerate(seeds) if race not in blind]
            field.enter([c for race, seed in seeing for c in encore(field, seed, race)])
            saved.again(groups[first:], first)
            advance(groups, None, len(RUNGS) + 1, clock, saved)
    except KeyboardInterrupt:
        interrupted = True
    elected = [elect(field, race) for race in range(len(splits))]
    accounts = [field.account(race) for race in range(len(splits))]
    field.close()
    spent = {"prepare": clock.prepared, "train": (clock.elapsed - clock.prepared) / len(splits)}
    found = []
    for race, (net, outcome, training, data, inputs) in enumerate(elected):
        said = [*notes[race], *(["interrupted"] if interrupted else [])]
        said += [beside(len(splits))] if len(splits) > 1 else []
        given, account = {"h_estimate": h[race]}, accounts[race]
        result = conclude(
            data, splits[race], net, inputs, training, outcome, spent, said, given, interrupted, account
        )
        found.append(result)
    return found


def parse_budget(budget: float | str | None) -> float | None:
    """Seconds.

    Examples
    --------
    >>> parse_budget("90s"), parse_budget("5m"), parse_budget(None)
    (90.0, 300.0, None)
    """
    if budget in (None, "none"):
        return None
    units = {"s": 1, "m": 60, "h": 3600}
    text = str(budget).strip()
    number, unit = (text[:-1], text[-1]) if text[-1:] in units else (text, "s")
    try:
        seconds = float(number) * units[unit]
    except ValueError:
        raise ValueError(f'a budget is a time such as "30s", "5m" or "1h", but is {budget!r}.') from None
    if not 0 < seconds < math.inf:
        raise ValueError(f"the budget must be positive and finite, but is {budget!r}; none sets no limit.")
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
    if values.size and values.min() >= 0 and (issparse(X) or (np.mean(values == 0) > 0.5 and _one_unit(X))):
        return ("row", "none")
    return ("standard",)


def _one_unit(X: Any) -> bool:
    """Whether columns that are not negative count alike things: an income beside categories drowns them.

    Of counts, few columns have entries ten times those of the others, and they make up less than half of all.
    """
    entries = np.count_nonzero(X, axis=0)
    if not entries.any():
        return True
    total = np.asarray(X).sum(axis=0, dtype=np.float64)[entries > 0]
    size = total / entries[entries > 0]
    return bool(2 * total[size > 10 * np.median(size)].sum() <= total.sum())


def _distinct(portfolio: Sequence[Mapping[str, Any]], dataset: Dataset, K: int) -> list[dict[str, Any]]:
    """The portfolio for these features: where only one scaling makes sense, settings may coincide."""
    ways, found = suits(dataset), list[dict[str, Any]]()
    for setting in portfolio:
        how = setting.get("preprocess", ways[0])
        hops = min(K, setting.get("options.K", K))
        adapted = dict(setting) | {"preprocess": how if how in ways else ways[0], "options.K": hops}
        if adapted not in found:
            found.append(adapted)
    return found

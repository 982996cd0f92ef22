"""Auto beside other models: a race a split, and records that are known again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.record import Record
from unifilter.train.auto import EPOCHS, choose, parse_budget
from unifilter.train.entries import RACED, Trial
from unifilter.train.portfolio import FEW, PORTFOLIO
from unifilter.train.result import describe

AUTO = "auto"


OTHERS = "a portfolio that other graphs chose"


def note(portfolio: Sequence[Mapping[str, Any]] | None = None, more: str = "", whose: str = OTHERS) -> str:
    """What a record of auto says: its model may be a committee, so that the name says nothing.

    ``whose`` are the settings of a portfolio that is not the library's own.

    Examples
    --------
    >>> note(more=", within 1m").endswith("was raced on this split, within 1m")
    True
    """
    name, settings = ("the portfolio", [*PORTFOLIO, *FEW]) if portfolio is None else (whose, portfolio)
    text = json.dumps([dict(setting) for setting in settings], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]  # another portfolio is another model
    return f"{RACED}{name} ({digest}) was raced on this split{more}"


def races(
    dataset: Dataset,
    trials: Sequence[Trial],
    *,
    budget: str | None = "1m",
    known: Sequence[Record] = (),
    file: str | Path | None = None,
    device: str | torch.device = "auto",
    epochs: int | None = None,
) -> Iterator[Record]:
    """A record a trial, from ``known`` where it is there: :func:`unifilter.train.auto.choose` on each split.

    Examples
    --------
    >>> from unifilter.data import load
    >>> from unifilter.train.entries import trials_of
    >>> data = load("sbm:n=200,h=0.9,d=8")
    >>> found = list(races(data, trials_of(data, "stratified:2"), budget="1s"))
    >>> [record.split["seed"] for record in found]
    [0, 1]
    """
    about, limit = describe(dataset), min(epochs or EPOCHS, EPOCHS)
    time = "any time" if budget is None else f"{parse_budget(budget):g} s"
    for split, seed in trials:
        # The seed of the record is the winner's, which may have begun from another, and so is its scaling.
        more = f", features {about['preprocessing']}, within {time} and {limit} epochs, from seed {seed}"
        said = note(more=more)
        record = next((r for r in known if said in r.notes and _of(r, about, split)), None)
        if record is None:
            result = choose(dataset, split, budget=budget, seed=seed, device=device, epochs=limit)
            if result.interrupted:
                raise KeyboardInterrupt
            scaled = {"preprocessing": result.record.dataset["preprocessing"]}
            record = replace(result.record, notes=[*result.record.notes, said], dataset=about | scaled)
            if file is not None:
                record.append(file)
        yield record


def _of(record: Record, about: dict[str, Any], split: Split) -> bool:
    """Whether a record is of this graph and split."""
    same = all(record.dataset[key] == about[key] for key in ("name", "checksum"))
    return same and (record.split["name"], record.split["seed"]) == (split.name, split.seed)

"""Search over settings: each on every split, halved on the way, chosen on validation nodes.

Any model can be searched; see :mod:`unifilter.train.heats` for how its settings are trained.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.train.beside import Job, together
from unifilter.train.heats import Heats, Ladder
from unifilter.train.prepared import Prepared
from unifilter.train.result import describe
from unifilter.train.run import check_split, pick_device
from unifilter.train.samplers import Random, Sampler, Space
from unifilter.train.trial import Trial, options_of, plain, read_journal, write_journal

RUNGS = (40, 120, 400)


def search(
    dataset: Dataset,
    splits: Sequence[Split],
    space: Space,
    settings: int = 100,
    *,
    first: Sequence[dict[str, Any]] = (),
    model: str = "unifilter",
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
    """Try settings of a model on all splits; the best comes first.

    Parameters
    ----------
    dataset, splits
        Test nodes are not looked at.
    space : Space
    settings : int
        How many.
    first : sequence of settings
        Tried beside those that the sampler proposes, such as published ones, and always to the last rung;
        they count among ``settings``, and have negative numbers.
    model : str
        Registered name.
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
        JSON lines of finished trials of this model; those that are there already are not run again.
    on_batch : optional
        Called with the trials of a batch and the number of settings still to come.

    Returns
    -------
    list of Trial, by mean validation accuracy; those that were stopped early come after those that were not.
    A warning says so where settings are missing that other processes of a study have under way.

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
    if not splits or not all((split.val & dataset.labelled).any() for split in splits):
        raise ValueError("a search needs at least one split, and in each of them labelled validation nodes.")
    for split in splits:
        check_split(dataset, split)
    sampler, journal = sampler or Random(space), None if journal is None else Path(journal)
    noted, data = read_journal(journal), _digest(dataset, splits)
    _check_trials(model, data, rungs, [*noted, *sampler.found()])
    # A kill may have come between the journal and the sampler.
    for trial in sorted(noted, key=lambda t: t.number):
        sampler.tell(trial)
    trials = {t.number: t for t in [*noted, *sampler.found()]}
    wanted = {plain(setting) for setting in first}
    # Earlier searches let go of known settings as of any other: those are trained again, to their end.
    cut = [t for t in trials.values() if t.number < 0 and not t.finished and plain(t.setting) in wanted]
    lowest = min([0, *trials])
    known = [plain(t.setting) for t in trials.values() if t.number < 0]
    waiting = [(lowest - 1 - i, s) for i, s in enumerate(s for s in first if plain(s) not in known)]
    waiting += [(t.number, t.setting) for t in cut]
    if isinstance(sampler, Random):  # chance proposes the same again: what was cut off is trained now
        waiting += [(i, s) for i, s in sampler.ask(max([-1, *trials]) + 1) if i not in trials]
    ladder = Ladder(rungs, keep)
    for trial in trials.values():
        ladder.remember(trial)
    heats = Heats(Prepared(dataset, where), splits, model, ladder, patience, half)

    def left() -> int:
        """Settings to come; one that was first once, and is no longer, does not count."""
        return settings - sum(t.number >= 0 or plain(t.setting) in wanted for t in trials.values())

    while (waiting or left() > 0) and time.monotonic() - start < seconds:
        if not waiting:
            waiting = sampler.ask(min(batch, left() - sampler.underway()))
        heat, waiting = waiting, []
        if not heat:
            warnings.warn(
                f"{left()} settings are under way in other processes and not among these trials: "
                "search again once those have ended.",
                stacklevel=2,
            )
            break
        for ended in heats.run(heat):
            found = [replace(trial, data=data) for trial in ended]
            write_journal(journal, found)
            for trial in found:
                sampler.tell(trial)
            trials |= {t.number: t for t in found}
            for trial in sampler.found():
                if trial.number not in trials:  # of another process
                    trials[trial.number] = trial
                    ladder.remember(trial)
            if on_batch is not None:
                on_batch(found, left())
            if time.monotonic() - start > seconds:
                break
    return sorted(trials.values(), key=lambda t: (t.finished, t.accuracy, -t.loss), reverse=True)


def _digest(dataset: Dataset, splits: Sequence[Split]) -> str:
    """Tells a graph and its splits from others."""
    found = hashlib.sha256(describe(dataset)["checksum"].encode())
    for split in splits:
        found.update(np.packbits([split.train, split.val]).tobytes())
    return found.hexdigest()[:12]


def _check_trials(model: str, data: str, rungs: Sequence[int], trials: Sequence[Trial]) -> None:
    """Numbers and accuracies of one model, one graph, or so many epochs say nothing about another."""
    ended = next((t.epochs for t in trials if t.finished and t.epochs not in (0, rungs[-1])), None)
    if ended is not None:  # a solver's are 0
        raise ValueError(
            f"this search trains settings for {rungs[-1]} epochs, but its journal or study has trials that "
            f"were done after {ended}. Give searches of other rungs a journal and a study of their own."
        )
    if any(t.data not in ("", data) for t in trials):
        raise ValueError(
            "the journal or study of this search has trials of another graph, or of other splits. Give every "
            "graph and every kind of split a journal and a study of its own."
        )
    others = sorted({t.model for t in trials} - {model})
    if others:
        raise ValueError(
            f"this search is for {model!r}, but its journal or study has trials of {str(others)[1:-1]}. "
            "Give every model a journal and a study of its own."
        )


def final(
    dataset: Dataset,
    splits: Sequence[Split],
    trial: Trial,
    *,
    device: str | torch.device = "auto",
    epochs: int = 1000,
) -> list[dict[str, float]]:
    """Train a setting of UniFilter on every split to its end, in float32, and read the test nodes once."""
    options, prepared = options_of(trial.setting), Prepared(dataset, pick_device(device))
    jobs = [Job(s, options, trial.training(i, epochs), trial.preprocess) for i, s in enumerate(splits)]
    records = [result.record for result in together(prepared, "unifilter", jobs)]
    return [
        {"val": r.scores["val"]["accuracy"], "test": r.scores["test"]["accuracy"], "epochs": r.epochs}
        | {name: r.learned[name] for name in ("tau", "h")}
        for r in records
    ]

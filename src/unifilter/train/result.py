"""From a trained model to probabilities, scores and a Record; the only place that reads test nodes."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unifilter._types import FloatArray
from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split
from unifilter.data.store import checksum
from unifilter.record import Record
from unifilter.train.calibration import temperature
from unifilter.train.config import Training
from unifilter.train.loop import Outcome, predict_logits
from unifilter.train.metrics import scores


@dataclass(frozen=True, eq=False)
class Result:
    """A trained model, its probabilities for every node, and the record of how it came about."""

    model: Any
    inputs: Any
    p: FloatArray
    record: Record
    history: list[dict[str, float]]
    temperature: float
    interrupted: bool = False


def conclude(
    dataset: Dataset,
    split: Split,
    net: Any,
    inputs: Any,
    training: Training,
    outcome: Outcome,
    seconds: dict[str, float],
    notes: list[str],
    given: dict[str, float],
    interrupted: bool = False,
    candidates: list[dict[str, Any]] | None = None,
) -> Result:
    """From a trained model to probabilities, scores and the record; here test nodes are read, once."""
    where = next((q.device for q in net.parameters()), torch.device("cpu"))
    start = time.perf_counter()
    logits = predict_logits(net, inputs).cpu()
    known = rows(dataset, split.val, torch.device("cpu"))
    t = temperature(logits[known], torch.from_numpy(np.array(dataset.y, dtype=np.int64))[known])
    p = torch.softmax(logits.double() / t, dim=1).numpy()
    seconds = seconds | {"predict": time.perf_counter() - start}
    record = Record(
        model=net.name,
        config=asdict(net.config),
        training=asdict(training),
        dataset=describe(dataset),
        split={"name": split.name, "seed": split.seed, "shares": split.shares},
        seed=training.seed,
        scores={
            part: scores(p, dataset.y, mask)
            for part, mask in (("train", split.train), ("val", split.val), ("test", split.test))
        },
        learned=(net.learned() if hasattr(net, "learned") else {}) | {"temperature": t} | given,
        seconds=seconds,
        peak_memory=_peak(where),
        epochs=len(outcome.history),
        best_epoch=outcome.best_epoch,
        parameters=sum(q.numel() for q in net.parameters()),
        device=_device_name(where),
        notes=[*notes, *_not_finite(outcome), *_never_named(dataset, split, p)],
        candidates=candidates or [],
    )
    return Result(net, inputs, p, record, outcome.history, t, interrupted)


def beside(company: int) -> str:
    """What a record of one among so many says.

    Examples
    --------
    >>> beside(10)
    'trained beside 9 others: its share of the seconds, memory of all'
    """
    return f"trained beside {company - 1} others: its share of the seconds, memory of all"


def describe(dataset: Dataset) -> dict[str, Any]:
    """What a record says of a dataset."""
    return {
        "name": dataset.name,
        "checksum": dataset.about.get("checksum") or checksum(dataset),
        "preprocessing": dataset.preprocessing,
        "nodes": dataset.n,
        "edges": dataset.graph.m,
    }


def rows(dataset: Dataset, mask: Any, device: torch.device) -> Tensor:
    """Labelled nodes of a mask."""
    return torch.from_numpy(np.flatnonzero(np.asarray(mask) & dataset.labelled)).to(device)


def _not_finite(outcome: Outcome) -> list[str]:
    """What a reader of the figures must know: a loss that is no number counts as no better than the best."""
    lost = sum(not math.isfinite(epoch.get("train_loss", 0.0)) for epoch in outcome.history)
    return [f"the training loss was not finite in {lost} of {len(outcome.history)} epochs"] if lost else []


def _never_named(dataset: Dataset, split: Split, p: FloatArray) -> list[str]:
    """Accuracy does not tell: where a class is rare, a model that never names it may have the highest."""
    classes = len(dataset.classes)
    trained = np.bincount(dataset.y[split.train & dataset.labelled], minlength=classes)
    named = np.bincount(p.argmax(axis=1), minlength=classes)
    never = np.flatnonzero((trained > 0) & (named == 0))
    if not never.size:
        return []
    names = ", ".join(repr(str(dataset.classes[c])) for c in never[:3])
    names += f" and {never.size - 3:,} other classes" if never.size > 3 else ""
    return [
        f"no node is predicted as {names}, though {trained[never].sum():,} training nodes are: accuracy "
        "hides that; their probability still ranks the nodes"
    ]


def _peak(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    if sys.platform == "win32":  # which does not count it for a process alone
        return 0
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)

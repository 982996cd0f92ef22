"""From a dataset and a split to a trained model and its Record."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unifilter.data.dataset import Dataset
from unifilter.data.splits import Split, disjoint
from unifilter.graph.homophily import edge_homophily
from unifilter.models._bag import bag_of
from unifilter.models._registry import configure, model_class
from unifilter.models.unifilter import UniFilter
from unifilter.train.config import Training
from unifilter.train.loop import Interrupted, Part, State, fit
from unifilter.train.result import Result, conclude, rows


@dataclass(frozen=True, eq=False)
class Start:
    """A model with fresh parameters and the nodes it is trained on: all that a training needs."""

    net: Any
    train: Part
    val: Part
    training: Training
    weights: Tensor | None
    given: dict[str, float]
    notes: list[str]
    random: Tensor  # the state of the CPU's generator after the parameters were drawn


def run(
    dataset: Dataset,
    split: Split,
    model: str = "unifilter",
    options: dict[str, Any] | None = None,
    training: Training | None = None,
    *,
    inputs: Any = None,
    half: bool = False,
    device: str | torch.device = "auto",
    folder: Path | None = None,
    on_epoch: Callable[[dict[str, float], State], bool | None] | None = None,
) -> Result:
    """Train one model on one split.

    Parameters
    ----------
    dataset, split
        Data, and who trains, validates and tests.
    model : str
        Registered name.
    options : dict
        Of the model's Config.
    training : Training
    inputs : optional
        What ``prepare`` gave for the same dataset and options before: it does not depend on the split.
    half : bool
        Keep the rows of V that are trained on in bfloat16: half of their memory, and a step reads half as
        much. All else, predictions included, is float32. Only models on a Krylov basis have a V.
    device : "auto", "cpu", "cuda", ...
    folder : Path, optional
        Where checkpoints are kept while training, and resumed from.
    on_epoch : optional
        See :func:`unifilter.train.fit`.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> data = load("sbm:n=400,h=0.9")
    >>> options, training = {"K": 4, "hidden": 32}, Training(epochs=30)
    >>> result = run(data, splits.stratified(data.y), "unifilter", options, training)
    >>> result.record.scores["test"]["accuracy"] > 0.6
    True
    """
    training = training or Training()
    where = pick_device(device)
    check_weights(model, training)
    check_half(model, half)
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    if inputs is None:
        inputs = prepare(dataset, model, configure(model, options or {}), where)
    seconds["prepare"] = time.perf_counter() - start
    begun = begin(dataset, split, model, options, training, inputs=inputs, device=where, gather=False)
    train, val = (_halved(part) if half else part for part in (begun.train, begun.val))
    _reset_peak(where)
    notes, interrupted = begun.notes + (["trained on V in bfloat16"] if half else []), False
    with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        torch.manual_seed(training.seed)
        torch.set_rng_state(begun.random)
        try:
            outcome = fit(
                begun.net,
                train,
                val,
                training,
                weights=begun.weights,
                on_epoch=on_epoch,
                folder=folder,
            )
        except Interrupted as stop:
            outcome, interrupted = stop.outcome, True
    seconds["train"] = outcome.seconds
    notes += ["interrupted"] if interrupted else []
    if training.batch is None and outcome.batch:
        notes.append(f"batches of {outcome.batch} training rows: memory was short for all at once")
    return conclude(
        dataset, split, begun.net, inputs, training, outcome, seconds, notes, begun.given, interrupted
    )


def begin(
    dataset: Dataset,
    split: Split,
    model: str = "unifilter",
    options: dict[str, Any] | None = None,
    training: Training | None = None,
    *,
    inputs: Any = None,
    device: str | torch.device = "auto",
    gather: bool = True,
) -> Start:
    """What :func:`run` trains: parameters drawn from the seed, training and validation nodes.

    ``gather``: whether these hold copies of their rows; without it :func:`fit` copies them if there is room.
    """
    check_split(dataset, split)
    training = training or Training()
    where = pick_device(device)
    config = configure(model, options or {})
    cls = model_class(model)
    if inputs is None:
        inputs = prepare(dataset, model, config, where)
    notes: list[str] = []
    if getattr(config, "directed", False) and dataset.arcs is None:  # Dir-GNN; others refuse
        notes.append("the dataset has no arcs: both directions are the undirected graph's")
    reads = [name for name in ("directed", "data_loops") if getattr(config, name, False)]
    if reads and dataset.arcs is not None and dataset.graph.weighted:
        notes.append(f"arcs have no weights: with {' and '.join(reads)} those of the edges are not used")
    extra: dict[str, Any] = {}
    if getattr(cls, "uses_homophily", False):
        extra["h"] = training_homophily(dataset, split, notes)
    if getattr(cls, "uses_labels", False):
        extra["labels"] = training_labels(dataset, split)
    if getattr(cls, "uses_nodes", False):
        extra["nodes"] = dataset.n
    y = torch.from_numpy(np.array(dataset.y, dtype=np.int64)).to(where)
    train, val = (
        Part(inputs, y[index], index)
        for index in (rows(dataset, split.train, where), rows(dataset, split.val, where))
    )
    if gather:
        train, val = train.gathered(), val.gathered()
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(training.seed)
        net = cls(config, dataset.d, len(dataset.classes), **extra).to(where)
        random = torch.get_rng_state()
    _check_groups(net, model, training)
    weights = class_weights(train.y, len(dataset.classes)) if training.class_weights else None
    return Start(net, train, val, training, weights, _given(extra), notes, random)


def _check_groups(net: Any, model: str, training: Training) -> None:
    known = list(net.groups()) if hasattr(net, "groups") else []
    for name in training.groups:
        if name not in known:
            has = f"has {', '.join(known)}" if known else "has none"
            raise ValueError(f"training names a group {name!r} of parameters, but {model} {has}.")


def prepare(dataset: Dataset, model: str, config: Any, device: torch.device) -> Any:
    """What the model needs of the data, once for all splits."""
    cls = model_class(model)
    inputs = of_data(cls.prepare, dataset, model, config, device)
    return replace(inputs, X=bag_of(inputs.X)) if getattr(cls, "takes_bags", False) else inputs


def of_data(step: Callable[..., Any], dataset: Dataset, model: str, config: Any, device: torch.device) -> Any:
    """A model's step that reads the data: ``prepare``, or ``factorise`` where that is the part with P."""
    if needs_features(model):
        refuse_bare(dataset)
    arcs = {"arcs": dataset.arcs} if getattr(model_class(model), "uses_arcs", False) else {}
    return step(dataset.graph, dataset.features().to(device), config, **arcs)


def needs_features(model: str) -> bool:
    """Not those that spread labels, nor those that have a parameter for every node.

    Examples
    --------
    >>> needs_features("gcn"), needs_features("labelpropagation")
    (True, False)
    """
    return not any(getattr(model_class(model), name, False) for name in ("uses_labels", "uses_nodes"))


def refuse_bare(dataset: Dataset) -> None:
    """A filter of nothing is a constant."""
    if not dataset.d:
        raise ValueError(
            f"the nodes of {dataset.name} have no features to filter: name columns that hold some, or put "
            "random signals in their place, as unifilter.data.with_signals does."
        )


def check_split(dataset: Dataset, split: Split) -> None:
    """Parts without a common node; and somebody's labels to learn from."""
    disjoint(split)
    if not (split.train & dataset.labelled).any():
        raise ValueError(
            "training needs a node with a label at least, but none of the "
            f"{int(split.train.sum())} training nodes of split {split.name!r} has one. Label some of them."
        )


def training_homophily(dataset: Dataset, split: Split, notes: list[str]) -> float:
    """H from training labels; 1/2 with a note where no edge joins two of them."""
    try:
        return edge_homophily(dataset.graph, dataset.y, split.train)
    except ValueError:
        notes.append("no edge joins two training nodes: h starts at 0.5")
        return 0.5


def training_labels(dataset: Dataset, split: Split) -> Tensor:
    """Labels of training nodes, -1 elsewhere: all that a model that propagates labels may see."""
    return torch.from_numpy(np.where(split.train & dataset.labelled, dataset.y, -1).astype(np.int64))


def check_half(model: str, half: bool) -> None:
    """Half precision is for V, which UniFilter and its ablations read in every step."""
    if half and not issubclass(model_class(model), UniFilter):
        raise ValueError(f"half precision is for the V that UniFilter trains on, which {model} does not.")


def _halved(part: Part) -> Part:
    rows = part.gathered()
    return replace(rows, inputs=replace(rows.inputs, V=rows.inputs.V.bfloat16()))


def check_weights(model: str, training: Training) -> None:
    """Class weights are the loop's: a model that finds its own optimum has no loss to weigh."""
    if training.class_weights and hasattr(model_class(model), "solve"):
        raise ValueError(
            f"class weights belong to a loss, but {model} is not trained by one: leave them out, or take a "
            "model that is, such as unifilter, gcn or mlp."
        )


def class_weights(y: Tensor, classes: int) -> Tensor:
    """Inverse frequencies with mean 1 over the training nodes; classes that are absent there weigh 1."""
    count = torch.bincount(y, minlength=classes).float()
    present = count > 0
    return torch.where(present, y.numel() / (present.sum() * count.clamp_min(1)), 1)


def pick_device(device: str | torch.device) -> torch.device:
    """A GPU if there is one and "auto" was asked for."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except RuntimeError:
        raise ValueError(f'device must be "auto", "cpu" or "cuda", but is {device!r}.') from None
    if found.type == "cuda" and not torch.cuda.is_available():
        raise ValueError('device is "cuda", but PyTorch sees no GPU here. "auto" takes one if there is one.')
    return found


def _given(extra: dict[str, Any]) -> dict[str, float]:
    return {"h_estimate": float(extra["h"])} if "h" in extra else {}


def _reset_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)

"""A search space for every model, so that all can be tuned with the same number of settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from unifilter.models import model_class
from unifilter.train.ranges import COMMON, FEATURES, FILTERS, FLOORS, NETWORKS, Ranges
from unifilter.train.samplers import PAPER_SPACE, THINNED, Space

RANGES = FILTERS | NETWORKS | FLOORS
TRAINING = ("lr", "weight_decay", "optimizer")


def space_of(model: str, whole: bool = False) -> Space:
    """What is searched of a model: its authors' ranges where they published some.

    Graphs stay undirected, except for Dir-GNN: direction is a convention of the data, not of a model. The
    three ablations of UniFilter have its space without what they fix. Models with a solver have no training
    options. A model without ranges of its own gets common ones for the options that it has.

    Parameters
    ----------
    model : str
        Registered name.
    whole : bool
        All of UniFilter's published ranges, for hundreds of draws, and not the part for some thirty.

    Examples
    --------
    >>> space_of("asgc").values["options.K"]
    [1, 2, 4, 8]
    >>> space_of("bernnet").values["groups.filter.lr"]
    [0.002, 0.01, 0.05]
    """
    cls = model_class(model)
    if model == "unifilter":
        return PAPER_SPACE if whole else THINNED
    if issubclass(cls, model_class("unifilter")):
        return _ablation(cls)
    return Space({_place(name): values for name, values in RANGES.get(model, _common(cls)).items()})


def _place(name: str) -> str:
    """The full name of a range, as :class:`Space` has it."""
    if name == "preprocess":
        return name
    if name in TRAINING:
        return f"training.{name}"
    return f"groups.{name}" if "." in name else f"options.{name}"


def _common(cls: Any) -> Ranges:
    if hasattr(cls, "solve"):
        return FEATURES
    options = {f.name for f in fields(cls.Config)}
    return {name: v for name, v in COMMON.items() if name in ("preprocess", *TRAINING) or name in options}


def _ablation(cls: Any) -> Space:
    """UniFilter's space; the group of tau and h only where one of them is learned."""
    net = cls(cls.Config(), 1, 2)
    empty = {name for name, parameters in net.groups().items() if not parameters}
    kept = {n: v for n, v in THINNED.values.items() if not (set(n.split(".")[1:2]) & empty)}
    return Space(kept)

"""Names to models. Listing the names loads nothing; using one imports its file."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

Model = TypeVar("Model")
_REGISTERED: dict[str, Any] = {}


@dataclass(frozen=True)
class Card:
    """What `unifilter models` says of a model.

    Parameters
    ----------
    title : str
        As its paper writes it.
    paper : str
        Authors, title, venue.
    year : int
    kind : str
        "polynomial filter", "spectral", "message passing", "attention", "features only", "labels only", ...
    propagates : str
        "X, once", "H, K products a step", "nothing".
    cost : str
        Operations of a training step, the largest terms: n nodes or training rows, m edges, d columns of X,
        h hidden ones, c classes, K hops, L layers.
    """

    title: str
    paper: str
    year: int
    kind: str
    propagates: str
    cost: str


def register(name: str, config: type, card: Card) -> Callable[[Model], Model]:
    """Register a class under the name of its file."""

    def add(cls: Any) -> Any:
        cls.name, cls.Config, cls.card = name, config, card
        _REGISTERED[name] = cls
        return cls

    return add


@cache
def _files() -> tuple[str, ...]:
    return tuple(sorted(p.stem for p in Path(__file__).parent.glob("[!_]*.py")))


def names() -> list[str]:
    """All models.

    Examples
    --------
    >>> "unifilter" in names()
    True
    """
    return sorted({*_files(), *_REGISTERED})


def model_class(name: str) -> Any:
    """The class behind a name, imported on first use; or registered by a module of one's own."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name not in _files():
        near = difflib.get_close_matches(name, names(), n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"there is no model named {name!r}.{hint} `unifilter models` lists them all.")
    import_module(f"unifilter.models.{name}")
    return _REGISTERED[name]


def configure(name: str, options: dict[str, Any]) -> Any:
    """A model's Config from options; a wrong one is named with what there is."""
    config = model_class(name).Config
    known = [f.name for f in fields(config)]
    for option in options:
        if option not in known:
            near = difflib.get_close_matches(option, known, n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else f" It has {', '.join(known)}."
            raise ValueError(f"{name} has no option {option!r}.{hint}")
    types = {f.name: str(f.type) for f in fields(config)}
    hints = _hints(config)
    for option, value in options.items():
        if not _fits(value, hints[option]):
            raise ValueError(f"option {option} of {name} must be {types[option]}, but is {value}.")
    floats = {n for n, type in types.items() if type == "float"}
    return _checked(name, config(**{n: float(v) if n in floats else v for n, v in options.items()}))


@cache
def _hints(config: Any) -> dict[str, Any]:
    return get_type_hints(config)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is one of those that a type allows; of types that are not listed nothing is known.

    Examples
    --------
    >>> _fits("learn", float | Literal["learn"]), _fits("lern", float | Literal["learn"]), _fits(2.5, int)
    (True, False, False)
    """
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    kinds = {bool: (bool, np.bool_), int: Integral, float: Real, str: str, type(None): type(None)}
    kinds |= {tuple: (tuple, list), Sequence: (tuple, list)}
    kind: Any = kinds.get(get_origin(hint) or hint)
    if kind is None:
        return True
    return isinstance(value, kind) and (hint is bool or not isinstance(value, (bool, np.bool_)))


# What every model means by these names, and by longer ones that end in them: rates, counts of things that
# there must be, hops.
LEAST = {"hidden": 1, "layers": 1, "heads": 1, "K": 0}


def _checked(name: str, config: Any) -> Any:
    """A Config whose rates and counts are some; whatever else its numbers are is the model's affair."""
    for option, value in vars(config).items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if "dropout" in option and not 0 <= value < 1:
            raise ValueError(f"{option} of {name} must be in [0, 1), but is {value}.")
        if not math.isfinite(value):
            raise ValueError(f"{option} of {name} must be a finite number, but is {value}.")
        least = LEAST.get(option.rpartition("_")[2], value)
        if value < least:
            raise ValueError(f"{option} of {name} must be at least {least}, but is {value}.")
    return config


def create(
    name: str,
    d: int,
    classes: int,
    *,
    nodes: int | None = None,
    homophily: float | None = None,
    labels: Any = None,
    **options: Any,
) -> Any:
    """A model with fresh parameters for d feature columns.

    Parameters
    ----------
    nodes : int, optional
        How many the graph has, for models with a column for each.
    homophily : float, optional
        Estimated from training labels, for filters that begin with it.
    labels : Tensor, optional
        Of training nodes, -1 elsewhere, for models that propagate them.
    options
        Of the model's Config.

    Examples
    --------
    >>> model = create("unifilter", d=16, classes=3, K=4, hidden=8)
    >>> model.config.K
    4
    >>> create("linkx", d=16, classes=3)
    Traceback (most recent call last):
    ValueError: linkx needs the graph's nodes: create('linkx', ..., nodes=...).
    """
    cls, config, extra = model_class(name), configure(name, options), dict[str, Any]()
    for what, given in (("nodes", nodes), ("labels", labels)):
        if getattr(cls, f"uses_{what}", False):
            if given is None:
                raise ValueError(f"{name} needs the graph's {what}: create({name!r}, ..., {what}=...).")
            extra[what] = given
    if getattr(cls, "uses_homophily", False) and homophily is not None:
        extra["h"] = homophily
    return cls(config, d, classes, **extra)

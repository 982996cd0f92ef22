"""A split by name, as `--split` takes it."""

from __future__ import annotations

import numpy as np

from unifilter.cli.tables import listed
from unifilter.data import Dataset, splits
from unifilter.data.splits import Split

HELP = (  # words that fit a column of the help: longer ones would be cut
    "Who trains, validates and tests: auto (60/20/20 of the labelled nodes of every class), quota, "
    "stratified:0.6/0.2 (shares that train and validate), random:0.6/0.2 (whatever the classes), "
    "per-class:20 (500 validate, 1000 test), each with a :SEED behind it if wanted; fixed:NUMBER, public; "
    "column:NAME of the node table (train, val, test or empty)."
)


def split_column(text: str) -> str | None:
    """The column of the node table that a text names, None if it names another kind of split.

    Examples
    --------
    >>> split_column("column:part"), split_column("quota")
    ('part', None)
    """
    kind, _, name = text.partition(":")
    if kind == "column" and not name:
        raise ValueError(f"--split {text} is incomplete. {HELP}")
    return name if kind == "column" else None


def parse_split(text: str, dataset: Dataset) -> Split:
    """The split that a text names.

    Examples
    --------
    >>> from unifilter.data import load
    >>> parse_split("stratified:0.5/0.25:3", load("sbm:n=100")).seed
    3
    """
    kind, *rest = text.split(":")
    if split_column(text) is not None:
        return splits.column(dataset)._replace(name=text)
    try:
        if kind == "auto" and not rest:
            return splits.stratified(dataset.y)
        if kind == "quota":
            return splits.quota(dataset.y, seed=int(rest[0]) if rest else splits.SEEDS[0])
        if kind in ("stratified", "random"):
            draw = splits.stratified if kind == "stratified" else splits.random
            train, val = _shares(kind, rest[0]) if rest else (0.6, 0.2)
            return draw(dataset.y, train, val, seed=int(rest[1]) if len(rest) > 1 else 0)
        if kind == "per-class":
            return _per_class(dataset, int(rest[0]), int(rest[1]) if len(rest) > 1 else 0)
        if kind == "fixed":
            return splits.fixed(dataset, int(rest[0]) if rest else 0)
        if kind == "public" and not rest:
            return splits.public(dataset)
    except (IndexError, TypeError) as error:
        raise ValueError(f"--split {text} is incomplete. {HELP}") from error
    except ValueError as error:
        if "could not convert" in str(error) or "invalid literal" in str(error):
            raise ValueError(f"--split {text} has no number where one belongs. {HELP}") from error
        raise
    raise ValueError(f"--split {text} names no split. {HELP}")


def check_split(split: Split, dataset: Dataset) -> list[str]:
    """Notes on classes that it leaves out; a split that keeps no test nodes at all was asked for as such.

    Examples
    --------
    >>> from unifilter.data import load
    >>> data = load("sbm:n=100")
    >>> check_split(splits.stratified(data.y), data)
    []
    """
    known, trained, tested = (
        np.unique(dataset.y[mask & dataset.labelled]) for mask in (dataset.labelled, split.train, split.test)
    )
    notes = []
    for part, there, means in (
        ("training", trained, "no node will be predicted as"),
        ("test", tested, "test scores say nothing of"),
    ):
        lost = [str(dataset.classes[c]) for c in np.setdiff1d(known, there)]
        if there.size and lost:
            verb, of = ("has", "it") if len(lost) == 1 else ("have", "them")
            notes.append(f"{listed(lost)} {verb} no {part} node: {means} {of}.")
    return notes


def _shares(kind: str, text: str) -> tuple[float, float]:
    train, val = (float(share) for share in f"{text}/0.2".split("/")[:2])
    if text.count("/") > 1 or not (train > 0 and val >= 0 and train + val <= 1):
        raise ValueError(
            f"--split {kind}:{text} must name the shares of training and validation, as in "
            f"{kind}:0.6/0.2, not above 1 together; the rest tests."
        )
    return train, val


def _per_class(dataset: Dataset, k: int, seed: int) -> Split:
    """As published: 500 nodes validate and 1000 test; on small graphs a third and two thirds of the rest."""
    rest = int(dataset.labelled.sum()) - k * len(dataset.classes)
    val, test = (500, 1000) if rest >= 1500 else (max(rest, 0) // 3, max(rest, 0) - max(rest, 0) // 3)
    return splits.per_class(dataset.y, k, val, test, seed)

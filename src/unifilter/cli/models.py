"""`unifilter models`: what there is to train."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, fields, is_dataclass
from inspect import cleandoc
from shutil import get_terminal_size
from typing import Annotated, Any

import typer

from unifilter.models import model_class, names

EXAMPLES = """Examples:

unifilter models

unifilter models bernnet

unifilter models --json
"""
CAPTION = (
    "X, once: nothing is propagated while training. H: learned features, at every step.\n"
    "Cost: n nodes (training rows, if X is propagated once), m edges (m_2: two hops apart), R relations,\n"
    "d columns of X, h hidden ones, c classes, K hops, L layers. Parameters: default options, 100 columns,\n"
    "5 classes; a + says that there are more for every node.\n"
    "`unifilter models NAME` shows paper and options, `unifilter fit --model NAME` trains it."
)
COLUMNS = ("name", "year", "kind", "propagates", "cost of a step", "parameters", "paper")
D, CLASSES = 100, 5


def models(
    name: Annotated[str | None, typer.Argument(help="One model, with its options.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """List the models: year, kind, what they propagate and cost, and paper; or one with its options."""
    if name is not None:
        _one(name, as_json)
        return
    found = {n: asdict(model_class(n).card) | _size(n) for n in names()}
    if as_json:
        print(json.dumps(found))
        return
    table = [COLUMNS, *(_line(n, about) for n, about in found.items())]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    # In a narrow window the end of a line is cut off; in a file or for grep, nothing is.
    most = get_terminal_size().columns if sys.stdout.isatty() else None
    for row in table:
        print("  ".join(map(str.ljust, row, widths)).rstrip()[:most])
    print(f"\n{CAPTION}")


def _line(name: str, about: dict[str, Any]) -> tuple[str, ...]:
    size = f"{about['parameters']:,}{'+' if about['node_parameters'] else ''}"
    return name, str(about["year"]), about["kind"], about["propagates"], about["cost"], size, about["paper"]


def _one(name: str, as_json: bool) -> None:
    cls = model_class(name)
    options = {f.name: f.default for f in fields(cls.Config)}
    size = _size(name)
    if as_json:
        print(json.dumps({"name": name, **asdict(cls.card), **size, "options": options}, default=str))
        return
    count = f"{size['parameters']:,}{' (and some for every node)' if size['node_parameters'] else ''}"
    print(f"{cls.card.title}. {cls.card.paper}, {cls.card.year}")
    print(f"{cls.card.kind}; propagates {cls.card.propagates}; a step costs {cls.card.cost}")
    print(f"{count} parameters with default options, on {D} columns and {CLASSES} classes\n")
    for kind in cls.Config.__mro__:  # options that several models share have their own page
        if is_dataclass(kind):
            print(cleandoc(kind.__doc__ or ""), "\n")
    print("Defaults:")
    for option, default in options.items():
        print(f"  --option {option}={json.dumps(default)}")


def _size(name: str) -> dict[str, Any]:
    """Number of parameters, and whether there are more for every node, which are not counted."""
    cls = model_class(name)
    needs = {"nodes": 1} if getattr(cls, "uses_nodes", False) else {}
    net = cls(cls.Config(), D, CLASSES, **needs)
    grows = getattr(net, "node_parameters", ())
    fixed = sum(p.numel() for n, p in net.named_parameters() if n not in grows)
    return {"parameters": fixed, "node_parameters": bool(grows)}

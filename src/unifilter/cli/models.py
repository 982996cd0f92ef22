"""`unifilter models`: what there is to train."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, fields
from inspect import cleandoc
from shutil import get_terminal_size
from typing import Annotated

import typer

from unifilter.models import create, model_class, names

EXAMPLES = """Examples:

unifilter models

unifilter models bernnet
"""
CAPTION = (
    "X, once: nothing is propagated while training. H: learned features, at every step.\n"
    "`unifilter models NAME` shows paper and options, `unifilter fit --model NAME` trains it."
)


def models(
    name: Annotated[str | None, typer.Argument(help="One model, with its options.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """List the models: year, kind, and what they propagate; or one with its paper and options."""
    if name is not None:
        _one(name, as_json)
        return
    cards = {n: asdict(model_class(n).card) for n in names()}
    if as_json:
        print(json.dumps(cards))
        return
    rows = [("name", "year", "kind", "propagates")]
    rows += [(n, str(card["year"]), card["kind"], card["propagates"]) for n, card in cards.items()]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    # In a narrow window the end of a line is cut off; in a file or for grep, nothing is.
    most = get_terminal_size().columns if sys.stdout.isatty() else None
    for row in rows:
        print("  ".join(map(str.ljust, row, widths)).rstrip()[:most])
    print(f"\n{CAPTION}")


def _one(name: str, as_json: bool) -> None:
    cls = model_class(name)
    options = {f.name: f.default for f in fields(cls.Config)}
    if as_json:
        print(json.dumps({"name": name, **asdict(cls.card), "options": options}, default=str))
        return
    print(f"{cls.card.title}. {cls.card.paper}, {cls.card.year}")
    print(f"{cls.card.kind}; propagates {cls.card.propagates}")
    print(f"{_parameters(name)} parameters with default options, on 100 columns and 5 classes\n")
    print(cleandoc(cls.Config.__doc__ or ""), "\n\nDefaults:")
    for option, default in options.items():
        print(f"  --option {option}={json.dumps(default)}")


def _parameters(name: str) -> str:
    """Their number; models with a weight a node cannot be built without the graph."""
    cls = model_class(name)
    if getattr(cls, "uses_labels", False):
        import torch

        net = cls(cls.Config(), 100, 5, labels=torch.zeros(1, dtype=torch.long))
        grows = bool(getattr(net, "node_parameters", ()))
        return f"{sum(p.numel() for p in net.parameters()):,}{' (and some for every node)' if grows else ''}"
    return f"{sum(p.numel() for p in create(name, 100, 5).parameters()):,}"

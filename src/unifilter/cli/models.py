"""`unifilter models`: what there is to train."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from unifilter.models import create, model_class, names

EXAMPLES = """Examples:

unifilter models

unifilter models bernnet
"""


def models(
    name: Annotated[str | None, typer.Argument(help="One model, with its options.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """List the models: paper, kind, and what they propagate; or one with its options."""
    if name is not None:
        _one(name, as_json)
        return
    cards = {n: asdict(model_class(n).card) for n in names()}
    if as_json:
        print(json.dumps(cards))
        return
    table = Table()
    for column in ("name", "title", "year", "kind", "propagates", "parameters"):
        table.add_column(column, justify="right" if column in ("year", "parameters") else "left")
    for n, card in cards.items():
        table.add_row(n, card["title"], str(card["year"]), card["kind"], card["propagates"], _parameters(n))
    console = Console()
    console.print(table)
    console.print("parameters: with default options, on 100 columns and 5 classes; + n: some for every node")


def _one(name: str, as_json: bool) -> None:
    cls = model_class(name)
    options = {f.name: f.default for f in fields(cls.Config)}
    if as_json:
        print(json.dumps({"name": name, **asdict(cls.card), "options": options}, default=str))
        return
    console = Console(highlight=False)
    console.print(f"{cls.card.title}. {cls.card.paper}, {cls.card.year}", style="bold", markup=False)
    console.print(f"{cls.card.kind}; propagates {cls.card.propagates}", markup=False)
    console.print((cls.Config.__doc__ or "").strip(), markup=False)
    for option, default in options.items():
        console.print(f"  --option {option}={default}", markup=False)


def _parameters(name: str) -> str:
    """Their number; models with a weight a node cannot be built without the graph."""
    cls = model_class(name)
    if getattr(cls, "uses_labels", False):
        import torch

        net = cls(cls.Config(), 100, 5, labels=torch.zeros(1, dtype=torch.long))
        grows = bool(getattr(net, "node_parameters", ()))
        return f"{sum(p.numel() for p in net.parameters()):,}{' + n' if grows else ''}"
    return f"{sum(p.numel() for p in create(name, 100, 5).parameters()):,}"

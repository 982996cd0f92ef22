"""Dataclass fields as flags: a group of options that several commands share is written once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def flags(command: Callable[..., None]) -> Callable[..., None]:
    """Replace every parameter whose type is a dataclass by the fields of it, each a flag of its own.

    A field's annotation may be ``Annotated[type, typer.Option(...)]``, as a parameter's; its default is the
    flag's. The command is called with the dataclass.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     width: int = 3
    >>> @flags
    ... def draw(name: str, size: Size) -> None:
    ...     print(name, size)
    >>> list(inspect.signature(draw).parameters)
    ['name', 'width']
    >>> draw(name="box", width=4)
    box Size(width=4)
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if isinstance(kind, type) and is_dataclass(kind):
            groups[name] = kind
            parameters += _fields(kind)
        else:
            parameters.append(parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def called(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{f.name: values.pop(f.name) for f in fields(kind)})
        command(**values)

    del called.__wrapped__  # typer would look through to the old signature
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called


def _fields(kind: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for f in fields(kind):
        default = f.default if f.default is not MISSING else inspect.Parameter.empty
        default = f.default_factory() if f.default_factory is not MISSING else default
        found.append(
            inspect.Parameter(
                f.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[f.name]
            )
        )
    return found

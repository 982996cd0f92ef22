"""All parts, in the order of the page."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from unifilter.reproduce.graphs import at_hand
from unifilter.reproduce.part import SIX, Part, Scale

NAMES = (
    *(
        "claims",
        "table2",
        "table3",
        "clean",
        "spectrum",
        "ablation",
        "tau",
        "estimates",
        "h",
        "angles",
        "datasets",
    ),
    *("theorem1", "learning", "changes", "extensions", "unseen", "family", "bare", "efficiency"),
    *("significance", "errata"),
)
# Stand for the six graphs where none of them is at hand: one homophilous, one not.
EMBEDDED = ("sbm:n=200,h=0.85,classes=3,d=8", "sbm:n=200,h=0.1,classes=3,d=8")
SMALL = ("cora", "chameleon-filtered")  # real, and small enough for a few epochs on two cores


def part(name: str) -> Part:
    """One part.

    Examples
    --------
    >>> part("table2").title
    'Table 2: polynomial filters on six graphs, 60/20/20'
    """
    if name not in names():
        raise ValueError(f"there is no part named {name!r}: there are {', '.join(names())}, and all.")
    found: Part = import_module(f"unifilter.reproduce.{name}").PART
    return found


def names() -> list[str]:
    """Names of all parts."""
    return [n for n in NAMES if find_spec(f"unifilter.reproduce.{n}") is not None]


def parts(wanted: list[str]) -> list[Part]:
    """Parts by name, in the order of the page; "all" is every one.

    Examples
    --------
    >>> [p.name for p in parts(["h", "tau"])]
    ['tau', 'h']
    """
    chosen = names() if "all" in wanted or not wanted else [part(name).name for name in wanted]
    return [part(name) for name in NAMES if name in chosen]


def quick() -> Scale:
    """Two splits of small graphs, and of real ones that need no network."""
    also = tuple(g for g in SMALL if at_hand(g))
    return Scale(splits=2, settings=2, epochs=20, graphs=EMBEDDED, quick=True, also=also)


def full(settings: int = Scale.settings, splits: int = Scale.splits, epochs: int | None = None) -> Scale:
    """The paper's six graphs and ten splits."""
    return Scale(splits, settings, epochs, SIX)

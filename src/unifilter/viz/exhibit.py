"""What a page, a paper or a README shows, as plain data: tables of figures beside printed ones, plots, words.

Nothing here computes or draws. An exhibit is rendered to HTML, Markdown, LaTeX, PNG and SVG by the modules
beside this one, so that all of them say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Value:
    """A mean, half of its 95% interval (None for a single run) and the number of runs behind it.

    Examples
    --------
    >>> Value(89.4, 0.6, 10).mean
    89.4
    """

    mean: float
    half: float | None = None
    runs: int = 1


@dataclass(frozen=True)
class Cell:
    """A figure of ours beside the printed one; either may be missing.

    Examples
    --------
    >>> Cell(Value(89.5, 0.6, 10), printed=89.0).difference
    0.5
    """

    ours: Value | None = None
    printed: float | None = None
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if self.ours is None or self.printed is None:
            return None
        return self.ours.mean - self.printed


@dataclass(frozen=True)
class Table:
    """Rows of cells; a missing cell was not run. ``best`` columns mark their highest mean."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Mapping[str, Mapping[str, Cell]]
    caption: str = ""
    unit: str = "%"
    digits: int = 2
    best: Literal["highest", "lowest", "none"] = "highest"


@dataclass(frozen=True)
class Series:
    """Points of one name; ``half`` are halves of 95% intervals. ``printed``: the paper's own points."""

    name: str
    x: Sequence[float | str]
    y: Sequence[float]
    half: Sequence[float | None] = ()
    printed: bool = False


@dataclass(frozen=True)
class Plot:
    """Series over one pair of axes."""

    name: str
    title: str
    x: str
    y: str
    series: Sequence[Series]
    caption: str = ""
    kind: Literal["lines", "points", "bars"] = "lines"
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Words:
    """A heading and paragraphs; ``items`` become a list of (claim, evidence)."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    items: Sequence[tuple[str, str]] = field(default_factory=tuple)


Exhibit = Table | Plot | Words

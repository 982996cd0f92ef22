"""What a page, a paper or a README shows, as plain data: tables of figures beside printed ones, plots, words.

Nothing here draws. An exhibit is rendered to HTML, Markdown, LaTeX, PNG and SVG by the modules beside this
one, so that all of them say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot, isfinite
from typing import Literal

Verdict = Literal["agrees", "above", "below", "alone"]


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

    ``printed_half`` is half of the printed figure's own 95% interval, where the source allows to tell.
    ``mark`` is said with the figure, such as its p; a ``note`` is told below the table.

    Examples
    --------
    >>> Cell(Value(89.5, 0.6, 10), printed=89.0).difference
    0.5
    """

    ours: Value | None = None
    printed: float | None = None
    note: str = ""
    printed_half: float | None = None
    mark: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if self.ours is None or self.printed is None:
            return None
        return self.ours.mean - self.printed

    @property
    def difference_half(self) -> float | None:
        """Half of the 95% interval of the difference: both figures are uncertain, independently.

        Examples
        --------
        >>> Cell(Value(89.5, 0.6, 10), printed=89.0, printed_half=0.8).difference_half
        1.0
        """
        known = [
            half for half in (self.ours and self.ours.half, self.printed_half) if isinstance(half, float)
        ]
        return hypot(*known) if known else None

    def verdict(self, digits: int) -> Verdict:
        """Whether the interval of the difference holds 0; the printed figure was rounded to these digits.

        Examples
        --------
        >>> Cell(Value(89.5, 0.6, 10), printed=89.0).verdict(digits=2)
        'agrees'
        >>> Cell(Value(0.2239), printed=0.22).verdict(digits=2), Cell(Value(0.2), 0.22).verdict(digits=2)
        ('agrees', 'below')
        """
        difference = self.difference
        if difference is None or not isfinite(difference):
            return "alone"
        # A hair more than half a unit: 0.225 - 0.22 is 0.00500...0004 in binary.
        allowed = (self.difference_half or 0.0) + 0.5000001 * 10.0**-digits
        if abs(difference) <= allowed:
            return "agrees"
        return "above" if difference > 0 else "below"


@dataclass(frozen=True)
class Table:
    """Rows of cells; a missing cell was not run. ``best`` marks the highest (lowest) mean of every column.

    ``digits`` are those of our figures, ``printed_digits`` those that the paper prints, if they differ.
    ``corner`` says what the rows are. Rows ``beyond`` are not meant to repeat a printed figure: they stand
    beside it, and are not counted among those that agree with it or not. ``peer`` is what the figure beside
    ours is called.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Mapping[str, Mapping[str, Cell]]
    caption: str = ""
    unit: str = "%"
    digits: int = 2
    best: Literal["highest", "lowest", "none"] = "highest"
    printed_digits: int | None = None
    corner: str = ""
    beyond: Collection[str] = ()
    peer: str = "printed"

    @property
    def precision(self) -> int:
        """Digits of the printed figures."""
        return self.digits if self.printed_digits is None else self.printed_digits

    def winners(self, column: str) -> set[str]:
        """Rows that have the best mean of a column, as far as its digits show; none if only one was run.

        Examples
        --------
        >>> rows = {name: {"x": Cell(Value(mean))} for name, mean in (("a", 1.001), ("b", 1.002), ("c", 0.5))}
        >>> sorted(Table("t", "T", ["x"], rows).winners("x"))
        ['a', 'b']
        """
        means = {
            row: round(cells[column].ours.mean, self.digits)  # type: ignore[union-attr]
            for row, cells in self.rows.items()
            if column in cells and cells[column].ours is not None
        }
        if self.best == "none" or len(means) < 2:
            return set()
        best = (max if self.best == "highest" else min)(means.values())
        return {row for row, mean in means.items() if mean == best}

    def verdicts(self) -> dict[Verdict, int]:
        """How many cells agree with the printed figure, lie above it, below it, or stand alone.

        Examples
        --------
        >>> rows = {name: {"x": Cell(Value(2.0), printed=1.0)} for name in ("theirs", "searched")}
        >>> Table("t", "T", ["x"], rows, beyond=["searched"]).verdicts()
        {'agrees': 0, 'above': 1, 'below': 0, 'alone': 1}
        """
        found: dict[Verdict, int] = {"agrees": 0, "above": 0, "below": 0, "alone": 0}
        for row, cells in self.rows.items():
            for cell in cells.values():
                if cell.ours is not None:
                    found["alone" if row in self.beyond else cell.verdict(self.precision)] += 1
        return found


@dataclass(frozen=True)
class Series:
    """Points of one name; ``half`` are halves of 95% intervals.

    ``printed``: the paper's own points, drawn hollow in the colour of the series of the same name.
    ``reference``: what theory says, a thin grey line. ``labels`` stand beside the points.
    ``muted``: what the legend calls this one and others like it, which are thin and grey and without
    intervals; each has its own name on hovering.
    """

    name: str
    x: Sequence[float | str]
    y: Sequence[float]
    half: Sequence[float | None] = ()
    printed: bool = False
    reference: bool = False
    labels: Sequence[str] = ()
    muted: str = ""


@dataclass(frozen=True)
class Plot:
    """Series over one pair of axes; "stems" are points with a line to 0.

    "rows" are points as well, with the names of x below each other and y from left to right; a reference is
    a bar there, and nan ends one.
    """

    name: str
    title: str
    x: str
    y: str
    series: Sequence[Series]
    caption: str = ""
    kind: Literal["lines", "points", "bars", "stems", "rows"] = "lines"
    log_x: bool = False
    log_y: bool = False

    @property
    def categories(self) -> list[str]:
        """The names on the x axis, in the order in which they come; empty if x are numbers."""
        found: dict[str, None] = {}
        for series in self.series:
            found.update({x: None for x in series.x if isinstance(x, str)})
        return list(found)


@dataclass(frozen=True)
class Words:
    """A heading and paragraphs; ``items`` become a list of (claim, evidence), ``held`` says which hold."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    items: Sequence[tuple[str, str]] = field(default_factory=tuple)
    held: Sequence[bool] = ()


Exhibit = Table | Plot | Words

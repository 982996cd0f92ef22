"""What a part of the reproduction is: what it trains or measures, what it shows, what must hold.

Everything here is plain data or a function of plain data, so that it travels to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unifilter.data.dataset import Dataset
from unifilter.train.entries import Entry
from unifilter.train.races import OTHERS, note
from unifilter.viz.exhibit import Exhibit

if TYPE_CHECKING:
    from unifilter.reproduce.results import Results

SIX = ("cora", "citeseer", "pubmed", "actor", "chameleon", "squirrel")


@dataclass(frozen=True)
class Scale:
    """How much of everything is run.

    Parameters
    ----------
    splits : int
        Of every protocol; at most ten.
    settings : int
        That every search tries, the same for each model.
    epochs : int, optional
        A limit below what settings ask for.
    graphs : names
        What stands for the paper's six graphs.
    quick : bool
        Parts shorten their own lists: fewer homophilies, fewer values of tau.
    also : names
        Further graphs for two rows of Table 2: in a quick run, real ones that are at hand.
    configs : Path
        Folder of published settings, MODEL.toml.

    Examples
    --------
    >>> Scale().graphs[0], Scale().splits
    ('cora', 10)
    """

    splits: int = 10
    settings: int = 100
    epochs: int | None = None
    graphs: tuple[str, ...] = SIX
    quick: bool = False
    also: tuple[str, ...] = ()
    configs: Path = Path("experiments/configs")

    def has(self, *graphs: str) -> tuple[str, ...]:
        """Those of the named graphs that are run; in a quick run without any of them, all that are.

        Examples
        --------
        >>> Scale().has("cora", "squirrel"), Scale(graphs=("sbm",), quick=True).has("cora")
        (('cora', 'squirrel'), ('sbm',))
        """
        found = tuple(g for g in graphs if g in self.graphs)
        return found or (self.graphs if self.quick else ())


@dataclass(frozen=True)
class Published:
    """A setting that is known beforehand."""

    entry: Entry


@dataclass(frozen=True)
class Searched:
    """The best of so many settings of the model's space by mean validation accuracy over the splits.

    ``first`` are some of these settings that are known beforehand; the others are drawn. ``changes`` are
    options that replace those of the winner: what does one gain, all others being equal? ``whole`` takes all
    of UniFilter's published space.
    """

    model: str
    settings: int
    changes: Mapping[str, Any] = field(default_factory=dict)
    first: tuple[dict[str, Any], ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class Auto:
    """No tuning: a portfolio of UniFilter raced on every split; None sets no limit of time.

    ``portfolio`` are other settings than the library's own, and ``whose`` says where they come from. Of a
    single one, the encore's random starts vote.
    """

    budget: str | None = None
    portfolio: tuple[Mapping[str, Any], ...] | None = None
    whose: str = OTHERS

    @property
    def note(self) -> str:
        """What a Record of it says: its model may be a committee, so that the name says nothing."""
        return note(self.portfolio, whose=self.whose)


How = Published | Searched | Auto


@dataclass(frozen=True)
class Job:
    """A row of a table on one graph: so many trainings, one for each split.

    Parameters
    ----------
    row : str
        What the reader calls it, such as "UniFilter, searched".
    dataset : str
        A name that :func:`unifilter.reproduce.graphs.load` knows.
    protocol : str
        Such as "quota:10"; see :mod:`unifilter.reproduce.protocols`.
    how : Published, Searched or Auto
    """

    row: str
    dataset: str
    protocol: str
    how: How

    @property
    def model(self) -> str:
        """Registered name."""
        if isinstance(self.how, Published):
            return self.how.entry.model
        return self.how.model if isinstance(self.how, Searched) else "unifilter"

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.row}, {self.dataset}, {self.protocol}"


@dataclass(frozen=True)
class Measure:
    """Something that is computed rather than trained and compared: one Record.

    Parameters
    ----------
    part : str
        Name of the part; the Record's ``model``.
    dataset : str
        As in a Job.
    what : dict
        Of JSON values; the Record's ``config``. Two measures of a part differ in it or in the dataset.
    take : function of (dataset, what, device) -> scores
        At the top of its module, so that it can be sent to another process. ``scores`` are floats by group
        and name, the Record's ``scores``.
    """

    part: str
    dataset: str
    what: Mapping[str, Any]
    take: Callable[[Dataset, Mapping[str, Any], str], dict[str, dict[str, float]]]

    @property
    def name(self) -> str:
        """For messages."""
        about = ", ".join(f"{k} {v}" for k, v in self.what.items())
        return f"{self.part}, {self.dataset}{', ' + about if about else ''}"


@dataclass(frozen=True)
class Claim:
    """A sentence that the results bear out or not, and the figures that say so."""

    sentence: str
    holds: bool
    evidence: str


def unproven(sentence: str, scale: Scale) -> list[Claim]:
    """What is claimed where nothing was run: in a quick run, which runs everything, that it does not hold.

    Examples
    --------
    >>> len(unproven("1 is less than 2", Scale())), unproven("1 is less than 2", Scale(quick=True))[0].holds
    (0, False)
    """
    return [Claim(sentence, False, "nothing was run")] if scale.quick else []


def _nothing(*_: Any) -> list[Any]:
    return []


@dataclass(frozen=True)
class Part:
    """One table or figure.

    Parameters
    ----------
    name : str
        On the command line; also the name of the module.
    title : str
        A sentence for the list and the page.
    show : function of (results, scale) -> exhibits
        From what is there: cells that have not been run are left empty.
    jobs, measures : functions of a scale
        What is trained and what is measured.
    check : function of (results, scale) -> claims
        Orderings that must hold; never times.

    Examples
    --------
    >>> part = Part("nothing", "An empty part", show=lambda results, scale: [])
    >>> part.jobs(Scale()), part.check(None, Scale())
    ([], [])
    """

    name: str
    title: str
    show: Callable[[Results, Scale], Sequence[Exhibit]]
    jobs: Callable[[Scale], Sequence[Job]] = _nothing
    measures: Callable[[Scale], Sequence[Measure]] = _nothing
    check: Callable[[Results, Scale], Sequence[Claim]] = _nothing

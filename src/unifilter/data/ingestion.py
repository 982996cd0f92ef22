"""What reading tables did to them: read, dropped, merged, encoded, filled."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

MANY = 0.1  # of the edges: so many that go are hardly meant to


@dataclass(frozen=True)
class Ingestion:
    """The account of one :func:`unifilter.read_tables`; ``print(dataset.ingestion)`` shows it.

    Parameters
    ----------
    edge_rows, node_rows : int
        Rows read, headers not counted; ``node_rows`` is 0 without a node table.
    unknown : int
        Edge rows dropped because an end is missing or is no node.
    first_unknown : str
        The first of them, as "data row 7: 'a' -> 'x'".
    cause : str
        What most of the unknown ends would be nodes without: "blanks", "leading zeros" or "capital letters";
        "" if nothing plain.
    edge_files : list of str
        How many rows each table of edges gave, as "a.csv 100".
    unused : list of str
        Columns of the edge table that nobody asked for.
    alone : int
        Nodes without an edge to another one.
    self_loops, repeated : int
        Edge rows that the graph dropped as loops or merged with an equal one.
    weightless : int
        Edge rows of weight 0, which are no edges.
    merged : int
        Node rows that repeat an earlier one in every column.
    unlabelled : int
        Nodes without a label: those to be predicted.
    minus_ones : int
        Those of them whose label is the number -1.
    columns : dict of str
        For every column that was asked for, what was done with it.
    features : int
        Number of feature columns made of them.
    recipes : list of dict
        How they were made, in their order, so that :func:`unifilter.data.newcomers.read_newcomers` can encode
        another table alike: :mod:`unifilter.data.recipes`.
    arguments : dict of str
        The columns' names as they were given or found: source, target, weight, id, label, split; and the
        delimiter.

    Examples
    --------
    >>> print(Ingestion(5, 4, unknown=1, first_unknown="data row 7: 'a' -> 'x'", unlabelled=2,
    ...                 columns={"age": "number", "height": "number", "town": "one-hot (3 categories)"},
    ...                 features=5))
    nodes: 4 rows, 2 unlabelled
    edges: 5 rows, 1 dropped for an end that is no node (data row 7: 'a' -> 'x')
    columns: 3, from which 5 features
      age, height: number
      town: one-hot (3 categories)
    """

    edge_rows: int
    node_rows: int = 0
    unknown: int = 0
    first_unknown: str = ""
    cause: str = ""
    edge_files: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    alone: int = 0
    self_loops: int = 0
    repeated: int = 0
    weightless: int = 0
    merged: int = 0
    unlabelled: int = 0
    minus_ones: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    features: int = 0
    recipes: list[dict[str, Any]] = field(default_factory=list)
    arguments: dict[str, str | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Ingestion:
        """The inverse of :meth:`to_json`; what an older version did not write stays empty."""
        return cls(**values)

    @property
    def doubts(self) -> list[str]:
        """What hardly was meant, a sentence each.

        Examples
        --------
        >>> Ingestion(4, 3, unknown=2, first_unknown="data row 1: '07' -> 'x'").doubts
        ["50% of the edges were dropped for an end that is no node (first: data row 1: '07' -> 'x')."]
        """
        if self.unknown <= MANY * self.edge_rows:
            return []
        cause = (
            f" Most of these ends are nodes but for {self.cause}: write ids alike in both tables."
            if self.cause
            else ""
        )
        share = f"{self.unknown / self.edge_rows:.0%} of the edges"
        first = f"(first: {self.first_unknown})"
        return [f"{share} were dropped for an end that is no node {first}.{cause}"]

    def __str__(self) -> str:
        minus = f" ({self.minus_ones:,} of them by a label of -1)" if self.minus_ones else ""
        nodes = [f"{self.node_rows:,} rows" if self.node_rows else "no table, those that the edges name"]
        nodes += _counted(
            (self.merged, "repeated and merged"),
            (self.unlabelled, f"unlabelled{minus}"),
            (self.alone, "without an edge"),
        )
        first = f" ({self.first_unknown})" if self.first_unknown else ""
        ends = [self.arguments.get(end) for end in ("source", "target")]
        named = "" if ends in ([None, None], ["src", "dst"]) else f" from {ends[0]!r} to {ends[1]!r}"
        parts = f" ({_listed(self.edge_files)})" if len(self.edge_files) > 1 else ""
        edges = [f"{self.edge_rows:,} rows{parts}{named}"]
        edges += _counted(
            (self.unknown, f"dropped for an end that is no node{first}"),
            (self.self_loops, "self-loops dropped"),
            (self.repeated, "repeated and merged"),
            (self.weightless, "of weight 0, which are no edges"),
        )
        edges += [f"{_listed(self.unused)} not used"] if self.unused else []
        lines = [f"nodes: {', '.join(nodes)}", f"edges: {', '.join(edges)}"]
        if self.columns:
            lines.append(f"columns: {len(self.columns):,}, from which {self.features:,} features")
        alike: dict[str, list[str]] = {}
        for name, treatment in self.columns.items():
            alike.setdefault(treatment, []).append(name)
        return "\n".join(lines + [f"  {_listed(names)}: {treatment}" for treatment, names in alike.items()])


def _counted(*counts: tuple[int, str]) -> list[str]:
    return [f"{count:,} {what}" for count, what in counts if count]


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

"""Which data a command works on: a named graph, or your own tables."""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy.sparse import issparse

from unifilter.data import Dataset, load, read_tables, with_signals
from unifilter.data.ingestion import MANY
from unifilter.data.preprocess import NAMES

PANEL = "Your own tables"
FEW = 3  # labelled nodes of a class: one each to train, validate and test


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=PANEL, **more)


@dataclass(frozen=True)
class Source:
    """A graph by name, or an edge table and a node table; as flags of a command by :func:`cli.flags.flags`.

    Examples
    --------
    >>> Source("sbm:n=100").dataset()
    Dataset(sbm:n=100: n=100, m=500, d=16, classes=5)
    """

    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A named graph, see `unifilter datasets`.", show_default=False),
    ] = None
    preprocessing: Annotated[
        str,
        typer.Option(
            help="Of the features: none, row, standard or log1p; auto standardises dense columns of tables "
            "and leaves named graphs alone."
        ),
    ] = "auto"
    edges: Annotated[
        list[Path] | None,
        _option(
            "--edges",
            help="Edge table: CSV (also .gz), TSV, Parquet or Feather; several are read as one.",
        ),
    ] = None
    nodes: Annotated[Path | None, _option("--nodes", help="Node table; without it nodes are bare.")] = None
    source: Annotated[
        str | None,
        _option("--source", help="Column of the edge table: where an edge starts; src, source, from or u."),
    ] = None
    target: Annotated[
        str | None, _option("--target", help="Column of the edge table: where it ends; dst, target, to or v.")
    ] = None
    weight: Annotated[str | None, _option("--weight", help="Column of the edge table: its weight.")] = None
    id: Annotated[str, _option("--id", help='Column of the node table; "" for the row number.')] = "id"
    label: Annotated[str, _option("--label", help='Column of the node table; "" for no labels.')] = "label"
    features: Annotated[
        str | None,
        _option(
            "--features",
            help='Columns, with commas ("in, quotes" if a name has one); all but id and label by default.',
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        _option("--delimiter", help="Of a CSV file; found by itself if it is one of , ; | or a tab."),
    ] = None
    strict: Annotated[bool, _option("--strict", help="Refuse whatever would drop or invent data.")] = False

    def dataset(self) -> Dataset:
        """Load the named graph, or read the tables, and scale the features."""
        return self.scaled(self.raw())

    def scaled(self, found: Dataset) -> Dataset:
        """With its features scaled as was asked for.

        Columns of a table come in units of their own, and one of large numbers would drown the others; named
        graphs have bags of words, and settings that scale them.
        """
        how = self.preprocessing
        if how == "auto":
            own = bool(self.edges) and self.nodes is not None and not issparse(found.X)
            how = "standard" if own else "none"
        return found if how == "none" else found.preprocess(how)

    def raw(self, split: str | None = None) -> Dataset:
        """Load the named graph, or read the tables; features as they came.

        ``split`` names the column of the node table that divides the nodes.
        """
        if self.preprocessing not in (*NAMES, "auto"):
            raise ValueError(
                f"--preprocessing must be one of auto, {', '.join(NAMES)}, but is {self.preprocessing!r}."
            )
        if (self.name is None) == (not self.edges):
            given = "both" if self.name else "neither"
            raise ValueError(
                f"a dataset's name or --edges is needed, but {given} came. `unifilter datasets` lists the "
                "names; --edges FILE [--nodes FILE] reads your own tables."
            )
        if self.name is not None:
            if self.nodes is not None:
                raise ValueError("--nodes belongs to --edges, which is missing.")
            return load(self.name)
        edges = self.edges or []
        found = read_tables(
            [str(file) for file in edges],
            None if self.nodes is None else str(self.nodes),
            self.source,
            self.target,
            self.weight or None,
            self.id or None,
            self.label or None,
            None if self.features is None else _names(self.features),
            split=split,
            delimiter=self.delimiter,
            strict=self.strict,
        )
        for doubt in found.ingestion.doubts if found.ingestion else ():
            print(f"note: {doubt}", file=sys.stderr)
        return replace(found, name=_name(edges[0]))


def _names(text: str) -> list[str]:
    """Between commas, each once; a name with a comma in it stands between quotation marks, as in CSV.

    Examples
    --------
    >>> _names('age, "height, cm",age')
    ['age', 'height, cm']
    """
    (names,) = csv.reader([text], skipinitialspace=True)
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


def _name(edges: Path) -> str:
    """What a report calls the data: the file's name, or its folder's where the file is just `edges`."""
    stem = edges.name.split(".")[0]
    own = edges.resolve().parent.name
    return own if own and stem.lower() in ("edges", "edge", "edgelist", "edge_list", "links") else stem


def dressed(dataset: Dataset) -> Dataset:
    """With random signals where nodes have no features, and a word on it."""
    if dataset.d:
        return dataset
    found = with_signals(dataset)
    print(
        f"note: the nodes have no features: {found.d} random signals take their place, from which the filter "
        "learns who is near whom.",
        file=sys.stderr,
    )
    return found


def check_labels(dataset: Dataset) -> list[str]:
    """Refuse what no model can learn from; what is doubtful is noted."""
    count = np.bincount(dataset.y[dataset.labelled], minlength=len(dataset.classes))
    if (count > 0).sum() < 2:
        raise ValueError(
            "labels of two classes at least are needed: --nodes names the table and --label the column that "
            "holds them."
        )
    notes, few = [], _rare(dataset)
    if few:
        notes.append(
            f"{listed(few)}: fewer than {FEW} labelled nodes, too few for scores that say how well such a "
            "class is found. Label more, or leave these labels empty."
        )
    alike: dict[str, list[str]] = {}
    for name in (name for name, there in zip(dataset.classes, count, strict=True) if there):
        alike.setdefault("".join(str(name).casefold().split()), []).append(name)
    notes += [
        f"{listed(some)} are different classes, though only spaces or capital letters tell them apart"
        for some in alike.values()
        if len(some) > 1
    ]
    return notes


def check_reach(dataset: Dataset) -> list[str]:
    """Notes on nodes to predict that scores say nothing of: no way leads from them to a labelled node.

    Examples
    --------
    >>> from unifilter.data import load
    >>> check_reach(load("sbm:n=100"))
    []
    """
    from scipy.sparse.csgraph import connected_components

    if not dataset.graph.m:
        return ["no edge joins two different nodes: features alone tell them apart."]
    _, part = connected_components(dataset.graph.to_scipy(), directed=False)
    wanted = ~dataset.labelled
    lost = int((wanted & ~np.isin(part, part[dataset.labelled])).sum())
    if lost <= MANY * wanted.sum():
        return []
    return [
        f"{lost:,} of the {int(wanted.sum()):,} nodes to predict are joined to no labelled node, however "
        "far: test scores say nothing of them."
    ]


def refuse_rare(dataset: Dataset) -> None:
    """Many divisions into training, validation and test want a node of every class in each part."""
    few = _rare(dataset)
    if few:
        raise ValueError(
            f"{listed(few)}: fewer than {FEW} labelled nodes, too few to train, validate and test on. Label "
            "more, or leave these labels empty."
        )


def _rare(dataset: Dataset) -> list[str]:
    count = np.bincount(dataset.y[dataset.labelled], minlength=len(dataset.classes))
    return [str(name) for name, some in zip(dataset.classes, count, strict=True) if 0 < some < FEW]


def listed(names: list[str], most: int = 5) -> str:
    """Classes by name, the first few of many.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"], most=2)
    ("class 'a'", "classes 'a', 'b' and 1 more")
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ("class " if len(names) == 1 else "classes ") + ", ".join(map(repr, names[:most])) + more

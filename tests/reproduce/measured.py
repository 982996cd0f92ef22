"""Run the measures of a part on small graphs, and read them back as a page would."""

from __future__ import annotations

from unifilter.reproduce.executor import results_of, take
from unifilter.reproduce.part import Part, Scale
from unifilter.reproduce.results import Results

GRAPHS = ("sbm:n=200,h=0.85,classes=3,degree=8,d=6", "sbm:n=200,h=0.1,classes=3,degree=8,d=6")
SMALL = Scale(splits=2, settings=2, epochs=5, graphs=GRAPHS, quick=True)


def measured(part: Part, scale: Scale, folder) -> Results:
    for measure in part.measures(scale):
        take(measure, folder, "cpu")
    return results_of(folder, scale)


def nothing(scale: Scale, folder) -> Results:
    return results_of(folder, scale)

"""Records as training would leave them, without training."""

from dataclasses import asdict, replace

import pytest

from unifilter.models._registry import configure
from unifilter.record import Record
from unifilter.reproduce.part import Auto, Job, Published, Scale, Searched
from unifilter.reproduce.protocols import names
from unifilter.reproduce.results import Results
from unifilter.reproduce.settings import journal
from unifilter.train.entries import Entry
from unifilter.train.trial import Trial, write_journal

FULL = Scale()


def made(job: Job, accuracies, scale=FULL, entry=None, learned=None) -> list[Record]:
    """A Record a split with these test accuracies."""
    entry = entry or (job.how.entry if isinstance(job.how, Published) else Entry(job.model))
    limit = min(entry.training.epochs, scale.epochs or entry.training.epochs)
    first = entry.points()[0]
    candidates = [{"setting": o, "accuracy": 0.5, "epochs": 1} for o in entry.candidates()]
    return [
        Record(
            job.model,
            asdict(configure(job.model, first.options)),
            asdict(replace(first.training, epochs=limit)),
            {"name": job.dataset, "checksum": "0", "preprocessing": first.preprocess},
            {"name": split.name, "seed": split.seed},
            entry.training.seed,
            {"test": {"accuracy": accuracy}, "val": {"accuracy": accuracy}},
            learned=learned or {},
            seconds={"train": 1.0},
            epochs=limit,
            notes=[job.how.note] if isinstance(job.how, Auto) else [],
            candidates=candidates if entry.grid else [],
        )
        for split, accuracy in zip(names(job.dataset, job.protocol), accuracies, strict=False)
    ]


def search_ended(folder, job: Job, setting=None) -> None:
    """A journal with a winner, whose setting is given, and worse ones."""
    assert isinstance(job.how, Searched)
    trials = [Trial(0, setting or {}, 0.9, 0.1, 400, True, job.model)]
    trials += [Trial(i, setting or {}, 0.1, 1.0, 400, True, job.model) for i in range(1, job.how.settings)]
    write_journal(journal(folder, job.how, job.dataset, job.protocol), trials)


@pytest.fixture
def scale():
    """Two graphs by the names of real ones, three splits: nothing is loaded."""
    return Scale(splits=3, settings=2, graphs=("cora", "squirrel"))


@pytest.fixture
def results_of(tmp_path, scale):
    """From jobs with accuracies to Results; searches are written as ended."""

    def build(pairs, learned=None) -> Results:
        records = []
        for job, accuracies in pairs:
            entry = None
            if isinstance(job.how, Searched):
                search_ended(tmp_path, job)
                entry = Results([], tmp_path, scale).entry(job)
            records += made(job, accuracies, scale, entry, learned)
        return Results(records, tmp_path, scale)

    return build

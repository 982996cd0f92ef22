"""The wide search: its spaces are of UniFilter, its journals draws of them, the best twelfth is counted."""

import random
from pathlib import Path

import wide_search

from unifilter.models._registry import configure
from unifilter.train.samplers import Random
from unifilter.train.trial import Trial, options_of, read_journal

FOLDER = Path(__file__).parents[2] / "experiments"


def test_the_committed_journals_are_draws_of_the_space():
    journals = FOLDER / "results" / "journals"
    files = sorted(f for name in wide_search.NAMES for f in journals.glob(f"{name}_*.jsonl"))
    assert len(files) >= 5
    for file in files:
        trials = read_journal(file)
        name, graph, kind = file.stem.split("_")
        start = wide_search.start_of(file, graph, kind) if name == "near" else None
        space = wide_search.space_for(name, graph, start)
        drawn = {-1: start} | dict(Random(space, wide_search.SEED).ask(1 + max(t.number for t in trials)))
        assert all(drawn[t.number] == t.setting for t in trials), file.name
        configure("unifilter", options_of(trials[0].setting))


def test_near_a_setting_few_options_differ_and_only_to_values_of_the_space():
    start = dict(wide_search.WIDE.draw(random.Random(0)))
    space = wide_search.space_for("near", "cora", start)
    changed = [
        {n: v for n, v in setting.items() if start.get(n) != v} for _, setting in Random(space, 1).ask(200)
    ]
    assert all(v in wide_search.FINE[n] for some in changed for n, v in some.items())
    assert 1 < sum(map(len, changed)) / len(changed) < wide_search.CHANGED * len(wide_search.FINE)


def test_values_are_counted_among_the_best():
    trials = [Trial(i, {"a": i % 2, "b": 1}, 0.5 + (i % 2) / 10, 1.0, 40, True) for i in range(240)]
    assert wide_search.counted(trials) == {"a": {1: 20}}
    assert len(wide_search.best(trials[:30])) == 20

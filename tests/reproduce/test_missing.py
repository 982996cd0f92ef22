from dataclasses import replace

from unifilter.reproduce.missing import still_to_run
from unifilter.reproduce.part import Job, Measure, Part, Published
from unifilter.train.entries import Entry

SGC, GCN = Published(Entry("sgc")), Published(Entry("gcn"))
DONE, HALF, NONE = (Job("SGC", g, "quota:3", SGC) for g in ("cora", "pubmed", "actor"))
OTHER = Job("GCN", "cora", "fixed:3", GCN)


def part(name, *jobs, measures=()):
    return Part(name, name.title(), lambda *_: [], lambda scale: jobs, lambda scale: list(measures))


def test_what_lacks_splits_is_named_by_row_and_kind_of_splits(results_of, scale):
    results = results_of([(DONE, [0.8, 0.8, 0.9]), (HALF, [0.8])])
    measured = Measure("two", "cora", {"K": 2}, lambda *_: {})
    (words,) = still_to_run(
        [part("one", DONE, HALF, NONE, OTHER), part("two", measures=[measured])], results, scale
    )
    assert words.items == [
        ("One: 3 of 4", "60/20/20 quota splits: SGC (pubmed, actor); public splits: GCN (cora)"),
        ("Two: 1 of 1", "1 measures on cora"),
    ]
    assert words.paragraphs[0].startswith("4 of 5 rows")


def test_what_parts_share_is_told_once(results_of, scale):
    again = replace(HALF, row="the same under another name")
    (words,) = still_to_run([part("one", HALF), part("two", again)], results_of([]), scale)
    assert [claim for claim, _ in words.items] == ["One: 1 of 1"]


def test_where_nothing_lacks_nothing_is_said(results_of, scale):
    assert still_to_run([part("one", DONE)], results_of([(DONE, [0.8, 0.8, 0.9])]), scale) == []

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from unifilter.reproduce.catalog import parts, quick
from unifilter.reproduce.draw import begun, draw, exhibits, subtitle
from unifilter.reproduce.part import Claim, Job, Part, Published, Scale
from unifilter.reproduce.results import Results
from unifilter.train.entries import Entry
from unifilter.viz.exhibit import Words

CONFIGS = Path(__file__).parents[2] / "experiments/configs"
JOB = Job("SGC", "cora", "quota:3", Published(Entry("sgc")))


def part(name, jobs=(), claims=()):
    return Part(
        name,
        name.title(),
        lambda results, scale: [Words(name, name, ["Said."])],
        lambda scale: jobs,
        check=lambda results, scale: claims,
    )


def test_claims_follow_what_a_part_shows(results_of, scale):
    claims = [Claim("a", True, "1"), Claim("b", False, "2")]
    found = exhibits([part("one", claims=claims), part("two")], results_of([]), scale)
    assert [e.name for e in found["One"]] == ["one", "claims_one"]
    assert found["One"][1].items == [("a", "Holds: 1"), ("b", "Does not hold: 2")]
    assert found["One"][1].held == [True, False]
    assert [e.name for e in found["Two"]] == ["two"]


def test_a_part_of_which_nothing_was_run_is_not_drawn(results_of, scale, tmp_path):
    every = [part("run", [JOB]), part("not", [Job("x", "pubmed", "quota:3", JOB.how)]), part("words")]
    results = results_of([(JOB, [0.8])])
    assert [p.name for p in begun(every, results, scale)] == ["run", "words"]
    files = draw(every, results, scale, tmp_path / "out")
    assert files[0].name == "reproduction.html"
    assert {f.name for f in files} == {"reproduction.html", "run.md", "words.md", "missing.md"}
    assert "1 Records" in files[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("scale_of", [partial(Scale, configs=CONFIGS), quick], ids=["full", "quick"])
def test_without_any_record_every_part_shows_something_under_a_name_of_its_own(scale_of, tmp_path):
    scale = scale_of()  # here, where the tests' own cache is set
    shown = exhibits(parts(["all"]), Results([], tmp_path, scale), scale)
    found = [e.name for some in shown.values() for e in some]
    assert len(set(found)) == len(found) > 20


def test_the_page_says_what_the_records_were_made_with(results_of):
    said = subtitle(results_of([(JOB, [0.8, 0.9])]).records)
    assert said.startswith("2 Records, made with unifilter ")
    assert ", on CPUs (torch " in said


def test_versions_are_grouped_by_device(results_of):
    one, two, three = results_of([(JOB, [0.8, 0.9, 0.7])]).records
    records = [
        replace(one, versions={"torch": "2.9.1", "unifilter": "0.1.0"}),
        replace(two, versions={"torch": "2.13.0+cpu", "unifilter": "0.1.0"}),
        replace(three, versions={"torch": "2.11.0"}, device="NVIDIA H200"),
    ]
    wanted = "made with unifilter 0.1.0, on an NVIDIA H200 (torch 2.11) and on CPUs (torch 2.9, 2.13)"
    assert subtitle(records) == f"3 Records, {wanted}"
    bare = [replace(record, versions={}) for record in records]
    assert subtitle(bare) == "3 Records, made with unifilter, on an NVIDIA H200 and on CPUs"

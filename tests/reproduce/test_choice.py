from pathlib import Path

import pytest

from unifilter.reproduce.choice import FOLDER, Choice
from unifilter.reproduce.part import Auto, Job, Measure, Published, Scale, Searched
from unifilter.train.entries import Entry

CONFIGS = Path(__file__).parents[2] / "experiments/configs"
JOBS = {
    "published": Job("a", "cora", "quota:10", Published(Entry("sgc"))),
    "searched": Job("b", "cora", "fixed:10", Searched("gcn", 5)),
    "auto": Job("c", "actor", "quota48:10", Auto()),
}
MEASURES = {
    "of one": Measure("efficiency", "cora", {"model": "sgc"}, lambda *given: {}),
    "of all": Measure("angles", "squirrel", {"vectors": 10}, lambda *given: {}),
}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, {"published", "searched", "auto"}),
        ({"how": "auto,searched"}, {"searched", "auto"}),
        ({"models": "sgc, unifilter"}, {"published", "auto"}),
        ({"protocols": "fixed"}, {"searched"}),
        ({"graphs": "actor, pubmed"}, {"auto"}),
        ({"models": "sgc", "how": "auto"}, set()),
    ],
)
def test_only_the_jobs_that_were_asked_for_are_wanted(options, wanted):
    choice = Choice(configs=CONFIGS, **options)
    assert {name for name, job in JOBS.items() if choice.wants(job)} == wanted


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"models": "gcn"}, {"of all"}),
        ({"models": "sgc", "how": "auto"}, {"of one", "of all"}),
        ({"graphs": "cora"}, {"of one"}),
    ],
)
def test_measures_are_of_a_graph_and_some_of_a_model(options, wanted):
    choice = Choice(configs=CONFIGS, **options)
    assert {name for name, measure in MEASURES.items() if choice.wants(measure)} == wanted


def test_a_part_that_only_measures_has_graphs_too():
    assert Choice(["efficiency"], configs=CONFIGS, graphs="squirrel").graphs == "squirrel"
    with pytest.raises(ValueError, match="cora, pubmed, squirrel"):
        Choice(["efficiency"], configs=CONFIGS, graphs="actor")


@pytest.mark.parametrize(
    "options",
    [
        {"models": "gnc"},
        {"how": "tuned"},
        {"protocols": "quotas"},
        {"graphs": "coral"},
        {"configs": Path("nowhere")},
    ],
)
def test_a_name_that_does_not_exist_is_said_at_once(options):
    with pytest.raises(
        ValueError, match="gcn|published, searched|quota48|cora, citeseer|experiments/configs"
    ):
        Choice(**{"configs": CONFIGS} | options)


def test_the_budget_of_a_folder_is_remembered(tmp_path):
    assert Choice(configs=CONFIGS, out=tmp_path).scale.settings == Scale.settings
    (tmp_path / "scale.json").write_text('{"settings": 7}')
    assert Choice(configs=CONFIGS, out=tmp_path).scale.settings == 7
    assert Choice(configs=CONFIGS, out=tmp_path, settings=9).scale.settings == 9


def test_a_quick_run_keeps_its_records_apart():
    assert Choice(configs=CONFIGS).folder == FOLDER
    assert Choice(quick=True).folder != FOLDER

"""The portfolio in the package is what its command gives from the committed journals."""

import json
from dataclasses import replace
from pathlib import Path

import choose_portfolio

from unifilter.train.portfolio import FEW, PORTFOLIO
from unifilter.train.trial import Trial, write_journal

FOLDER = Path(__file__).parents[2] / "experiments"


def test_the_portfolios_are_what_the_journals_choose():
    many, few = choose_portfolio.chosen()
    known = [[json.dumps(setting, sort_keys=True) for setting in some] for some in (PORTFOLIO, FEW)]
    assert many == known[0][: len(many)]
    assert len(known[0]) == len(many) + 1  # and one by hand
    assert few == known[1]


def test_what_a_graph_has_not_seen_is_what_the_others_choose():
    known = json.loads((FOLDER / "configs" / "unseen.json").read_text())
    assert known == choose_portfolio.unseen()
    assert dict(PORTFOLIO[-1]) not in known["actor"]  # it was made for Actor
    assert all(dict(PORTFOLIO[-1]) == known[graph][-1] for graph in known if graph != "actor")


def test_each_setting_helps_where_those_before_it_do_worst():
    accuracy = {
        "a": {"x": 0.9, "y": 0.5, "z": 0.8},
        "b": {"x": 0.4, "y": 0.9, "z": 0.8},
        "c": {"z": 0.7},
    }
    assert choose_portfolio.choose(accuracy) == ["z", "x", "y"]
    assert choose_portfolio.choose(accuracy, most=2) == ["z", "x"]


def test_published_settings_in_a_journal_choose_nothing(tmp_path):
    drawn = Trial(0, {"preprocess": "row", "options.K": 10}, 0.5, 1.0, 40, True)
    write_journal(tmp_path / "cora_quota.jsonl", [drawn, replace(drawn, number=-1, accuracy=0.99)])
    with (tmp_path / "cora_quota.jsonl").open("a") as stream:
        stream.write('{"number": 2, "set')  # cut short
    (column,) = choose_portfolio.read([tmp_path / "cora_quota.jsonl"]).values()
    assert list(column.values()) == [0.5]

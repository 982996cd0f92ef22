"""The table in the docs is what the command makes of the committed results."""

import json
from pathlib import Path

import auto_six_graphs
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results"


@pytest.fixture(scope="module")
def rows():
    return json.loads((RESULTS / "auto_six_graphs.json").read_text())


def test_the_docs_show_the_results(rows):
    text = (ROOT / "docs" / "training.md").read_text()
    assert auto_six_graphs.written(text, rows) == text


def test_the_results_are_those_of_the_records(rows):
    from unifilter.record import read

    found = auto_six_graphs.table(read(RESULTS / "auto_six_graphs.jsonl"))
    assert found.keys() == rows.keys()
    for name, row in found.items():
        assert row == pytest.approx(rows[name]), name


def test_the_table_takes_the_place_of_an_older_one(rows):
    text = "a\n<!-- auto_six_graphs -->\nold\n<!-- /auto_six_graphs -->\nb\n"
    found = auto_six_graphs.written(text, rows)
    assert found.startswith("a\n<!-- auto_six_graphs -->\n| graph |")
    assert found.endswith("|\n<!-- /auto_six_graphs -->\nb\n")
    assert "old" not in found
    with pytest.raises(ValueError, match="has no lines"):
        auto_six_graphs.written("a\n", rows)

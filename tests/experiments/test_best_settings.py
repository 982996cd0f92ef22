"""UniFilter's own settings are the best of the committed journals, and where its searches begin."""

import json
from pathlib import Path

import best_settings
import pytest

from unifilter.models._registry import configure
from unifilter.reproduce.settings import own_settings
from unifilter.train.trial import Trial, options_of, write_journal

FOLDER = Path(__file__).parents[2] / "experiments"


def test_the_settings_are_what_the_journals_say():
    known = json.loads((FOLDER / "configs" / "unifilter.json").read_text())
    assert known == best_settings.settings()
    assert len(known) == 12
    for setting in known.values():
        configure("unifilter", options_of(setting))
        assert setting in own_settings(FOLDER / "configs")


@pytest.mark.parametrize("name", ["cora_fixed", "unifilter_cora_fixed", "wide_cora_fixed"])
def test_the_best_is_one_that_was_trained_to_its_end_and_not_a_published_one(tmp_path, monkeypatch, name):
    monkeypatch.setattr(best_settings, "RESULTS", tmp_path)
    trials = [
        Trial(0, {"options.K": 1}, 0.5, 1.0, 400, True),
        Trial(1, {"options.K": 2}, 0.9, 1.0, 40, False),
        Trial(-1, {"options.K": 3}, 0.9, 1.0, 400, True),
        Trial(2, {"options.K": 4}, 0.5, 0.9, 400, True),
    ]
    write_journal(tmp_path / "journals" / f"{name}.jsonl", trials)
    assert best_settings.best("cora", "fixed") == {"options.K": 4}

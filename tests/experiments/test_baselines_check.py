"""The check of baselines: guesses are known as such, and what a search found stands beside them."""

import json
from pathlib import Path

import baselines_check
import pytest

from unifilter.reproduce.part import Searched
from unifilter.reproduce.settings import journal
from unifilter.train.config import Training
from unifilter.train.entries import Entry
from unifilter.train.trial import Trial, write_journal

FOLDER = Path(__file__).parents[2] / "experiments"

GRAPH = "sbm:n=120,h=0.9,classes=3,d=6"


def test_what_authors_did_not_publish_is_a_guess():
    guessed = {(c.model, c.dataset): c.guessed for c in baselines_check.cells(FOLDER / "configs")}
    assert all(guessed[model, "actor"] for model in ("linkx", "h2gcn", "mixhop", "sign", "sgc"))
    assert not any(guessed[model, "cora"] for model in ("gcn", "gcnii", "glognn", "bernnet", "jacobiconv"))


@pytest.mark.parametrize("guessed", [True, False])
def test_a_guess_has_the_winner_of_its_search_beside_it(tmp_path, guessed):
    (tmp_path / "scale.json").write_text(json.dumps({"settings": 2}))
    trials = [
        Trial(i, {"options.K": K, "preprocess": "none"}, a, 1.0, 40, True)
        for i, K, a in ((0, 1, 0.5), (1, 2, 0.9))
    ]
    write_journal(journal(tmp_path, Searched("sgc", 2), GRAPH, "stratified:2"), trials)
    entry = Entry("sgc", "none", {"K": 2}, Training())
    cell = baselines_check.Cell("sgc", GRAPH, "stratified", entry, 50.0, "", guessed)
    file = tmp_path / "records.jsonl"
    baselines_check.work(cell, file, 2, 3, "cpu")
    known = baselines_check.resume(file)
    found = baselines_check.line(cell, 2, known, None, tmp_path)
    assert found["searched"] == (pytest.approx(found["mean"]) if guessed else None)
    assert (found["within_searched"] is None) == (not guessed)


def test_a_mean_is_over_runs_of_one_limit_of_epochs(tmp_path):
    cell = baselines_check.Cell("mlp", GRAPH, "stratified", Entry("mlp", training=Training()), 50.0, "")
    file = tmp_path / "records.jsonl"

    def limits():
        found = baselines_check.kept(cell, 2, baselines_check.resume(file))
        return [r.training["epochs"] for r in found]

    baselines_check.work(cell, file, 2, 3, "cpu")
    baselines_check.work(cell, file, 1, 5, "cpu")
    assert limits() == [3, 3]
    baselines_check.work(cell, file, 2, 5, "cpu")
    assert limits() == [5, 5]

import json
import sys

import newcomers
import pytest


def test_who_arrives_is_predicted_as_well_as_who_was_there(tmp_path, monkeypatch):
    graph = "sbm:n=400,h=0.9,d=8,signal=2"
    words = ["--graphs", graph, "--seeds", "2", "--epochs", "40", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["newcomers.py", *words])
    newcomers.main()
    found = json.loads((tmp_path / "newcomers.json").read_text())
    assert [line["seed"] for line in found] == [0, 1]
    for line in found:
        assert line["newcomers"] == pytest.approx(line["factorised again"], abs=0.15)
        assert line["newcomers"] > 0.6
        assert line["test nodes"] > 0.6

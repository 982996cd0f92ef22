"""What the README shows in Python runs as it stands, on data with the names that it uses."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from unifilter import load

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=200,h=0.9,d=6")


def test_tables_in_names_out(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, b = data.graph.edges()[:2]
    Path("edges.csv").write_text("\n".join(["src,dst", *(f"{i},{j}" for i, j in zip(a, b, strict=True))]))
    kinds = [f"kind {y}" if i % 3 else "" for i, y in enumerate(data.y)]
    rows = [f"{i},{kinds[i]}," + ",".join(f"{x:.4f}" for x in data.X[i]) for i in range(data.n)]
    Path("nodes.csv").write_text("\n".join(["id,kind,a,b,c,d,e,f", *rows]))
    found: dict = {}
    (block,) = [b for b in BLOCKS if "UniFilterClassifier" in b]
    exec(block.replace('"1m"', '"3s"'), found)
    right = np.array([name == f"kind {y}" for name, y in zip(found["names"], data.y, strict=True)])
    assert right.mean() > 0.8


def test_the_one_fact(data):
    (block,) = [b for b in BLOCKS if "unibasis" in b]
    found = {"edges": data.graph.edges()[:2], "X": data.features(), "w": torch.ones(11), "tau": 0.4, "h": 0.2}
    exec(block, found)
    assert found["B"].shape == (11, data.n, 6)
    assert found["Z"].shape == (data.n, 6)

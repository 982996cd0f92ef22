"""The compiled recurrence is reached through ``cpu`` and tested there; here is what only it can tell."""

import subprocess
import sys

import torch

from conftest import GRAPHS
from unifilter import propagation
from unifilter.kernels import cpu


def test_what_was_compiled_is_kept_for_the_next_process():
    """The first product of a process must not wait for the compiler."""
    P = propagation(GRAPHS["ring"](), dtype=torch.float64)
    X = torch.ones(12, 40, dtype=torch.float64)
    cpu.three_term(P._csr, X, X.new_empty(3, 12, 40), P._plan)
    code = """
import numpy as np, torch
from unifilter import Graph, propagation
from unifilter.kernels import recurrence
P = propagation(Graph.from_edges([[0, 1], [1, 2]]), dtype=torch.float64)
P.three_term(torch.ones(3, 40, dtype=torch.float64), torch.empty(3, 3, 40, dtype=torch.float64))
stats = recurrence.three_term_tiles.alone.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["1", "0"]

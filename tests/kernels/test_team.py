import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from numba import config, prange

from unifilter import propagation
from unifilter.graph.synthetic import block_model
from unifilter.kernels import blocks, cpu, team
from unifilter.kernels.team import Team


@Team
def doubled(x, out):
    for i in prange(len(x)):
        out[i] = 2 * x[i]


def test_both_forms_do_the_same():
    x = np.arange(10.0)
    for form in (doubled, doubled.alone, doubled.together):
        out = np.empty(10)
        form(x, out)
        np.testing.assert_array_equal(out, 2 * x)


def test_small_work_is_done_alone_and_all_work_where_there_is_one_thread(monkeypatch):
    monkeypatch.setattr(team, "get_num_threads", lambda: 2)
    assert doubled.doing(10) is doubled.alone
    assert doubled.doing(10**9) is doubled.together
    monkeypatch.setattr(team, "get_num_threads", lambda: 1)
    assert doubled.doing(10**9) is doubled.alone


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_kernels_give_the_same_bits_alone_and_together(dtype, seed, monkeypatch):
    torch.manual_seed(seed)
    graph = block_model(300, 0.4, classes=3, degree=9, generator=np.random.default_rng(0)).graph
    P = propagation(graph, dtype=dtype)
    X = torch.randn(300, 21, dtype=dtype)
    C = torch.randn(2, 5, 21, dtype=dtype)
    found = []
    monkeypatch.setattr(team, "get_num_threads", lambda: 2)
    for small in (0, 10**12):
        monkeypatch.setattr(team, "SMALL", small)
        V = torch.zeros(5, 300, 21, dtype=dtype)
        alpha = cpu.three_term(P._csr, X, V, P._plan).alpha
        out = torch.empty(2, 300, 21, dtype=dtype)
        cpu.mix(V, C, out)
        sums = cpu.correlate(out, V)
        drop = cpu.mix_dropped(V, C, 0.5, 3, False)
        back = cpu.correlate_dropped(drop, V, 2, 0.5, 3, False)
        found.append([cpu.spmm(P._csr, X, P._plan), V, alpha, out, sums, drop, back])
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)


@pytest.mark.skipif(config.NUMBA_NUM_THREADS > 1, reason="the tests above have run on several threads")
def test_several_threads_give_the_same_bits_too():
    """The tests run with one thread for each process; here one process has two."""
    only = f"{__file__}::{test_the_kernels_give_the_same_bits_alone_and_together.__name__}"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", only]
    done = subprocess.run(words, env=os.environ | {"NUMBA_NUM_THREADS": "2"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_cache_is_named_after_what_kernels_are_made_of():
    for form in (blocks.mix.together, blocks.mix.alone):
        assert team.DIGEST in form.py_func.__qualname__

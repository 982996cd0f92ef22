"""A run killed at any moment continues to the same result."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

from unifilter.models import create
from unifilter.train import checkpoint, loop
from unifilter.train.loop import State

SCRIPT = """
import sys
from pathlib import Path
from unifilter.data import load, splits
from unifilter.train import Training, loop, run

def train(folder, on_epoch=None):
    loop.CHECKPOINT_SECONDS = 0.0
    data, options = load("sbm:n=300,h=0.7,d=8"), {"K": 4, "hidden": 16, "batch_norm": True}
    training = Training(epochs=60, patience=60, lr=0.02, batch=50)
    split = splits.stratified(data.y)
    return run(data, split, "unifilter", options, training, folder=folder, on_epoch=on_epoch, device="cpu")
"""
TOLD = "train(Path(sys.argv[1]), lambda scores, state: print(state.epoch, flush=True))"


def test_a_run_killed_in_the_middle_ends_as_if_it_had_not_been(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", loop.CHECKPOINT_SECONDS)  # the script changes it
    known: dict = {}
    exec(SCRIPT, known)
    wanted = known["train"](tmp_path / "whole")
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT + TOLD, str(tmp_path / "killed")], stdout=subprocess.PIPE, text=True
    )
    for line in process.stdout:
        if int(line) == 25:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    assert (tmp_path / "killed" / "state.json").exists()
    epochs: list[int] = []
    again = known["train"](tmp_path / "killed", lambda scores, state: epochs.append(state.epoch))
    assert 20 < epochs[0] <= 60
    assert again.record.best_epoch == wanted.record.best_epoch
    np.testing.assert_array_equal(again.p, wanted.p)
    assert again.history == wanted.history


def test_what_is_saved_comes_back(tmp_path):
    model = create("unifilter", 6, 3, K=2, hidden=4, batch_norm=True)
    optimizer = torch.optim.Adam(model.parameters())
    for p in model.parameters():
        p.grad = torch.randn_like(p)
    optimizer.step()
    state = State(epoch=7, best_epoch=3, waited=4, best=dict(model.state_dict()), history=[{"epoch": 0.0}])
    drawn = torch.get_rng_state()
    checkpoint.save(tmp_path, model, optimizer, state)
    other = create("unifilter", 6, 3, K=2, hidden=4, batch_norm=True)
    fresh, again = torch.optim.Adam(other.parameters()), State()
    torch.rand(5)
    assert checkpoint.restore(tmp_path, other, fresh, again)
    assert again.epoch == 7
    assert again.history == state.history
    assert torch.equal(torch.get_rng_state(), drawn)
    for name, value in model.state_dict().items():
        assert torch.equal(other.state_dict()[name], value)
        assert torch.equal(again.best[name], value)
    for one, two in zip(
        optimizer.state_dict()["state"].values(), fresh.state_dict()["state"].values(), strict=True
    ):
        assert torch.equal(one["exp_avg"], two["exp_avg"])


def test_an_optimizer_may_have_no_state(tmp_path):
    model = create("unifilter", 6, 3, K=2, hidden=4)
    optimizer, again = torch.optim.SGD(model.parameters(), lr=0.5), State()
    for p in model.parameters():
        p.grad = torch.randn_like(p)
    optimizer.step()
    checkpoint.save(tmp_path, model, optimizer, State(epoch=3, best=dict(model.state_dict())))
    assert checkpoint.restore(tmp_path, model, torch.optim.SGD(model.parameters(), lr=0.5), again)
    assert again.epoch == 3


def test_without_a_checkpoint_there_is_nothing_to_restore(tmp_path):
    model = create("unifilter", 6, 3, K=2, hidden=4)
    assert not checkpoint.restore(tmp_path, model, torch.optim.Adam(model.parameters()), State())


def test_a_crash_between_the_two_files_leaves_the_older_state(tmp_path, monkeypatch):
    model = create("unifilter", 6, 3, K=2, hidden=4)
    optimizer = torch.optim.Adam(model.parameters())
    checkpoint.save(tmp_path, model, optimizer, State(epoch=1, best=dict(model.state_dict())))

    def crash(*_):
        raise OSError("disk full")

    monkeypatch.setattr(checkpoint, "write_atomically", crash)
    with pytest.raises(OSError, match="disk full"):
        checkpoint.save(tmp_path, model, optimizer, State(epoch=2, best=dict(model.state_dict())))
    again = State()
    checkpoint.restore(tmp_path, model, optimizer, again)
    assert again.epoch == 1


def test_tensors_that_share_memory_are_saved_apart(tmp_path):
    from safetensors.torch import load_file

    a = torch.arange(3.0)
    checkpoint.save_tensors(tmp_path / "a.safetensors", {"a": a, "b": a})
    assert torch.equal(load_file(tmp_path / "a.safetensors")["b"], a)
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]

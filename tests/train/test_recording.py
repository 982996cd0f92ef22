"""A replay does what the work did; recording does nothing."""

import pytest
import torch

from unifilter.train.recording import recorded

gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


@gpu
def test_a_replay_does_the_work_and_recording_does_not():
    x = torch.zeros(3, device="cuda")

    def work():
        x.add_(1)

    work()
    recording = recorded(work)
    torch.cuda.synchronize()
    assert x.tolist() == [1.0] * 3
    recording.replay()
    recording.replay()
    torch.cuda.synchronize()
    assert x.tolist() == [3.0] * 3


@gpu
def test_what_asks_the_host_is_refused_and_nothing_is_broken():
    x = torch.ones(3, device="cuda")
    with pytest.raises(RuntimeError):
        recorded(lambda: x.sum().item())
    assert float(x.sum()) == 3.0


@gpu
def test_recordings_that_are_gone_leave_their_memory_to_the_next():
    size = int(0.4 * torch.cuda.mem_get_info()[1]) // 4
    x = torch.zeros((), device="cuda")

    def work():
        x.add_(torch.ones(size, device="cuda").sum())

    for _ in range(3):  # three would not fit side by side
        recorded(work).replay()
    torch.cuda.synchronize()
    assert float(x) > 0


def test_without_a_gpu_nothing_can_be_recorded():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises((RuntimeError, AssertionError)):
        recorded(lambda: None)

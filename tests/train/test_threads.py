import pytest
import torch

from unifilter.train.threads import SMALL, threads_for


def test_small_steps_are_taken_alone_and_others_are_not():
    before = torch.get_num_threads()
    with threads_for(SMALL - 1):
        assert torch.get_num_threads() == 1
    with threads_for(SMALL):
        assert torch.get_num_threads() == before


def test_the_threads_come_back_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), threads_for(1):
        raise KeyError
    assert torch.get_num_threads() == before

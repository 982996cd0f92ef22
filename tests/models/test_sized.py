from __future__ import annotations

import pytest
import torch
from torch import nn

from unifilter.models._sized import SizedByState, WithLabels


class Memory(SizedByState):
    sized = ("seen",)

    def __init__(self, size: int = 0) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(size, dtype=torch.float64))
        self.register_buffer("fixed", torch.zeros(2))


def test_a_named_buffer_takes_the_shape_of_what_is_loaded_also_inside_another_module():
    filled = nn.Sequential(Memory(5))
    filled[0].seen += 7
    fresh = nn.Sequential(Memory())
    fresh.load_state_dict(filled.state_dict())
    assert fresh[0].seen.tolist() == [7.0] * 5
    assert fresh[0].seen.dtype == torch.float64
    fresh[0].seen += 1
    assert filled[0].seen.tolist() == [7.0] * 5  # a copy


def test_other_buffers_and_missing_keys_are_still_errors():
    with pytest.raises(RuntimeError, match="size mismatch for fixed"):
        Memory().load_state_dict({"seen": torch.ones(1), "fixed": torch.ones(3)})
    with pytest.raises(RuntimeError, match="Missing key"):
        Memory().load_state_dict({"fixed": torch.ones(2)})


def test_labels_come_with_the_state_and_are_named_as_one_a_node():
    fresh = WithLabels()
    assert fresh.labels.numel() == 0
    fresh.load_state_dict(WithLabels(torch.tensor([2, -1, 0])).state_dict())
    assert fresh.labels.tolist() == [2, -1, 0]
    assert fresh.uses_labels
    assert fresh.node_buffers == ("labels",)

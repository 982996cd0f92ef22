import pytest
import torch
from torch.nn.functional import cross_entropy

from unifilter.train.calibration import temperature


def test_no_other_temperature_makes_the_labels_likelier():
    torch.manual_seed(0)
    z = 5 * torch.randn(200, 4, dtype=torch.float64)
    y = torch.distributions.Categorical(logits=z / 3).sample()
    t = temperature(z, y)
    best = cross_entropy(z / t, y)
    assert t == pytest.approx(3, rel=0.25)
    for other in (0.9 * t, 1.1 * t):
        assert cross_entropy(z / other, y) > best


def test_without_nodes_nothing_changes():
    assert temperature(torch.zeros(0, 3), torch.zeros(0, dtype=torch.long)) == 1.0


def test_few_right_answers_make_nobody_sure_of_everything():
    few, many = (temperature(torch.eye(3).repeat(n, 1), torch.arange(3).repeat(n)) for n in (1, 10_000))
    assert 0.3 < few < 1
    assert 0.05 <= many < 0.2
    assert temperature(-torch.eye(3).repeat(10_000, 1), torch.arange(3).repeat(10_000)) > 10

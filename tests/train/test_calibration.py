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


@pytest.mark.parametrize("n", [3, 30, 300])
def test_n_right_answers_make_it_as_sure_as_n_plus_one_of_n_plus_two(n):
    """Platt's rule, however far the logits are apart."""
    z, y = 500 * torch.eye(3).repeat(n // 3, 1), torch.arange(3).repeat(n // 3)
    p = torch.softmax(z / temperature(z, y), dim=1)
    assert float(p[0, 0]) == pytest.approx((n + 1) / (n + 2), abs=1e-6)


def test_it_stays_finite():
    y = torch.arange(3)
    assert temperature(-torch.eye(3), y) == pytest.approx(1e4, rel=1e-3)
    assert 0.01 <= temperature(1e-6 * torch.eye(3), y) < 0.02

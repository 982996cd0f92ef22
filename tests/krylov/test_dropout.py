import pytest
import torch
from torch.testing import assert_close

from unifilter.krylov.dropout import dropout

RATES = torch.tensor([0.0, 0.2, 0.7])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1, 17, 70_001])
def test_what_is_kept_is_scaled_and_the_rest_is_zero(dtype, size):
    x = torch.rand(3, size, dtype=dtype) + 1
    out = dropout(x, RATES, torch.tensor(5))
    assert torch.equal(out[0], x[0])
    kept = out != 0
    wanted = x / (1 - RATES[:, None].to(dtype))
    assert_close(out[kept], wanted[kept])
    if size > 1000:
        assert_close((~kept).double().mean(dim=1), RATES.double(), rtol=0, atol=0.01)


def test_seeds_and_members_draw_their_own_masks():
    x = torch.ones(2, 5000)
    rates = torch.tensor([0.5, 0.5])
    one, two = dropout(x, rates, torch.tensor(1)), dropout(x, rates, torch.tensor(2))
    assert torch.equal(one, dropout(x, rates, torch.tensor(1)))
    for a, b in ((one[0], two[0]), (one[0], one[1])):
        assert 0.45 < ((a == 0) == (b == 0)).double().mean() < 0.55


def test_neighbouring_entries_are_independent():
    kept = dropout(torch.ones(1, 200, 500), torch.tensor([0.5]), torch.tensor(9))[0] != 0
    for other in (kept.roll(1, 0), kept.roll(1, 1), kept.roll(16, 1)):
        assert 0.49 < (kept == other).double().mean() < 0.51


def test_the_way_back_draws_the_same_mask():
    x = torch.ones(3, 50, 10, requires_grad=True)
    out = dropout(x, RATES, torch.tensor(3))
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())


def test_half_precision_draws_the_same_mask():
    x, rate, seed = torch.ones(1, 50, 7), torch.tensor([0.5]), torch.tensor(2**32 + 3)
    half = dropout(x.bfloat16(), rate, seed)
    assert half.dtype == torch.bfloat16
    assert torch.equal(half.float(), dropout(x, rate, seed))
    assert torch.equal(half.float(), dropout(x, rate, torch.tensor(3)))


def test_one_rate_serves_all():
    x = torch.ones(3, 40)
    one = dropout(x, torch.tensor([0.5]), torch.tensor(3))
    assert torch.equal(one, dropout(x, torch.full((3,), 0.5), torch.tensor(3)))

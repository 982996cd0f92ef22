import torch

from unifilter._math import column_dot, column_norm, reciprocal


def test_inner_products_are_accumulated_in_float64():
    """A million ones and a small one: float32 sums lose the difference."""
    a = torch.ones(2**24 + 1, 1)
    assert column_dot(a, a).item() == 2**24 + 1
    assert column_norm(torch.full((4, 1), 3.0)).item() == 6


def test_the_reciprocal_of_zero_is_zero_and_so_is_its_gradient():
    a = torch.tensor([0.0, 4.0], requires_grad=True)
    r = reciprocal(a)
    r.sum().backward()
    assert r.tolist() == [0, 0.25]
    assert a.grad.tolist() == [0, -0.0625]

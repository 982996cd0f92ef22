import torch
from torch.testing import assert_close

from unifilter.train.stack import MixSplits


def test_splits_are_mixed_by_their_own_members():
    Vs = [torch.randn(3, n, 4, dtype=torch.float64) for n in (5, 7)]
    c = torch.randn(3, 3, 4, dtype=torch.float64)
    Z = MixSplits.apply(c, Vs, [0, 1, 3], 7)
    assert_close(Z[0, :5], torch.einsum("kd,knd->nd", c[0], Vs[0]))
    assert_close(Z[2], torch.einsum("kd,knd->nd", c[2], Vs[1]))
    assert (Z[0, 5:] == 0).all()


def test_the_gradient_of_a_mix_of_splits_is_right():
    Vs = [torch.randn(3, n, 2, dtype=torch.float64) for n in (4, 6)]
    c = torch.randn(3, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda c: MixSplits.apply(c, Vs, [0, 2, 3], 6), (c,))

import torch

from unifilter.models._rows import Features


def test_rows_are_rows_whatever_follows():
    X = torch.randn(6, 3, 2)
    some = Features(X).rows(torch.tensor([5, 1]))
    assert torch.equal(some.X, X[[5, 1]])
    assert some.to("cpu").n == 2

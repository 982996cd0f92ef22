import torch

from unifilter.models._whole import Whole


def test_rows_of_rows_are_counted_from_the_rows():
    inputs = Whole(torch.zeros(6, 2), {"A": torch.eye(6)})
    some = inputs.rows(torch.tensor([5, 3, 1])).rows(torch.tensor([2, 0]))
    assert some.pick(torch.arange(6)).tolist() == [1, 5]
    assert (inputs.n, some.n) == (6, 2)
    assert torch.equal(some.to("cpu")["A"], torch.eye(6))

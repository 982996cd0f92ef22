import torch

from unifilter._math import column_dot, column_norm, csr_tensor, reciprocal


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


def test_a_sparse_matrix_of_torch_is_made_without_a_word(recwarn):
    A = csr_tensor(torch.tensor([0, 1, 1]), torch.tensor([1]), torch.tensor([2.0]), (2, 3))
    assert torch.equal(A.to_dense(), torch.tensor([[0.0, 2, 0], [0, 0, 0]]))
    assert not recwarn.list
    assert not torch.sparse.check_sparse_tensor_invariants.is_enabled()


def test_a_sparse_matrix_of_torch_is_not_checked():
    """A check of every matrix would cost more than a product: here columns are out of order."""
    A = csr_tensor(torch.tensor([0, 2]), torch.tensor([1, 0]), torch.tensor([2.0, 3.0]), (1, 2))
    assert torch.equal(A.to_dense(), torch.tensor([[3.0, 2.0]]))

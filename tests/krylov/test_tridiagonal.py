import pytest
import torch
from torch.testing import assert_close

from unifilter import Tridiagonal


def make(K=4, d=3, complete=True):
    generator = torch.Generator().manual_seed(0)
    alpha = torch.randn(K + complete, d, dtype=torch.float64, generator=generator)
    return Tridiagonal(alpha, torch.rand(K, d, dtype=torch.float64, generator=generator))


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("K", [0, 1, 4])
def test_matmul_is_that_of_the_written_out_matrices(K, complete):
    T = make(K, 3, complete)
    c = torch.randn(K + 1, 3, dtype=torch.float64)
    wanted = torch.zeros(3, K + 1, K + 1, dtype=torch.float64)
    for i in range(3):
        diagonal = T.alpha[:, i] if complete else torch.cat([T.alpha[:, i], torch.zeros(1)])
        wanted[i] = torch.diag(diagonal) + torch.diag(T.beta[:, i], 1) + torch.diag(T.beta[:, i], -1)
    assert_close(T @ c, torch.einsum("dij,jd->id", wanted, c))
    assert_close(T.dense(), wanted)


def test_e1_is_the_first_unit_vector():
    assert make().e1[:, 0].tolist() == [1, 0, 0, 0, 0]


def test_a_truncated_matrix_is_complete_for_its_hops():
    T = make(complete=False)
    assert not T.is_complete
    assert T.truncate(3).is_complete
    assert_close(T.truncate(2).dense(), T.dense()[:, :3, :3])


def test_more_hops_than_there_are_cannot_be_had():
    with pytest.raises(ValueError, match=r"lanczos\(P, X, K=9\)"):
        make().truncate(9)

import pytest
import torch
from torch.testing import assert_close

from unifilter import mix


def test_mix_is_a_sum_over_v():
    V, C = torch.randn(4, 9, 5), torch.randn(3, 4, 5)
    assert_close(mix(V, C), torch.einsum("kjd,jnd->knd", C, V))
    assert_close(mix(V, C[0]), torch.einsum("jd,jnd->nd", C[0], V))


@pytest.mark.parametrize("whole", [True, False])
def test_gradients_flow_to_coefficients_and_to_v(whole):
    V = torch.randn(3, 4, 2, dtype=torch.float64, requires_grad=True)
    C = torch.randn(*((2,) if whole else ()), 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(mix, (V, C))
    assert torch.autograd.gradgradcheck(mix, (V, C))


def test_the_whole_basis_may_replace_v():
    V, C = torch.randn(3, 40, 5), torch.randn(3, 3, 5)
    wanted = mix(V, C)
    got = mix(V, C, out=V)
    assert got is V
    assert_close(got, wanted)


def test_coefficients_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"C must have shape \(3, 5\) or \(J, 3, 5\), but has \(4, 5\)"):
        mix(torch.randn(3, 40, 5), torch.randn(4, 5))

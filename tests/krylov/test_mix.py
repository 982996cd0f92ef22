import pytest
import torch
from torch.testing import assert_close

from unifilter import mix
from unifilter.kernels import spmm as kernels
from unifilter.krylov import mix_dropped


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


def test_v_in_half_precision_gives_the_precision_of_the_coefficients():
    """What is lost is lost in V; coefficients, sums and gradients are not rounded."""
    V, C = torch.randn(4, 30, 5).bfloat16(), torch.randn(4, 4, 5, requires_grad=True)
    for form in (mix, lambda V, C: mix_dropped(V, C, 0.3, 7)):
        found, wanted = form(V, C), form(V.float(), C)
        assert found.dtype == torch.float32
        assert_close(found, wanted, rtol=0, atol=0)
        G = torch.randn_like(found)
        assert_close(*(torch.autograd.grad(Z, C, G)[0] for Z in (found, wanted)), rtol=0, atol=0)
    assert mix_dropped(V, C, 0.3, 7, dtype=V.dtype).dtype == V.dtype


def test_coefficients_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"C must have shape \(3, 5\) or \(J, 3, 5\), but has \(4, 5\)"):
        mix(torch.randn(3, 40, 5), torch.randn(4, 5))


def test_dropping_nothing_is_the_sum_of_the_basis():
    V, C = torch.randn(4, 9, 5), torch.randn(4, 4, 5)
    assert_close(mix_dropped(V, C, 0.0, 3), mix(V, C).sum(dim=0))


def test_dropout_keeps_the_mean_and_has_the_right_variance():
    V, C = torch.randn(4, 9, 5, dtype=torch.float64), torch.randn(4, 4, 5, dtype=torch.float64)
    p, basis = 0.4, mix(V, C)
    draws = torch.stack([mix_dropped(V, C, p, seed) for seed in range(4000)])
    variance = (basis**2).sum(dim=0) * p / (1 - p)
    assert ((draws.mean(dim=0) - basis.sum(dim=0)) / (variance / 4000).sqrt()).abs().max() < 4.5
    assert_close(draws.var(dim=0), variance, rtol=0.2, atol=0)


def test_the_gradient_uses_the_masks_of_the_forward_pass():
    V = torch.randn(3, 40, 5, dtype=torch.float64)
    C = torch.randn(3, 3, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda C: mix_dropped(V, C, 0.5, 11), C)


def test_everything_cannot_be_dropped():
    with pytest.raises(ValueError, match=r"\[0, 1\)"):
        mix_dropped(torch.randn(3, 4, 5), torch.randn(3, 3, 5), 1.0, 0)


def apart(x):
    """The same numbers with a last stride that is not 1."""
    return x.transpose(-1, -2).contiguous().transpose(-1, -2)


def test_rows_may_lie_apart_in_memory():
    V, C, G = torch.randn(3, 6, 5), torch.randn(2, 3, 5), torch.randn(2, 6, 5)
    assert_close(mix(apart(V), C), mix(V, C))
    assert_close(mix(V, C, out=apart(torch.zeros(2, 6, 5))), mix(V, C))
    assert_close(kernels.correlate(apart(G), apart(V)), kernels.correlate(G, V))
    square = torch.randn(3, 3, 5)
    assert_close(mix_dropped(apart(V), square, 0.5, 3), mix_dropped(V, square, 0.5, 3))
    dropped = (3, 0.5, 3, False)
    expected = kernels.correlate_dropped(G[0], V, *dropped)
    assert_close(kernels.correlate_dropped(apart(G[0]), apart(V), *dropped), expected)


def test_gradients_that_are_spread_out_are_read_as_what_they_are():
    V, C = torch.randn(3, 6, 5, requires_grad=True), torch.randn(2, 3, 5, requires_grad=True)
    for use in (torch.sum, lambda Z: Z.transpose(1, 2).contiguous().pow(2).sum()):
        found = torch.autograd.grad(use(mix(V, C)), (V, C))
        wanted = torch.autograd.grad(use(torch.einsum("kjd,jnd->knd", C, V)), (V, C))
        for ours, theirs in zip(found, wanted, strict=True):
            assert_close(ours, theirs)


def test_seeds_wrap_at_32_bits():
    V, C = torch.randn(3, 6, 5), torch.randn(3, 3, 5)
    assert_close(mix_dropped(V, C, 0.5, 2**32 + 7), mix_dropped(V, C, 0.5, 7))


def test_out_of_another_shape_is_refused():
    V, C = torch.randn(3, 40, 5), torch.randn(2, 3, 5)
    for shape in ((1, 10, 5), (3, 40, 5), (2, 40, 4)):
        with pytest.raises(ValueError, match=r"out must have shape \(2, 40, 5\)"):
            mix(V, C, out=torch.zeros(shape))


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_v_may_be_kept_in_half_precision(half):
    V, C = torch.randn(3, 40, 5).to(half), torch.randn(2, 3, 5)
    assert mix(V, C).dtype == torch.float32
    assert_close(mix(V, C), mix(V.float(), C))
    ones = torch.ones(3, 3, 5)
    assert_close(mix_dropped(V, ones, 0.0, 1), mix_dropped(V.float(), ones, 0.0, 1))

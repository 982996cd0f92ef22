import pytest
import torch
from torch.testing import assert_close

from unifilter import propagation
from unifilter.kernels import portable, reference


@pytest.mark.parametrize("self_loops", [False, True])
def test_spmm_agrees_with_the_reference(graph, X, self_loops):
    A = propagation(graph, self_loops, torch.float64)._csr
    assert_close(portable.spmm(A, X), reference.spmm(A, X))


def test_adam_is_torch_s_with_rates_of_each_member_s_own():
    value, moments = torch.randn(3, 4, 5), [torch.zeros(3, 4, 5) for _ in range(2)]
    lr, decay = torch.tensor([0.1, 0.01, 0.3]), torch.tensor([0.0, 0.1, 0.5])
    alone = [torch.nn.Parameter(v.clone()) for v in value]
    optimizers = [
        torch.optim.Adam([p], lr=float(a), weight_decay=float(b))
        for p, a, b in zip(alone, lr, decay, strict=True)
    ]
    for t in range(1, 6):
        grad = torch.randn(3, 4, 5)
        portable.adam(value, grad, moments, lr, decay, (0.9, 0.999), 1e-8, torch.tensor(t))
        for p, g, optimizer in zip(alone, grad, optimizers, strict=True):
            p.grad = g
            optimizer.step()
    assert_close(value, torch.stack([p.detach() for p in alone]), rtol=1e-5, atol=1e-6)


def test_dropout_has_the_rate_of_each_member_and_keeps_the_mean():
    x = torch.ones(3, 200, 100)
    out = portable.dropout(x, torch.tensor([0.0, 0.3, 0.9]), seed=torch.tensor(5))
    assert torch.equal(out[0], x[0])
    assert_close((out == 0).float().mean(dim=(1, 2)), torch.tensor([0.0, 0.3, 0.9]), rtol=0, atol=0.02)
    assert_close(out.mean(dim=(1, 2)), torch.ones(3), rtol=0, atol=0.1)
    assert torch.equal(out, portable.dropout(x, torch.tensor([0.0, 0.3, 0.9]), seed=torch.tensor(5)))


def test_only_those_who_are_better_are_kept():
    best, value = torch.zeros(3, 4), torch.randn(3, 4)
    portable.keep(best, value, torch.tensor([True, False, True]))
    assert torch.equal(best[[0, 2]], value[[0, 2]])
    assert (best[1] == 0).all()
